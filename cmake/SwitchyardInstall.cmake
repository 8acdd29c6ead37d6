# What is installed: the library, the headers of every module, how CMake and pkg-config find them, the
# documentation, and with the command its man pages. The apps install themselves.
include(CMakePackageConfigHelpers)

set(SWITCHYARD_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Switchyard)

install(TARGETS switchyard EXPORT SwitchyardTargets)
foreach(module IN LISTS SWITCHYARD_MODULES)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${module}/include/ TYPE INCLUDE
          FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/core/include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")

install(EXPORT SwitchyardTargets NAMESPACE Switchyard:: DESTINATION ${SWITCHYARD_CMAKE_DIR})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/SwitchyardConfig.cmake.in ${PROJECT_BINARY_DIR}/SwitchyardConfig.cmake
  INSTALL_DESTINATION ${SWITCHYARD_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Before 1.0, a new minor version may break what compiled against the last.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SwitchyardConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SwitchyardConfig.cmake
              ${PROJECT_BINARY_DIR}/SwitchyardConfigVersion.cmake
        DESTINATION ${SWITCHYARD_CMAKE_DIR})

# The folders are told from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH SWITCHYARD_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# pkg-config insists on finding what is private too; a shared library's users need not have it.
set(SWITCHYARD_PC_PRIVATE "")
if(NOT BUILD_SHARED_LIBS)
  set(SWITCHYARD_PC_PRIVATE
      "Requires.private: fmt spdlog zlib\nLibs.private: -fopenmp -ldl -lstdc++ -lm\n")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/switchyard.pc.in ${PROJECT_BINARY_DIR}/switchyard.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/switchyard.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# As in the sources, so that links between the pages hold, those to measurements included.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE TYPE DOC)
install(DIRECTORY docs TYPE DOC PATTERN reference.md EXCLUDE)
# Programs to copy from, and the solvers that they include.
install(DIRECTORY apps/examples apps/solvers DESTINATION ${CMAKE_INSTALL_DOCDIR}/apps
        FILES_MATCHING PATTERN "*.[ch]pp" PATTERN "*.c" PATTERN "thesis_*" EXCLUDE PATTERN "line_chart*" EXCLUDE)
install(DIRECTORY apps/python/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}/apps/python
        FILES_MATCHING PATTERN "*.py")

find_program(SWITCHYARD_CMARK cmark)
if(SWITCHYARD_BUILD_APPS AND SWITCHYARD_CMARK)
  set(man_pages "")
  file(GLOB command_pages CONFIGURE_DEPENDS docs/commands/*.md)
  foreach(page IN LISTS command_pages)
    get_filename_component(name ${page} NAME_WE)
    string(REGEX REPLACE "^switchyard-switchyard$" "switchyard" name switchyard-${name})
    set(man_page ${PROJECT_BINARY_DIR}/man/${name}.1.gz)
    add_custom_command(
      OUTPUT ${man_page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${CMAKE_CURRENT_LIST_DIR}/man-page ${SWITCHYARD_CMARK} ${PROJECT_VERSION} ${page}
              ${man_page}
      DEPENDS ${page} ${CMAKE_CURRENT_LIST_DIR}/man-page
      VERBATIM)
    list(APPEND man_pages ${man_page})
  endforeach()
  add_custom_target(switchyard_man_pages ALL DEPENDS ${man_pages})
  install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
elseif(SWITCHYARD_BUILD_APPS)
  message(STATUS "There will be no man pages: cmark is missing")
endif()
