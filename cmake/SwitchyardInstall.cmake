# What is installed: the library, the headers of every module, and how CMake and pkg-config find
# them. The apps install themselves.
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
configure_file(${CMAKE_CURRENT_LIST_DIR}/switchyard.pc.in ${PROJECT_BINARY_DIR}/switchyard.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/switchyard.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
