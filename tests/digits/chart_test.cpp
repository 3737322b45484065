// Tests of the charts: ticks, gaps, and what is drawn where.
#include "chart.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "messages.hpp"
#include "text.hpp"

using namespace digits;

namespace {

std::string chart_of(std::vector<Point> points) {
  const auto text = [](double value) { return fixed(value, 2); };
  return line_chart({"Loss", "epoch", {{"test", "test", std::move(points)}}, 0, 4, text, text});
}

}  // namespace

TEST_CASE("ticks are round numbers around the values") {
  const auto rounded = [](const std::vector<double>& ticks) {
    std::string text;
    for (const double tick : ticks) text += fixed(tick, 3) + " ";
    return text;
  };
  CHECK(rounded(linear_ticks(0, 1, 5)) == "0.000 0.200 0.400 0.600 0.800 1.000 ");
  CHECK(rounded(linear_ticks(0.31, 0.69, 5)) == "0.300 0.400 0.500 0.600 0.700 ");
  CHECK(rounded(linear_ticks(0, 40, 8)) == "0.000 5.000 10.000 15.000 20.000 25.000 30.000 35.000 40.000 ");
  CHECK(rounded(linear_ticks(1, 1, 5)) == "0.900 0.920 0.940 0.960 0.980 1.000 ");
  CHECK(rounded(linear_ticks(0, 0, 5)) == "-0.100 -0.080 -0.060 -0.040 -0.020 0.000 ");
  CHECK(rounded(logarithmic_ticks(0.03, 2.5)) == "0.050 0.100 0.200 0.500 1.000 2.000 ");
  CHECK(rounded(logarithmic_ticks(0.003, 2.5)) == "0.010 0.100 1.000 ");
}

TEST_CASE("ticks stay few over any range") {
  for (double range = 1e-12; range < 1e12; range *= 1.7) {
    const std::vector<double> ticks = linear_ticks(0.123, 0.123 + range, 5);
    INFO("range ", range);
    CHECK(ticks.size() >= 2);
    CHECK(ticks.size() <= 7);
    CHECK(ticks.front() <= 0.123 + 1e-9);
    CHECK(ticks.back() >= (0.123 + range) * (1 - 1e-9));
    CHECK(logarithmic_ticks(1e-6, 1e-6 * (20 + range)).size() >= 1);
    CHECK(logarithmic_ticks(1e-6, 1e-6 * (20 + range)).size() <= 8);
  }
}

TEST_CASE("a line goes through its points, from the left to the right and from the bottom to the top") {
  const std::string html = chart_of({{0, 0}, {2, 0.5}, {4, 1}});
  check_contains(html, "d=\"M0.0 1000.0L500.0 500.0L1000.0 0.0\"");
  check_contains(html, "cx=\"50.00%\" cy=\"50.00%\"");
  check_contains(html, "<title>test, epoch 2: 0.50</title>");
  check_contains(html, "test <b>1.00</b>");
  CHECK(html.find("logarithmic") == html.npos);
}

TEST_CASE("a value that is not finite leaves a gap") {
  check_contains(chart_of({{0, 0}, {1, 0.5}, {2, std::nan("")}, {3, 0.5}, {4, 1}}),
                 "d=\"M0.0 1000.0L250.0 500.0M750.0 500.0L1000.0 0.0\"");
}

TEST_CASE("a chart without finite values says so") {
  const std::string html = chart_of({{1, std::nan("")}, {2, INFINITY}});
  check_contains(html, "no finite values");
  CHECK(html.find("<circle") == html.npos);
  check_contains(chart_of({}), "no finite values");
}

TEST_CASE("values over more than 1 to 20 get a logarithmic axis") {
  const std::string html = chart_of({{0, 1}, {2, 0.1}, {4, 0.01}});
  check_contains(html, "logarithmic");
  check_contains(html, "L500.0 500.0");  // 0.1 is halfway between 0.01 and 1
}

TEST_CASE("many points keep only the last mark visible") {
  std::vector<Point> points;
  for (int i = 0; i < 30; ++i) points.push_back({i / 10.0, i / 30.0});
  const std::string html = chart_of(points);
  std::size_t hidden = 0;
  for (std::size_t at = html.find("mark test hidden"); at != html.npos; at = html.find("mark test hidden", at + 1))
    ++hidden;
  CHECK(hidden == 29);
}

TEST_CASE("thinning keeps means and leaves short lines alone") {
  std::vector<Point> points;
  for (int i = 0; i < 1000; ++i) points.push_back({static_cast<double>(i), 2.0 * i});
  const std::vector<Point> few = thinned(points, 10);
  REQUIRE(few.size() == 10);
  CHECK(few[0].x == 49.5);
  CHECK(few[9].y == 2 * 949.5);
  CHECK(thinned(points, 1000).size() == 1000);
  CHECK(thinned(points, 333).size() == 333);
}

TEST_CASE("names cannot break the page") {
  const auto text = [](double value) { return fixed(value, 2); };
  const std::string html = line_chart({"<b>", "\"x\"", {{"<i>", "test", {{1, 1}}}}, 0, 1, text, text});
  CHECK(html.find("<b>\"") == html.npos);
  CHECK(html.find("<i>") == html.npos);
  check_contains(html, "&lt;i&gt;");
}
