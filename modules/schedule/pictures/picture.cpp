module;
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.schedule;

// The common look of the pictures: that of the project's reports.
namespace tessera {

namespace {

constexpr std::string_view common_style = R"(
.$ { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; max-width: 100%; height: auto }
.$ text { fill: #1d1f24; pointer-events: none } .$ .soft { fill: #5f636d; font-size: 11px } .$ .strong { font-weight: 600 }
.$ .title { font-size: 15px; font-weight: 600 } .$ .end { text-anchor: end } .$ .middle { text-anchor: middle }
.$ .card { fill: #ffffff; stroke: #e4e1da }
.$ .succeeded { fill: #2456c7 } .$ .failed { fill: #c2570c } .$ .skipped, .$ .cancelled { fill: #f6f5f2; stroke: #5f636d }
.$ .skipped { stroke-dasharray: 3 2 })";

constexpr std::string_view common_dark = R"(
.$ text { fill: #e9eaee } .$ .soft { fill: #a0a5b1 } .$ .card { fill: #1a1d23; stroke: #2b2f38 }
.$ .succeeded { fill: #5f92f7 } .$ .failed { fill: #f79a54 } .$ .skipped, .$ .cancelled { fill: #111317; stroke: #a0a5b1 })";

std::string with_class(std::string_view style, std::string_view kind) {
  std::string out;
  for (const char letter : style) {
    if (letter == '$')
      out += kind;
    else
      out += letter;
  }
  return out;
}

}  // namespace

std::string opened_picture(std::string_view kind, std::string_view label, double width, double height,
                           std::string_view style, std::string_view dark) {
  const std::string size = decimal(width, 0) + " " + decimal(height, 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"" + std::string(kind) + "\" viewBox=\"0 0 " + size +
         "\" width=\"" + decimal(width, 0) + "\" height=\"" + decimal(height, 0) + "\" role=\"img\" aria-label=\"" +
         xml_escaped(label) + "\">\n<style>" + with_class(common_style, kind) + with_class(style, kind) +
         "\n@media (prefers-color-scheme: dark) {" + with_class(common_dark, kind) + with_class(dark, kind) +
         "\n}\n</style>\n" + box(0.5, 0.5, width - 1, height - 1, 8, "card") + "\n";
}

std::string text_at(double x, double y, std::string_view classes, std::string_view text) {
  const std::string attribute = classes.empty() ? "" : " class=\"" + std::string(classes) + "\"";
  return "<text" + attribute + " x=\"" + decimal(x, 1) + "\" y=\"" + decimal(y, 1) + "\">" + xml_escaped(text) +
         "</text>";
}

std::string box(double x, double y, double width, double height, double radius, std::string_view classes,
                std::string_view inside) {
  return "<rect class=\"" + std::string(classes) + "\" x=\"" + decimal(x, 2) + "\" y=\"" + decimal(y, 2) +
         "\" width=\"" + decimal(width, 2) + "\" height=\"" + decimal(height, 2) +
         (radius > 0 ? "\" rx=\"" + decimal(radius, 2) : "") +
         (inside.empty() ? "\"/>" : "\">" + std::string(inside) + "</rect>");
}

std::string var_list(std::span<const std::uint64_t> ids) {
  constexpr std::size_t most = 12;
  std::string text = ids.size() == 1 ? "Var " : "Vars ";
  for (std::size_t i = 0; i < std::min(most, ids.size()); ++i) text += (i > 0 ? ", " : "") + std::to_string(ids[i]);
  return ids.size() > most ? text + " and " + grouped(ids.size() - most) + " more" : text;
}

std::string title_of(const OpRecord& op) { return op.name + " (op " + std::to_string(op.id) + ")"; }

bool has_run(const OpRecord& op) { return op.worker >= 0 || op.queued != 0 || op.end != 0; }

std::string worker_of(const OpRecord& op) {
  return op.worker < 0 ? "a waiting thread" : "worker " + std::to_string(op.worker);
}

std::string accesses_of(const OpRecord& op) {
  std::string text;
  if (!op.reads.empty()) text += "\nreads " + var_list(op.reads);
  if (!op.writes.empty()) text += "\nwrites " + var_list(op.writes);
  if (op.where.line() > 0)
    text += "\n" + std::string(file_name(op.where.file_name())) + ":" + std::to_string(op.where.line());
  return text;
}

}  // namespace tessera
