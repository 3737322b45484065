// The report's sheet of misread images.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "image.hpp"
#include "report_sections.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr std::size_t most_shown = 48;

std::string class_name(const Run& run, int index) {
  return html_escaped(run.class_names.at(static_cast<std::size_t>(index)));
}

std::vector<const Mistake*> surest_first(const std::vector<Mistake>& mistakes) {
  std::vector<const Mistake*> order;
  order.reserve(mistakes.size());
  for (const Mistake& mistake : mistakes) order.push_back(&mistake);
  std::ranges::sort(order, {}, [](const Mistake* mistake) {
    // A network that diverged gives NaN, which has no place in an order: it comes last.
    const double probability = std::isnan(mistake->probability) ? -1 : mistake->probability;
    return std::pair(-probability, mistake->index);
  });
  return order;
}

std::string tile(const Run& run, const Mistake& mistake) {
  const std::string truth = class_name(run, mistake.truth);
  const std::string predicted = class_name(run, mistake.predicted);
  return "<li class=\"mistake\"><img src=\"" + ink_image(mistake.pixels, run.rows, run.columns) + "\" alt=\"" + truth +
         " read as " + predicted + "\" title=\"test image " + grouped(mistake.index) + ": " + truth + " has " +
         percent(mistake.truth_probability, 1) + "\"><p><b>" + truth + "</b> → <b class=\"wrong\">" + predicted +
         "</b></p><p class=\"sure\">" + percent(mistake.probability, 0) + " sure</p></li>";
}

}  // namespace

std::string mistakes_section(const Run& run) {
  std::string html = "<section id=\"mistakes\"><h2>What was misread</h2>";
  if (run.mistakes.empty())
    return html + "<p class=\"card all-right\">Nothing: every test image was read correctly.</p></section>\n";

  const std::vector<const Mistake*> order = surest_first(run.mistakes);
  const std::size_t shown = std::min(order.size(), most_shown);

  const std::string total = grouped(static_cast<std::int64_t>(order.size()));
  html += "<p class=\"lead\">" +
          (shown < order.size() ? std::to_string(shown) + " of " + total + " misread test images"
                                : total + (shown == 1 ? " misread test image" : " misread test images")) +
          ": what it is → what the network read. The ones that it was surest of come first.</p><ul class=\"sheet\">";
  for (const Mistake* mistake : std::span(order).first(shown)) html += tile(run, *mistake);
  return html + "</ul></section>\n";
}

}  // namespace digits
