// Text for people: aligned columns, and quantities with their units.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/containers/structure.hpp>
#include <switchyard/core/text.hpp>
#include <vector>

namespace switchyard::command {

enum class Align { Left, Right };

/// Rows of cells under a header, each column as wide as its widest cell.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::Left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// REQUIRES: as many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// The header and the rows, a line each, two spaces between columns, none at the end of a line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A share in percent, "12.5 %".
[[nodiscard]] std::string format_percent(double share);

/// "7000 x 7000, 9.80M nonzeros (20.0 %)".
[[nodiscard]] std::string format_shape(const Structure& structure);

}  // namespace switchyard::command
