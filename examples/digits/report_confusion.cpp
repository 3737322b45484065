// The report's confusion matrix.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <tuple>

#include "report_sections.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr std::size_t most_mix_ups = 6;

/// The counts with the sums that are read from them.
struct Confusion {
  explicit Confusion(const Run& run) : names(run.class_names), counts(run.confusion) {
    const std::size_t n = names.size();
    if (counts.size() != n * n)
      throw std::invalid_argument("a confusion matrix of " + std::to_string(n) + " classes cannot be made of " +
                                  std::to_string(counts.size()) + " counts");
    for (std::size_t truth = 0; truth < n; ++truth)
      for (std::size_t predicted = 0; predicted < n; ++predicted)
        if (truth != predicted) largest_error = std::max(largest_error, at(truth, predicted));
  }

  std::int64_t at(std::size_t truth, std::size_t predicted) const { return counts[truth * names.size() + predicted]; }

  std::int64_t images_of(std::size_t truth) const {
    std::int64_t sum = 0;
    for (std::size_t predicted = 0; predicted < names.size(); ++predicted) sum += at(truth, predicted);
    return sum;
  }

  double share_found(std::size_t truth) const {
    return static_cast<double>(at(truth, truth)) / static_cast<double>(std::max<std::int64_t>(1, images_of(truth)));
  }

  /// 0..1: an error counts fully when it is the largest one, and at least a tenth of its class. The root keeps small
  /// errors visible beside large ones.
  double weight_of_error(std::size_t truth, std::size_t predicted) const {
    const double full = std::max(static_cast<double>(largest_error), 0.1 * static_cast<double>(images_of(truth)));
    return std::sqrt(static_cast<double>(at(truth, predicted)) / full);
  }

  const std::vector<std::string>& names;
  const std::vector<std::int64_t>& counts;
  std::int64_t largest_error = 0;
};

/// "3" for the digits, "3 Dress" for classes that have names; the name can be hidden where there is no room.
std::string class_label(const Confusion& confusion, std::size_t index) {
  std::string number = std::to_string(index);
  if (confusion.names[index] == number) return number;
  return number + "<span class=\"class-name\"> " + html_escaped(confusion.names[index]) + "</span>";
}

std::string cell(const Confusion& confusion, std::size_t truth, std::size_t predicted) {
  const std::int64_t count = confusion.at(truth, predicted);
  const bool hit = truth == predicted;
  const std::string title = html_escaped(confusion.names[truth]) + " read as " +
                            html_escaped(confusion.names[predicted]) + ": " + grouped(count);
  if (count == 0) return "<td class=\"none\" title=\"" + title + "\">0</td>";
  const double strength = hit ? std::pow(confusion.share_found(truth), 2) : confusion.weight_of_error(truth, predicted);
  return std::string("<td class=\"") + (hit ? "hit" : "miss") + (strength > 0.77 ? " strong" : "") +
         "\" style=\"--strength:" + fixed(0.12 + 0.88 * strength, 2) + "\" title=\"" + title + "\">" +
         std::to_string(count) + "</td>";
}

std::string matrix(const Confusion& confusion) {
  const std::size_t n = confusion.names.size();
  std::string html =
      "<div class=\"wide\"><table class=\"matrix\"><thead><tr><th class=\"corner\">truth</th><th colspan=\"" +
      std::to_string(n) + "\" class=\"across\">read as</th><th class=\"share\"></th></tr><tr><td></td>";
  for (std::size_t predicted = 0; predicted < n; ++predicted)
    html += "<th scope=\"col\" title=\"" + html_escaped(confusion.names[predicted]) + "\">" +
            std::to_string(predicted) + "</th>";
  html += "<th class=\"share\" scope=\"col\">found</th></tr></thead><tbody>";
  for (std::size_t truth = 0; truth < n; ++truth) {
    html += "<tr><th scope=\"row\">" + class_label(confusion, truth) + "</th>";
    for (std::size_t predicted = 0; predicted < n; ++predicted) html += cell(confusion, truth, predicted);
    html += "<td class=\"share\">" + percent(confusion.share_found(truth), 1) + "</td></tr>";
  }
  return html + "</tbody></table></div>";
}

/// The names of the classes by number, shown where the rows have no room for them.
std::string name_list(const Confusion& confusion) {
  std::string html;
  for (std::size_t i = 0; i < confusion.names.size(); ++i)
    if (confusion.names[i] != std::to_string(i))
      html += "<span><b>" + std::to_string(i) + "</b> " + html_escaped(confusion.names[i]) + "</span> ";
  return html.empty() ? "" : "<p class=\"class-names\">" + html + "</p>";
}

std::string mix_ups(const Confusion& confusion) {
  struct Pair {
    std::size_t truth;
    std::size_t predicted;
  };
  std::vector<Pair> pairs;
  for (std::size_t truth = 0; truth < confusion.names.size(); ++truth)
    for (std::size_t predicted = 0; predicted < confusion.names.size(); ++predicted)
      if (truth != predicted && confusion.at(truth, predicted) > 0) pairs.push_back({truth, predicted});
  if (pairs.empty()) return "<p class=\"all-right\">No class is taken for another.</p>";
  // The place in the matrix decides between equal counts, so that the same run gives the same page.
  std::ranges::sort(pairs, {}, [&](const Pair& pair) {
    return std::tuple(-confusion.at(pair.truth, pair.predicted), pair.truth, pair.predicted);
  });
  pairs.resize(std::min(pairs.size(), most_mix_ups));
  std::string html = "<h3>Most frequent mix-ups</h3><ol class=\"mix-ups\">";
  for (const auto& [truth, predicted] : pairs) {
    const std::int64_t count = confusion.at(truth, predicted);
    const double share = static_cast<double>(count) / static_cast<double>(confusion.images_of(truth));
    html += "<li><span><b>" + html_escaped(confusion.names[truth]) + "</b> read as <b class=\"wrong\">" +
            html_escaped(confusion.names[predicted]) + "</b></span><span class=\"figure\">" + grouped(count) +
            " <small>" + percent(share, 1) + "</small></span></li>";
  }
  return html + "</ol>";
}

}  // namespace

std::string confusion_section(const Run& run) {
  const Confusion confusion(run);
  return "<section id=\"confusion\"><h2>What is taken for what</h2><div class=\"split\"><div class=\"card\">" +
         matrix(confusion) + name_list(confusion) + "</div><div class=\"card\">" + mix_ups(confusion) +
         "</div></div></section>\n";
}

}  // namespace digits
