# switchyard_embed_files(OUT_VAR NAME HEADER TYPE FUNCTION PATTERN...): a source file NAME.cpp that
# holds the text of every file that matches, written anew whenever one of them changes. It defines
# FUNCTION, as HEADER declares it: a span of TYPE, each a file's stem and its text, sorted by path.

# As a script (cmake -P), with OUTPUT and the list FILES, this file writes that source file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  foreach(file IN LISTS FILES)
    get_filename_component(stem ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    ${TYPE}{\"${stem}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(WRITE ${OUTPUT}.new
"// Written by EmbedFiles.cmake.
#include \"${HEADER}\"

#include <array>

namespace {

constexpr std::array files{
${entries}};

}  // namespace

std::span<const ${TYPE}> ${FUNCTION}() noexcept { return files; }
")
  # Renamed, so that an interrupted build leaves no half file that looks up to date.
  file(RENAME ${OUTPUT}.new ${OUTPUT})
  return()
endif()

set(SWITCHYARD_EMBED_FILES ${CMAKE_CURRENT_LIST_FILE})

function(switchyard_embed_files out_var name header type function)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -DHEADER=${header}
            -DTYPE=${type} -DFUNCTION=${function} -P ${SWITCHYARD_EMBED_FILES}
    DEPENDS ${files} ${SWITCHYARD_EMBED_FILES}
    COMMENT "Embedding ${name}"
    VERBATIM)
  set(${out_var} ${output} PARENT_SCOPE)
endfunction()
