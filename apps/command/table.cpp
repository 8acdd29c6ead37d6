// Laying out tables and writing quantities.
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace switchyard::command {

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

std::string format_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string format_shape(const Structure& structure) {
  return fmt::format("{} x {}, {}{} {} ({})", structure.rows, structure.cols,
                     structure.exact ? "" : "about ", format_count(structure.nnz),
                     structure.nnz == 1 ? "nonzero" : "nonzeros",
                     format_percent(structure.density()));
}

}  // namespace switchyard::command
