module;
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.device;

// The timeline from top to bottom: heading and legend, axis, lanes.
namespace tessera {

namespace {

constexpr double margin = 16;
constexpr double plot_left = 136;
constexpr double heading_bottom = 53;
constexpr double plot_top = 84;
constexpr double lane_gap = 10;
constexpr double only_row = 34;
constexpr double one_of_rows = 24;
constexpr std::size_t most_rows = 12;
constexpr double font_size = 12;

/// Ops that succeeded are told apart by name: names take these in turn.
constexpr std::size_t tints = 4;

constexpr std::string_view style = R"(
.$ .lane { fill: #f6f5f2 } .$ .grid { stroke: #1d1f24; stroke-opacity: .09 } .$ .on { fill: #ffffff } .$ .op:hover { opacity: .8 }
.$ .tint1 { fill: #0e7490 } .$ .tint2 { fill: #6a4bc0 } .$ .tint3 { fill: #4d647f })";
constexpr std::string_view dark = R"(
.$ .lane { fill: #111317 } .$ .grid { stroke: #e9eaee; stroke-opacity: .12 } .$ .on { fill: #0d1016 }
.$ .tint1 { fill: #4fb3cf } .$ .tint2 { fill: #a791f5 } .$ .tint3 { fill: #97abc4 })";

constexpr std::array outcomes{Outcome::succeeded, Outcome::failed, Outcome::skipped, Outcome::cancelled};

std::string percent(std::int64_t part, std::int64_t whole) {
  return decimal(100 * static_cast<double>(part) / static_cast<double>(whole), 0) + " %";
}

std::string counted(std::size_t count, std::string_view noun) {
  return grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// 1, 2 or 5 times a power of ten nanoseconds, at least `least`.
std::int64_t tick_step(double least) {
  std::int64_t power = 1;
  while (static_cast<double>(power) * 10 < least) power *= 10;
  for (const std::int64_t factor : {1, 2, 5})
    if (static_cast<double>(factor * power) >= least) return factor * power;
  return power * 10;
}

/// All ticks of an axis have the unit of its end.
std::string tick_label(std::int64_t time, std::int64_t span) {
  struct Unit {
    double size;
    std::string_view name;
  };
  Unit unit{1, " ns"};
  for (const Unit larger : {Unit{1e3, " µs"}, Unit{1e6, " ms"}, Unit{1e9, " s"}})
    if (static_cast<double>(span) >= larger.size) unit = larger;
  return decimal(static_cast<double>(time) / unit.size, 3) + std::string(unit.name);
}

/// Draws one timeline.
class Timeline {
 public:
  Timeline(std::span<const OpRecord> records, const TimelineOptions& options)
      : records_(records),
        options_(options),
        gpu_work_(as_ops(options.streams)),
        width_(std::max(480, options.width)),
        lanes_(lanes_of(records, options.workers)) {
    for (Lane& lane : lanes_of_streams(gpu_work_, options.streams)) lanes_.push_back(std::move(lane));
    find_span();
    scale_ = {begin_, plot_width() / static_cast<double>(span_)};
    for (const OpRecord& op : records) ++by_outcome_[static_cast<std::size_t>(op.outcome)];
    for (const std::size_t i : submission_order(records)) tint_.try_emplace(records[i].name, tint_.size() % tints);
    for (const OpRecord& work : gpu_work_) tint_.try_emplace(work.name, tint_.size() % tints);
  }

  std::string draw() const {
    std::string svg =
        opened_picture("tessera-timeline", options_.title + ": " + summary(), width_, height(), style, dark);
    svg += heading();
    double top = plot_top;
    std::string lanes;
    for (const Lane& lane : lanes_) {
      svg += box(plot_left, top, plot_width(), lane_height(lane), 3, "lane") + "\n";
      lanes += drawn(lane, top);
      top += lane_height(lane) + lane_gap;
    }
    return svg + axis() + lanes + "</svg>\n";
  }

 private:
  bool is_empty() const { return records_.empty() && gpu_work_.empty(); }

  void find_span() {
    if (is_empty()) return;
    begin_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (const std::span<const OpRecord> part : {records_, std::span<const OpRecord>(gpu_work_)}) {
      for (const OpRecord& op : part) {
        begin_ = std::min(begin_, op.start);
        end = std::max(end, op.end);
      }
    }
    span_ = std::max<std::int64_t>(1, end - begin_);
  }

  double plot_width() const { return width_ - plot_left - margin; }

  static std::size_t rows(const Lane& lane) { return std::min(lane.rows, most_rows); }
  static double row_height(const Lane& lane) { return rows(lane) == 1 ? only_row : one_of_rows; }
  static double lane_height(const Lane& lane) { return row_height(lane) * static_cast<double>(rows(lane)); }

  double height() const {
    double height = plot_top;
    for (const Lane& lane : lanes_) height += lane_height(lane) + lane_gap;
    return (lanes_.empty() ? heading_bottom : height - lane_gap) + margin;
  }

  std::string summary() const {
    if (is_empty()) return "no ops";
    const std::string on_gpus = gpu_work_.empty() ? "" : counted(gpu_work_.size(), "piece") + " of GPU work";
    if (records_.empty()) return on_gpus + " in " + duration(span_);
    std::string text =
        counted(records_.size(), "op") + (on_gpus.empty() ? "" : ", ") + on_gpus + " in " + duration(span_);
    std::int64_t busy = 0;
    std::int64_t workers = 0;
    for (const Lane& lane : lanes_) {
      if (lane.worker < 0) continue;
      busy += lane.busy;
      ++workers;
    }
    if (workers == 0) return text;
    return text + ", " + counted(static_cast<std::size_t>(workers), "worker") + " " + percent(busy, workers * span_) +
           " busy";
  }

  std::string heading() const {
    double right = width_ - margin;
    const std::string legend = drawn_legend(right);
    const std::string title = shortened(options_.title, (right - 2 * margin) / (15 * 1.05));
    return text_at(margin, 30, "title", title) + text_at(margin, 49, "soft", summary()) + "\n" + legend;
  }

  /// The outcomes that occur, from the right to the left; `right` ends where the legend begins.
  std::string drawn_legend(double& right) const {
    std::string svg;
    for (std::size_t i = outcomes.size(); i-- > 0;) {
      if (by_outcome_[i] == 0) continue;
      const std::string text = grouped(by_outcome_[i]) + " " + std::string(to_string(outcomes[i]));
      right -= text_width(text) * font_size;
      svg += text_at(right, 29, "", text);
      right -= 22;
      svg += swatch(outcomes[i], right, 18.5) + "\n";
      right -= 16;
    }
    return svg;
  }

  /// The tints that are in use stand side by side.
  std::string swatch(Outcome outcome, double x, double y) const {
    constexpr double size = 12;
    constexpr double width = 16;
    const std::size_t parts = outcome == Outcome::succeeded ? std::min(tints, tint_.size()) : 1;
    std::string svg;
    for (std::size_t i = 0; i < parts; ++i) {
      const double part = width / static_cast<double>(parts);
      svg += box(x + part * static_cast<double>(i), y, part, size, 0, classes(outcome, i));
    }
    return svg;
  }

  static std::string classes(Outcome outcome, std::size_t tint) {
    const std::string name(to_string(outcome));
    return outcome == Outcome::succeeded && tint > 0 ? name + " tint" + std::to_string(tint) : name;
  }

  std::string axis() const {
    if (is_empty()) return "";
    const std::int64_t step = tick_step(static_cast<double>(span_) * 72 / plot_width());
    std::string svg;
    for (std::int64_t time = 0; time <= span_; time += step) {
      const double x = plot_left + scale_(begin_ + time);
      const double half = text_width(tick_label(time, span_)) * 11 / 2;
      svg += "<line class=\"grid\" x1=\"" + decimal(x, 1) + "\" x2=\"" + decimal(x, 1) + "\" y1=\"" +
             decimal(plot_top - 6, 1) + "\" y2=\"" + decimal(height() - margin, 1) + "\"/>";
      svg += text_at(std::min(x, width_ - margin / 2 - half), plot_top - 11, "soft middle", tick_label(time, span_)) +
             "\n";
    }
    return svg;
  }

  std::string drawn(const Lane& lane, double top) const {
    const double middle = top + lane_height(lane) / 2;
    std::string svg = text_at(margin, middle - 3, "strong", lane.name) +
                      text_at(margin, middle + 13, "soft", percent(lane.busy, span_) + " busy") + "\n";
    for (const Bar& bar : bars_of(lane, scale_, most_rows)) {
      const double y = top + row_height(lane) * static_cast<double>(bar.row);
      svg += (bar.ops() == 1 ? drawn_op(bar, y, row_height(lane)) : drawn_crowd(bar, y, row_height(lane))) + "\n";
    }
    return svg;
  }

  /// Never thinner than what can be seen, and inside the plot.
  double left_of(const Bar& bar, double width) const {
    return plot_left + std::clamp(scale_(bar.start), 0.0, std::max(0.0, plot_width() - width));
  }
  double width_of(const Bar& bar) const {
    return std::max(scale_(bar.end) - scale_(bar.start), bar.outcome() == Outcome::succeeded ? 0.75 : 3.0);
  }

  std::string description(const OpRecord& op) const {
    if (op.worker == gpu_worker) {
      return title_of(op) + "\nat " + duration(op.start - begin_) + " for " + duration(op.end - op.start);
    }
    return title_of(op) + "\n" + std::string(to_string(op.outcome)) + " on " + worker_of(op) + "\nat " +
           duration(op.start - begin_) + " for " + duration(op.end - op.start) + ", queued for " +
           duration(op.start - op.queued) + accesses_of(op);
  }

  std::string drawn_op(const Bar& bar, double y, double height) const {
    const OpRecord& op = *bar.first;
    const double width = width_of(bar);
    const double left = left_of(bar, width);
    const double gap = width > 4 ? 0.5 : 0;  // neighbours stay apart
    const std::string kind = "op " + classes(op.outcome, tint_.at(op.name));
    std::string svg = box(left + gap, y + 1, width - 2 * gap, height - 2, width > 6 ? 2 : 0, kind,
                          "<title>" + xml_escaped(description(op)) + "</title>");
    const std::string name = shortened(op.name, (width - 8) / font_size);
    const bool is_hollow = op.outcome == Outcome::skipped || op.outcome == Outcome::cancelled;
    if (!name.empty()) svg += text_at(left + width / 2, y + height / 2 + 4, is_hollow ? "middle" : "middle on", name);
    return svg;
  }

  std::string drawn_crowd(const Bar& bar, double y, double height) const {
    const double width = width_of(bar);
    const double share = std::min(
        1.0, static_cast<double>(bar.busy) / static_cast<double>(std::max<std::int64_t>(1, bar.end - bar.start)));
    std::string text = counted(bar.ops(), "op") + ", the first is " + title_of(*bar.first) + "\nat " +
                       duration(bar.start - begin_) + " for " + duration(bar.end - bar.start) + ", together " +
                       duration(bar.busy);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (bar.by_outcome[i] > 0) text += "\n" + grouped(bar.by_outcome[i]) + " " + std::string(to_string(outcomes[i]));
    return "<g opacity=\"" + decimal(0.3 + 0.7 * share, 2) + "\">" +
           box(left_of(bar, width), y + 1, width, height - 2, 0, "op " + std::string(to_string(bar.outcome())),
               "<title>" + xml_escaped(text) + "</title>") +
           "</g>";
  }

  std::span<const OpRecord> records_;
  const TimelineOptions& options_;
  std::vector<OpRecord> gpu_work_;
  double width_;
  std::vector<Lane> lanes_;
  std::int64_t begin_ = 0;
  std::int64_t span_ = 1;
  TimeScale scale_;
  std::array<std::size_t, outcomes.size()> by_outcome_{};
  std::map<std::string, std::size_t, std::less<>> tint_;
};

}  // namespace

std::string timeline_svg(std::span<const OpRecord> records, const TimelineOptions& options) {
  return Timeline(records, options).draw();
}

}  // namespace tessera
