// A line chart as an SVG file, with logarithmic seconds upwards.
#pragma once

#include <string>
#include <vector>

/// One line: a value for each position, in seconds; not positive where there is none.
struct ChartLine {
  std::string label;
  std::string color;
  bool dashed = false;
  std::vector<double> seconds;
};

/// A position where the horizontal axis is labelled.
struct ChartTick {
  std::size_t position;
  std::string label;
};

struct LineChart {
  std::string title;
  std::string x_title;
  std::vector<ChartTick> ticks;
  std::vector<ChartLine> lines;
};

/// The chart as an SVG document. REQUIRES at least one positive value.
[[nodiscard]] std::string to_svg(const LineChart& chart);
