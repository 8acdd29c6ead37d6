// Laying out tables and writing quantities.
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <switchyard/core/plan.hpp>

namespace switchyard::command {

std::size_t display_width(std::string_view text) noexcept {
  // Every byte of a UTF-8 character but its first has the form 10xxxxxx.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  std::string text;
  const auto add_cell = [&](std::size_t i, const std::string& cell) {
    const std::string padding(widths[i] - display_width(cell), ' ');
    if (i > 0) text += "  ";
    text += columns_[i].align == Align::Left ? cell + padding : padding + cell;
  };
  const auto end_line = [&] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) add_cell(i, columns_[i].title);
  end_line();
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) add_cell(i, row[i]);
    end_line();
  }
  return text;
}

std::string format_bytes(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  const int digits = unit == 0 || bytes >= 99.95 ? 0 : 1;
  return fmt::format("{:.{}f} {}", bytes, digits, units[unit]);
}

std::string format_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string format_shape(const Structure& structure) {
  return fmt::format("{} x {}, {}{} nonzeros ({})", structure.rows, structure.cols,
                     structure.exact ? "" : "about ", format_count(structure.nnz),
                     format_percent(structure.density()));
}

}  // namespace switchyard::command
