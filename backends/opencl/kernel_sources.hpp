// The kernel files, as embedded into the library by cmake/EmbedFiles.cmake.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace switchyard::opencl {

/// One file of kernels/: its name without ".cl", and its text.
struct KernelSource {
  std::string_view stem;
  std::string_view text;
};

/// All of them.
[[nodiscard]] std::span<const KernelSource> kernel_sources() noexcept;

/// The file of that stem, or null. What it points to lives as long as the program.
[[nodiscard]] inline const KernelSource* find_kernel_source(std::string_view stem) noexcept {
  for (const KernelSource& source : kernel_sources()) {
    if (source.stem == stem) return &source;
  }
  return nullptr;
}

/// Stems of the files that stand before those of every program.
inline constexpr std::array<std::string_view, 3> common_stems{"prelude", "searches", "published"};

/// Stems of the files that are built behind a recorded function (recorded_programs.hpp), not alone.
inline constexpr std::array<std::string_view, 6> skeleton_stems{"map",    "reduce",    "scan",
                                                                "places", "fold_rows", "merge"};

/// A program that is built from a kernel file with definitions of its own.
struct DefinedProgram {
  std::string_view name;                      ///< its own
  std::string_view stem;                      ///< of the file
  std::string_view definitions;               ///< options of the compiler, each begins with a blank
  std::array<std::string_view, 3> more = {};  ///< stems of files that follow, or empty
  std::string_view nvidia = {};               ///< options that only NVIDIA's compiler takes
};

/// All of them: packed CSR in its codings (packed_multiply.cl), BSR in its sizes of blocks, and
/// programs of several files.
inline constexpr std::array defined_programs{
    // So many registers that two groups of dense_panel_8 share a multiprocessor (16384 x 16384
    // times
    // eight columns: 260 us, and 276 with as many as the compiler likes).
    DefinedProgram{"dense_columns", "copies", "", {"dense_columns"}, " -cl-nv-maxrregcount=128"},
    DefinedProgram{"dense_tiles", "copies", "", {"dense_tiles", "dense_doubles"}},
    DefinedProgram{"csr_merge", "packed_codings", "", {"csr_merge"}},
    DefinedProgram{"csr_binned", "bins", "", {"csr_binned"}},
    DefinedProgram{"csc_convert", "element_rows", "", {"csc_convert"}},
    DefinedProgram{"csr_scatter",
                   "fixed_sums",
                   " -D LIMB_BITS=20",
                   {"taken_sums", "local_sums", "csr_scatter"}},
    DefinedProgram{"csr_windows",
                   "fixed_sums",
                   " -D LIMB_BITS=22",
                   {"taken_sums", "local_sums", "csr_windows"}},
    DefinedProgram{"csr_columns", "column_sums", "", {"csr_columns"}},
    DefinedProgram{"csr_staged", "column_sums", "", {"csr_staged"}},
    DefinedProgram{"csr_columns_binned", "column_sums", "", {"bins", "csr_columns_binned"}},
    DefinedProgram{"csr16_multiply",
                   "packed_codings",
                   " -D COLUMNS_TILED -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{
        "csr16_merge", "packed_codings", " -D COLUMNS_TILED -D TILE_ROWS=64", {"csr_merge"}},
    DefinedProgram{"csr16_convert", "packed_convert",
                   " -D COLUMNS_TILED -D TILE_ROWS=64 -D TILE_REACH=65536"},
    DefinedProgram{"csr_const_multiply",
                   "packed_codings",
                   " -D VALUES_CONSTANT -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr_const_merge", "packed_codings", " -D VALUES_CONSTANT", {"csr_merge"}},
    DefinedProgram{"csr_const_convert", "packed_convert",
                   " -D VALUES_CONSTANT -D TILE_ROWS=64 -D TILE_REACH=65536"},
    DefinedProgram{"csr_dict8_multiply",
                   "packed_codings",
                   " -D VALUES_DICTIONARY -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr_dict8_merge", "packed_codings", " -D VALUES_DICTIONARY", {"csr_merge"}},
    DefinedProgram{"csr_dict8_convert", "packed_convert",
                   " -D VALUES_DICTIONARY -D TILE_ROWS=64 -D TILE_REACH=65536"},
    DefinedProgram{"csr16_const_multiply",
                   "packed_codings",
                   " -D COLUMNS_TILED -D VALUES_CONSTANT -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr16_const_merge",
                   "packed_codings",
                   " -D COLUMNS_TILED -D VALUES_CONSTANT -D TILE_ROWS=64",
                   {"csr_merge"}},
    DefinedProgram{"csr16_const_convert", "packed_convert",
                   " -D COLUMNS_TILED -D VALUES_CONSTANT -D TILE_ROWS=64 -D TILE_REACH=65536"},
    DefinedProgram{"csr16_dict8_multiply",
                   "packed_codings",
                   " -D COLUMNS_TILED -D VALUES_DICTIONARY -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr16_dict8_merge",
                   "packed_codings",
                   " -D COLUMNS_TILED -D VALUES_DICTIONARY -D TILE_ROWS=64",
                   {"csr_merge"}},
    DefinedProgram{"csr16_dict8_convert", "packed_convert",
                   " -D COLUMNS_TILED -D VALUES_DICTIONARY -D TILE_ROWS=64 -D TILE_REACH=65536"},
    DefinedProgram{"bsr2_multiply", "bsr_multiply", " -D BLOCK=2 -D BLOCK_LANES=2"},
    DefinedProgram{"bsr2_convert", "bsr_convert", " -D BLOCK=2"},
    DefinedProgram{"bsr3_multiply", "bsr_multiply", " -D BLOCK=3 -D BLOCK_LANES=4"},
    DefinedProgram{"bsr3_convert", "bsr_convert", " -D BLOCK=3"},
    DefinedProgram{"bsr4_multiply", "bsr_multiply", " -D BLOCK=4 -D BLOCK_LANES=4"},
    DefinedProgram{"bsr4_convert", "bsr_convert", " -D BLOCK=4"},
    DefinedProgram{"csr8_multiply",
                   "packed_codings",
                   " -D COLUMNS_BLOCKED -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr8_merge", "packed_codings", " -D COLUMNS_BLOCKED", {"csr_merge"}},
    DefinedProgram{
        "csr8_convert", "packed_convert", " -D COLUMNS_BLOCKED", {"element_rows", "packed_heads"}},
    DefinedProgram{"csr8_const_multiply",
                   "packed_codings",
                   " -D COLUMNS_BLOCKED -D VALUES_CONSTANT -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr8_const_merge",
                   "packed_codings",
                   " -D COLUMNS_BLOCKED -D VALUES_CONSTANT",
                   {"csr_merge"}},
    DefinedProgram{"csr8_const_convert", "packed_convert",
                   " -D COLUMNS_BLOCKED -D VALUES_CONSTANT"},
    DefinedProgram{"csr8_dict8_multiply",
                   "packed_codings",
                   " -D COLUMNS_BLOCKED -D VALUES_DICTIONARY -D TILE_ROWS=64",
                   {"packed_multiply", "packed_wide"}},
    DefinedProgram{"csr8_dict8_merge",
                   "packed_codings",
                   " -D COLUMNS_BLOCKED -D VALUES_DICTIONARY",
                   {"csr_merge"}},
    DefinedProgram{"csr8_dict8_convert", "packed_convert",
                   " -D COLUMNS_BLOCKED -D VALUES_DICTIONARY"},
};

/// What a program is built from. What it points to lives as long as the process.
struct ProgramSource {
  std::string_view name = {};
  std::string_view definitions = {};
  std::string_view nvidia = {};
  /// In their order, null behind the last; of no such program, all.
  std::array<const KernelSource*, 4> files = {};
};

/// The source of the program `name`: one of `defined_programs`, or the file of that stem.
[[nodiscard]] inline ProgramSource find_program(std::string_view name) noexcept {
  for (const DefinedProgram& program : defined_programs) {
    if (program.name != name) continue;
    return {program.name,
            program.definitions,
            program.nvidia,
            {find_kernel_source(program.stem), find_kernel_source(program.more[0]),
             find_kernel_source(program.more[1]), find_kernel_source(program.more[2])}};
  }
  const KernelSource* const file = find_kernel_source(name);
  return {file ? file->stem : std::string_view{}, {}, {}, {file}};
}

}  // namespace switchyard::opencl
