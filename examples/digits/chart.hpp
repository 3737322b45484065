// Charts as HTML and SVG: lines scale with the page while text keeps its size, so they read well on a phone too.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace digits {

struct Point {
  double x = 0;
  double y = 0;
};

/// One line of a chart; points that are not finite leave a gap.
struct Series {
  std::string name;   ///< in the legend; a series without a name is drawn thin and behind the others
  std::string style;  ///< CSS class that gives the colour
  std::vector<Point> points;
};

struct LineChart {
  std::string title;
  std::string x_name;
  std::vector<Series> series;
  double x_low = 0;
  double x_high = 1;
  std::function<std::string(double)> value;       ///< text of a value of a point
  std::function<std::string(double)> tick_value;  ///< text of a value on the axis
};

/// Round numbers (1, 2 or 5 times a power of ten apart) from the last one <= low to the first one >= high: at most
/// `most` + 2 of them.
std::vector<double> linear_ticks(double low, double high, int most);

/// Powers of ten within [low, high], or 1, 2 and 5 times them where the range is short; needs 0 < low < high.
std::vector<double> logarithmic_ticks(double low, double high);

/// The chart as a <figure>. Its vertical axis is logarithmic when all values are positive and span more than 1 to 20.
std::string line_chart(const LineChart& chart);

/// `points` with at most `most` left: each is the mean of a run of neighbours.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most);

}  // namespace digits
