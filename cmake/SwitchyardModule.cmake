# switchyard_module(NAME [HAS_FORMATS] USES ... PRIVATE ... SOURCES ... WITHOUT ...): one room of the
# house as an object library, of every .cpp file in its folder and the generated SOURCES. USES names
# the rooms that it may include, so that a wrong arrow does not compile. WITHOUT names the folders
# inside that are targets of their own. HAS_FORMATS: formats name their helpers alike, so that no files
# of it can be compiled as one unit.
function(switchyard_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion)
  # GCC takes the unnamed namespace of a source for that of a header where a unit includes several.
  get_target_property(is_unity ${target} UNITY_BUILD)
  if(is_unity AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(SWITCHYARD_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SWITCHYARD_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SWITCHYARD_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${SWITCHYARD_SANITIZE})
    # GCC 12 takes the members of std::regex for uninitialised when they are watched (GCC bug
    # 105562). It takes less time where it collects no garbage below a gigabyte, and does not check
    # every pointer for null: most of those end the program anyhow.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized
                                               --param=ggc-min-heapsize=1000000)
      if(SWITCHYARD_SANITIZE MATCHES undefined)
        target_compile_options(${target} PRIVATE -fno-sanitize=null)
      endif()
    endif()
  endif()
  # Tells libFuzzer which branches an input took.
  if(SWITCHYARD_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# For code that runs for moments: under sanitizers, optimising it takes half of the time that
# compiling it does. A fuzzing target runs for hours.
function(switchyard_runs_for_moments)
  if(SWITCHYARD_SANITIZE AND NOT SWITCHYARD_BUILD_FUZZERS)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

function(switchyard_module name)
  cmake_parse_arguments(MODULE HAS_FORMATS "" "SOURCES;USES;PRIVATE;WITHOUT" ${ARGN})
  set(target switchyard_${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS include/switchyard/*.hpp)
  # Needs Eigen, which users of the library need not have; tests/consumer compiles it.
  list(FILTER headers EXCLUDE REGEX "/eigen\\.hpp$")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  foreach(folder IN LISTS MODULE_WITHOUT)
    list(FILTER headers EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  add_library(${target} OBJECT ${sources} ${MODULE_SOURCES})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${headers})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                             VERIFY_INTERFACE_HEADER_SETS ON)
  # Without sanitizers each file is compiled alone, so that consumers find it in the compiler cache.
  # Files that instantiate different members of one class are no unit for clang.
  if(MODULE_HAS_FORMATS OR NOT SWITCHYARD_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  list(TRANSFORM MODULE_USES PREPEND switchyard_)
  target_link_libraries(${target} PUBLIC ${MODULE_USES} PRIVATE ${MODULE_PRIVATE})
  switchyard_warnings(${target})
endfunction()
