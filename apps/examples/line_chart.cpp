// Drawing: a frame, a grid of decades, the lines and their names.
#include "line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

constexpr double width = 960;
constexpr double height = 540;
constexpr double left = 80;
constexpr double right = 190;  // room for the names
constexpr double top = 50;
constexpr double bottom = 60;

/// From positions and seconds to the page.
struct Axes {
  explicit Axes(const LineChart& chart) {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const ChartLine& line : chart.lines) {
      positions = std::max(positions, line.seconds.size());
      for (const double value : line.seconds) {
        if (value > 0) low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    lowest_decade = std::floor(std::log10(low));
    highest_decade = std::max(std::ceil(std::log10(high)), lowest_decade + 1);
  }
  [[nodiscard]] double x(std::size_t position) const {
    const auto last = static_cast<double>(std::max<std::size_t>(positions, 2) - 1);
    return left + (width - left - right) * static_cast<double>(position) / last;
  }
  [[nodiscard]] double y(double seconds) const {
    const double share = (std::log10(seconds) - lowest_decade) / (highest_decade - lowest_decade);
    return height - bottom - (height - top - bottom) * share;
  }
  std::size_t positions = 0;
  double lowest_decade;
  double highest_decade;
};

std::string text(double x, double y, std::string_view anchor, std::string_view words) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor,
                     words);
}

std::string decade_name(double decade) {
  const auto power = static_cast<int>(decade);
  const auto [scale, unit] = power >= 0    ? std::pair(0, "s")
                             : power >= -3 ? std::pair(-3, "ms")
                             : power >= -6 ? std::pair(-6, "µs")
                                           : std::pair(-9, "ns");
  return fmt::format("{:g} {}", std::pow(10, power - scale), unit);
}

std::string grid(const LineChart& chart, const Axes& axes) {
  std::string svg;
  for (double decade = axes.lowest_decade; decade <= axes.highest_decade; ++decade) {
    const double y = axes.y(std::pow(10, decade));
    svg += fmt::format("<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' class='grid'/>\n",
                       left, width - right, y, y);
    svg += text(left - 8, y + 4, "end", decade_name(decade));
  }
  for (const ChartTick& tick : chart.ticks) {
    const double x = axes.x(tick.position);
    svg += fmt::format("<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' class='grid'/>\n", x,
                       x, top, height - bottom);
    svg += text(x, height - bottom + 18, "start", tick.label);
  }
  return svg;
}

std::string drawn_line(const ChartLine& line, const Axes& axes) {
  std::string path;
  bool pen_down = false;
  for (std::size_t i = 0; i < line.seconds.size(); ++i) {
    if (!(line.seconds[i] > 0)) {
      pen_down = false;
      continue;
    }
    path +=
        fmt::format("{}{:.1f} {:.1f} ", pen_down ? 'L' : 'M', axes.x(i), axes.y(line.seconds[i]));
    pen_down = true;
  }
  return fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.8'{}/>\n", path,
                     line.color, line.dashed ? " stroke-dasharray='5 3'" : "");
}

std::string legend(const LineChart& chart) {
  std::string svg;
  double y = top + 10;
  for (const ChartLine& line : chart.lines) {
    svg += fmt::format(
        "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='{}' "
        "stroke-width='2.5'{}/>\n",
        width - right + 14, width - right + 38, y, y, line.color,
        line.dashed ? " stroke-dasharray='5 3'" : "");
    svg += text(width - right + 44, y + 4, "start", line.label);
    y += 22;
  }
  return svg;
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  const Axes axes(chart);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='sans-serif' font-size='12'>\n"
      "<style>.grid {{ stroke: #ddd; stroke-width: 1 }}</style>\n"
      "<rect width='{0}' height='{1}' fill='white'/>\n",
      width, height);
  svg += fmt::format("<text x='{}' y='28' font-size='16'>{}</text>\n", left, chart.title);
  svg += grid(chart, axes);
  for (const ChartLine& line : chart.lines) svg += drawn_line(line, axes);
  svg += legend(chart);
  svg += text((left + width - right) / 2, height - 14, "middle", chart.x_title);
  return svg + "</svg>\n";
}
