// Tests of the report as text; report_browser_test.py looks at it in a browser.
#include "report.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "messages.hpp"
#include "sample_run.hpp"
#include "temporary_folder.hpp"

using namespace digits;

namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// Tags that are opened and not closed, or closed in the wrong order; empty when all is well.
std::string tag_trouble(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == html.npos) return "a tag does not end";
    const bool closing = html[at + 1] == '/';
    const std::size_t start = at + (closing ? 2 : 1);
    const std::string name = html.substr(start, html.find_first_of(" >/\n", start) - start);
    if (closing && (open.empty() || open.back() != name))
      return "</" + name + "> where " + (open.empty() ? "nothing" : open.back()) + " is open";
    if (closing) open.pop_back();
    const bool is_void =
        name == "!DOCTYPE" || name == "meta" || name == "link" || name == "img" || html[end - 1] == '/';
    if (!closing && !is_void) open.push_back(name);
  }
  return open.empty() ? "" : "<" + open.back() + "> is left open";
}

}  // namespace

TEST_CASE("the report has all its sections and the figures of the run") {
  const std::string html = render_report(sample_run());
  for (const std::string_view id :
       {"figures", "curves", "confusion", "mistakes", "costs", "operations", "memory", "setup"})
    CHECK(count(html, "id=\"" + std::string(id) + "\"") == 1);
  for (const std::string_view part : {"<span>90.0 %</span> of 10 unseen images", "4–5–3 perceptron with 43 parameters",
                                      "600 ms", "4,000", "3.0 MiB", "best 90.00 % in epoch 2", "0000000000abcdef",
                                      "digits --seed 7", "matrix product", "CpuPlace{}", "75.0 %", "1,200 calls"})
    check_contains(html, part);
}

TEST_CASE("the report shows the chunks of memory at their peak, where they were drawn") {
  Run run = sample_run();
  CHECK(count(render_report(run), "id=\"memory-map\"") == 0);
  run.memory_map = "<svg class=\"tessera-memory\"><rect/></svg>";
  run.memory_map_bytes = 3 << 19;
  const std::string html = render_report(run);
  CHECK(tag_trouble(html) == "");
  CHECK(count(html, "id=\"memory-map\"") == 1);
  check_contains(html, run.memory_map);
  check_contains(html, "1.5 MiB were in use, 50 % of the highest figure");
}

TEST_CASE("the report is well formed and asks for nothing outside itself") {
  const std::string html = render_report(sample_run());
  CHECK(tag_trouble(html) == "");
  for (const std::string_view foreign : {"http:", "https:", "<script", "src=\"/", "url(", "@import"}) {
    INFO(std::string(foreign));
    CHECK(count(html, foreign) == 0);
  }
  check_contains(html, "default-src 'none'");
}

TEST_CASE("the matrix shows counts, and the share of each class that was found") {
  const std::string html = render_report(sample_run());
  check_contains(html, "title=\"1 read as 2: 1\">1</td>");
  check_contains(html, "title=\"0 read as 0: 4\">4</td>");
  CHECK(count(html, "<td class=\"none\"") == 5);
  CHECK(count(html, "<td class=\"hit") == 3);
  CHECK(count(html, "<td class=\"miss") == 1);
  check_contains(html, "<td class=\"share\">75.0 %</td>");
  check_contains(html,
                 "<b>1</b> read as <b class=\"wrong\">2</b></span><span class=\"figure\">1 <small>25.0 %</small>");
}

TEST_CASE("misread images are drawn, the surest first and not too many of them") {
  Run run = sample_run();
  run.mistakes.clear();
  for (int i = 0; i < 100; ++i) run.mistakes.push_back({i, {0, 1, 0, 1}, 0, 1 + i % 2, (i + 0.25) / 100, 0.1});
  run.mistakes[3].probability = std::nan("");
  const std::string html = render_report(run);
  CHECK(count(html, "<li class=\"mistake\">") == 48);
  CHECK(count(html, "src=\"data:image/png;base64,") == 48);
  check_contains(html, "48 of 100 misread test images");
  CHECK(html.find("title=\"test image 99:") < html.find("title=\"test image 98:"));
  CHECK(count(html, "title=\"test image 3:") == 0);
}

TEST_CASE("names from outside cannot break the page") {
  Run run = sample_run();
  run.class_names = {"<i>zero", "one\"", "two&"};
  run.command = "digits --report '<b>.html'";
  const std::string html = render_report(run);
  CHECK(tag_trouble(html) == "");
  CHECK(count(html, "<i>zero") == 0);
  check_contains(html, "A &lt;fast&gt; processor");
  check_contains(html, "digits --report &#39;&lt;b&gt;.html&#39;");
}

TEST_CASE("a run that went wrong, or that measured nothing, still gives a page") {
  Run run = sample_run();
  run.epochs = {{std::nan(""), 0.1, INFINITY, 0.1, 0}};
  run.step_losses.clear();
  run.operations.clear();
  run.memory.clear();
  CHECK(tag_trouble(render_report(run)) == "");
  run.epochs.clear();
  run.mistakes.clear();
  run.confusion.assign(9, 0);
  const std::string html = render_report(run);
  CHECK(tag_trouble(html) == "");
  check_contains(html, "every test image was read correctly");
}

TEST_CASE("a run that was resumed says what was done here, and counts its epochs on") {
  Run run = sample_run();
  check_contains(render_report(run), "trained on 1,200 images for 2 epochs in 600 ms on 2 threads.");
  run.epochs_before = 3;
  const std::string html = render_report(run);
  CHECK(tag_trouble(html) == "");
  check_contains(html, "trained on 1,200 images for 5 epochs, 2 of them here in 600 ms on 2 threads.");
  check_contains(html, "best 90.00 % in epoch 5");
  run.epochs.clear();
  run.step_losses.clear();
  check_contains(render_report(run), "trained on 1,200 images for 3 epochs, none of them here.");
}

TEST_CASE("a run that only looked at the test images says so") {
  Run run = sample_run();
  run.epochs.clear();
  run.step_losses.clear();
  run.start = {.train_loss = std::nan(""), .train_accuracy = std::nan(""), .test_loss = 0.5, .test_accuracy = 0.8};
  const std::string html = render_report(run);
  CHECK(tag_trouble(html) == "");
  CHECK(count(html, "nan") == 0);
  CHECK(count(html, "id=\"curves\"") == 0);
  check_contains(html, "<span>80.0 %</span> of 10 unseen images");
  check_contains(html, "43 parameters, not trained here.");
}

TEST_CASE("facts that do not fit together are refused with the numbers") {
  Run run = sample_run();
  run.confusion.pop_back();
  CHECK_THROWS_WITH_AS(render_report(run), "a confusion matrix of 3 classes cannot be made of 8 counts",
                       std::invalid_argument);
  run = sample_run();
  run.mistakes[0].pixels.pop_back();
  CHECK_THROWS_AS(render_report(run), std::invalid_argument);
}

TEST_CASE("a report that cannot be written leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string message = message_of<OutputError>([&] { write_report(folder / "none/report.html", sample_run()); });
  check_contains(message, "none/report.html' cannot be written: No such file or directory");
  CHECK(folder.entries() == 0);
  write_report(folder / "report.html", sample_run());
  CHECK(content_of(folder / "report.html") == render_report(sample_run()));
}
