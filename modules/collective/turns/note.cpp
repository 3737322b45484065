module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
module tessera.collective;
import tessera.core;

// A collective in words.
namespace tessera::collective {

namespace {

constexpr auto kind_names = std::to_array<std::string_view>(
    {"barrier", "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "reduce_scatter", "all_to_all",
     "split", "all_reduce with Reproducible", "the shapes of what is gathered", "the shape of what is scattered",
     "send", "receive"});

std::string shape_text(const Note& note) {
  std::string text = "(";
  for (int axis = 0; axis < note.rank; ++axis) {
    if (axis != 0) text += ", ";
    text += note.extents[axis] < 0 ? "any" : std::to_string(note.extents[axis]);
  }
  return text + ")";
}

}  // namespace

std::string_view name_of(CallKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

bool is_name_of_call(std::string_view name) { return std::ranges::find(kind_names, name) != kind_names.end(); }

std::string text_of(const Note& note) {
  std::string text(name_of(note.kind));
  if (note.kind == CallKind::barrier || note.kind == CallKind::split) return text;
  if (note.rank == any_rank) {
    text += " of any array";
  } else if (note.kind != CallKind::shape_of_scattered) {
    text += " of " + std::string(name(note.dtype)) + " " + shape_text(note);
  }
  switch (note.kind) {
    case CallKind::all_reduce:
    case CallKind::reduce_scatter: return text + " by ReduceOp::" + std::string(name_of(note.op));
    case CallKind::reduce:
      return text + " by ReduceOp::" + std::string(name_of(note.op)) + " to rank " + std::to_string(note.root);
    case CallKind::broadcast:
    case CallKind::scatter:
    case CallKind::shape_of_scattered: return text + " from rank " + std::to_string(note.root);
    case CallKind::gather: return text + " to rank " + std::to_string(note.root);
    case CallKind::receive:
      return text + " from rank " + std::to_string(note.root) + " with tag " + std::to_string(note.own);
    case CallKind::send:
      return text + " to rank " + std::to_string(note.root) + " with tag " + std::to_string(note.own);
    default: return text;
  }
}

}  // namespace tessera::collective
