// Charts as HTML and SVG: an SVG in percent for marks, one inside it that stretches for lines, and HTML for text.
#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "text.hpp"

namespace digits {

namespace {

constexpr std::size_t most_marks = 20;
constexpr double widest_linear_ratio = 20;

/// The vertical axis: its ends, and the values that are written beside it.
struct Axis {
  bool logarithmic = false;
  double low = 0;
  double high = 1;
  std::vector<double> ticks;

  /// 0 at the bottom, 1 at the top, NaN for what has no place.
  double position(double value) const {
    const auto scaled = [this](double v) { return logarithmic ? std::log(v) : v; };
    const double result = (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
    return std::isfinite(result) ? result : std::numeric_limits<double>::quiet_NaN();
  }
};

/// The axis that all values fit on; without ticks if none of them is finite.
Axis vertical_axis(const std::vector<Series>& series) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Series& line : series) {
    for (const Point& point : line.points) {
      if (!std::isfinite(point.y)) continue;
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  if (low > high) return {};
  if (low > 0 && high / low > widest_linear_ratio) {
    constexpr double margin = 1.15;
    return {true, low / margin, high * margin, logarithmic_ticks(low / margin, high * margin)};
  }
  const std::vector<double> ticks = linear_ticks(low, high, 5);
  return {false, ticks.front(), ticks.back(), ticks};
}

double horizontal_position(const LineChart& chart, double x) {
  return (x - chart.x_low) / (chart.x_high - chart.x_low);
}

std::string in_percent(double position) { return fixed(position * 100, 2) + "%"; }

/// A path in a square of 1000 x 1000 with the origin at the top left.
std::string path(const LineChart& chart, const Axis& axis, const Series& series) {
  std::string steps;
  bool pen_is_down = false;
  for (const Point& point : series.points) {
    const double y = axis.position(point.y);
    if (std::isfinite(y)) {
      steps += pen_is_down ? "L" : "M";
      steps += fixed(horizontal_position(chart, point.x) * 1000, 1) + " " + fixed((1 - y) * 1000, 1);
    }
    pen_is_down = std::isfinite(y);
  }
  const std::string extra = series.name.empty() ? " faint" : "";
  return "<path class=\"line " + series.style + extra + "\" d=\"" + steps + "\"/>";
}

/// Points that tell their value when they are pointed at. Where they would hide the line, all but the last stay
/// invisible until then.
std::string marks(const LineChart& chart, const Axis& axis, const Series& series) {
  if (series.name.empty()) return "";
  std::string html;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    const double y = axis.position(point.y);
    if (!std::isfinite(y)) continue;
    const bool hidden = series.points.size() > most_marks && i + 1 < series.points.size();
    html += "<circle class=\"mark " + series.style + (hidden ? " hidden" : "") + "\" cx=\"" +
            in_percent(horizontal_position(chart, point.x)) + "\" cy=\"" + in_percent(1 - y) + "\" r=\"4\"><title>" +
            html_escaped(series.name) + ", " + html_escaped(chart.x_name) + " " + shortest(point.x) + ": " +
            chart.value(point.y) + "</title></circle>";
  }
  return html;
}

std::string legend(const LineChart& chart) {
  std::string html = "<ul class=\"legend\">";
  for (const Series& line : chart.series) {
    if (line.name.empty() || line.points.empty()) continue;
    html += "<li class=\"" + line.style + "\">" + html_escaped(line.name) + " <b>" + chart.value(line.points.back().y) +
            "</b></li>";
  }
  return html + "</ul>";
}

std::string spoken(const LineChart& chart) {
  std::string text = chart.title;
  for (const Series& line : chart.series)
    if (!line.name.empty() && !line.points.empty())
      text +=
          "; " + line.name + " from " + chart.value(line.points.front().y) + " to " + chart.value(line.points.back().y);
  return html_escaped(text);
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int most) {
  // A flat line lies at the top of an axis of some height: accuracy cannot be above 100 %.
  if (!(high > low)) low = high - std::max(std::abs(high) * 0.1, 0.1);
  const double rough = (high - low) / std::max(1, most);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * 10;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  std::vector<double> ticks;
  for (int i = 0; first + i <= last; ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high) {
  constexpr double short_range = 2.3;  // decades; a longer one has two powers of ten in it
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::floor(std::log10(high)));
  const bool is_short = std::log10(high / low) < short_range;
  const int decades_a_tick = std::max(1, (last - first + 5) / 6);
  std::vector<double> ticks;
  for (int decade = first; decade <= last; decade += decades_a_tick) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, decade);
      if ((factor == 1.0 || is_short) && tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most) {
  if (most == 0 || points.size() <= most) return points;
  std::vector<Point> result;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t first = points.size() * i / most;
    const std::size_t last = points.size() * (i + 1) / most;
    Point sum;
    for (std::size_t k = first; k < last; ++k) {
      sum.x += points[k].x;
      sum.y += points[k].y;
    }
    const auto count = static_cast<double>(last - first);
    result.push_back({sum.x / count, sum.y / count});
  }
  return result;
}

std::string line_chart(const LineChart& chart) {
  const Axis axis = vertical_axis(chart.series);
  std::string grid;
  std::string y_labels;
  for (const double tick : axis.ticks) {
    const std::string top = in_percent(1 - axis.position(tick));
    grid += "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"" + top + "\" y2=\"" + top + "\"/>";
    y_labels += "<span style=\"top:" + top + "\">" + chart.tick_value(tick) + "</span>";
  }
  std::string x_labels;
  for (const double tick : linear_ticks(chart.x_low, chart.x_high, 8)) {
    if (tick > chart.x_high || tick != std::floor(tick)) continue;
    x_labels +=
        "<span style=\"left:" + in_percent(horizontal_position(chart, tick)) + "\">" + shortest(tick) + "</span>";
  }
  std::string lines;
  std::string circles;
  for (const Series& series : chart.series) {
    lines += path(chart, axis, series);
    circles += marks(chart, axis, series);
  }
  return "<figure class=\"card chart\"><figcaption><h3>" + html_escaped(chart.title) +
         (axis.logarithmic ? " <small>logarithmic</small>" : "") + "</h3>" + legend(chart) +
         "</figcaption><div class=\"plot\"><div class=\"y-ticks\">" + y_labels +
         "</div><svg class=\"area\" role=\"img\" aria-label=\"" + spoken(chart) + "\">" + grid +
         "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" width=\"100%\" height=\"100%\">" + lines +
         "</svg>" + circles + "</svg>" + (axis.ticks.empty() ? "<p class=\"empty\">no finite values</p>" : "") +
         "<div class=\"x-ticks\">" + x_labels + "</div></div><p class=\"x-name\">" + html_escaped(chart.x_name) +
         "</p></figure>\n";
}

}  // namespace digits
