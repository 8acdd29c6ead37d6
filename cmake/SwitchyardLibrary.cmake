# The library that users link: the objects of all modules, and one target for the build tree.
set(SWITCHYARD_MODULES containers backends models core/decision core tuning)

add_library(switchyard)
add_library(Switchyard::switchyard ALIAS switchyard)
# Before 1.0 a new minor version may break what was linked against the last: another name.
set(SWITCHYARD_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(SWITCHYARD_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()
set_target_properties(switchyard PROPERTIES VERSION ${PROJECT_VERSION}
                                            SOVERSION ${SWITCHYARD_SOVERSION})
target_compile_features(switchyard PUBLIC cxx_std_20)
switchyard_warnings(switchyard)
foreach(module IN LISTS SWITCHYARD_MODULES)
  cmake_path(GET module FILENAME name)
  target_sources(switchyard PRIVATE $<TARGET_OBJECTS:switchyard_${name}>)
  target_include_directories(
    switchyard PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${module}/include>)
endforeach()
target_sources(switchyard PRIVATE $<TARGET_OBJECTS:switchyard_opencl_loader>)
foreach(isa IN ITEMS portable avx2 avx512)
  target_sources(switchyard PRIVATE $<TARGET_OBJECTS:switchyard_row_kernels_${isa}>)
endforeach()
# The version, as core configures it.
target_include_directories(switchyard
                           PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/core/include>)
target_include_directories(switchyard INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(BUILD_SHARED_LIBS)
  set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
  target_link_options(switchyard PRIVATE LINKER:--version-script=${exports})
  set_property(TARGET switchyard APPEND PROPERTY LINK_DEPENDS ${exports})
endif()
# Threads that help with calls end with the process; a program that unloads the library must not take
# their code away.
target_link_options(switchyard PRIVATE LINKER:-z,nodelete)
target_link_libraries(switchyard PRIVATE OpenMP::OpenMP_CXX spdlog::spdlog fmt::fmt
                                         ZLIB::ZLIB ${CMAKE_DL_LIBS})
# Where it is missing, the library works but drivers are not tried first.
add_dependencies(switchyard switchyard_probe_opencl)
