# The target `reference`: the C++ reference in HTML, from the comments of the public headers. A
# public declaration without one is an error. Not part of `all`, and only there where Doxygen is.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(DOXYGEN_PROJECT_BRIEF "${PROJECT_DESCRIPTION}")
set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/reference)
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${PROJECT_SOURCE_DIR}/docs/reference.md)
set(DOXYGEN_STRIP_FROM_PATH "")
set(DOXYGEN_STRIP_FROM_INC_PATH "")
set(DOXYGEN_INCLUDE_PATH "")
foreach(module IN LISTS SWITCHYARD_MODULES)
  list(APPEND DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/${module}/include)
  list(APPEND DOXYGEN_INCLUDE_PATH ${PROJECT_SOURCE_DIR}/${module}/include)
endforeach()
list(APPEND DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/apps/c/include)
set(DOXYGEN_STRIP_FROM_INC_PATH ${DOXYGEN_STRIP_FROM_PATH})
set(DOXYGEN_FILE_PATTERNS *.hpp *.h)
# Eigen's namespace is entered to specialise what Eigen asks for: nothing to call.
set(DOXYGEN_EXCLUDE_SYMBOLS Eigen::internal)
# What the compiler writes by itself needs no words.
set(DOXYGEN_INPUT_FILTER "sed -e '/[)] *[a-z]* = default;$/s/.*//'")
# The first sentence of a comment is its summary; the house writes no @param.
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_EXTRACT_ALL NO)
set(DOXYGEN_WARN_IF_UNDOCUMENTED YES)
set(DOXYGEN_WARN_NO_PARAMDOC NO)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_GENERATE_TREEVIEW YES)
set(DOXYGEN_SORT_MEMBER_DOCS NO)
set(DOXYGEN_SHOW_INCLUDE_FILES NO)

list(TRANSFORM SWITCHYARD_MODULES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE folders)
list(TRANSFORM folders APPEND /include)
list(APPEND folders ${PROJECT_SOURCE_DIR}/apps/c/include)
doxygen_add_docs(reference ${folders} ${PROJECT_SOURCE_DIR}/docs/reference.md
                 COMMENT "Writing the C++ reference to ${PROJECT_BINARY_DIR}/reference/html")
