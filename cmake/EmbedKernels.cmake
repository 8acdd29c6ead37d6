# switchyard_embed_kernels(OUT_VAR DIR): a source file that holds the text of every .cl file in DIR,
# written anew whenever one of them changes. Its interface is opencl/kernel_sources.hpp.

# As a script (cmake -P), with OUTPUT and the list KERNELS, this file writes that source file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  foreach(kernel IN LISTS KERNELS)
    get_filename_component(stem ${kernel} NAME_WE)
    file(READ ${kernel} text)
    string(APPEND entries "    KernelSource{\"${stem}\", R\"kernel(${text})kernel\"},\n")
  endforeach()
  file(WRITE ${OUTPUT}.new
"// Written by EmbedKernels.cmake from the files in kernels/.
#include \"opencl/kernel_sources.hpp\"

#include <array>

namespace switchyard::opencl {
namespace {

constexpr std::array sources{
${entries}};

}  // namespace

std::span<const KernelSource> kernel_sources() noexcept { return sources; }

const KernelSource* find_kernel_source(std::string_view stem) noexcept {
  for (const KernelSource& source : sources) {
    if (source.stem == stem) return &source;
  }
  return nullptr;
}

}  // namespace switchyard::opencl
")
  # Renamed, so that an interrupted build leaves no half file that looks up to date.
  file(RENAME ${OUTPUT}.new ${OUTPUT})
  return()
endif()

set(SWITCHYARD_EMBED_KERNELS ${CMAKE_CURRENT_LIST_FILE})

function(switchyard_embed_kernels out_var dir)
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cl)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/kernel_sources.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DKERNELS=${kernels}" -DOUTPUT=${output} -P
            ${SWITCHYARD_EMBED_KERNELS}
    DEPENDS ${kernels} ${SWITCHYARD_EMBED_KERNELS}
    COMMENT "Embedding OpenCL kernels"
    VERBATIM)
  set(${out_var} ${output} PARENT_SCOPE)
endfunction()
