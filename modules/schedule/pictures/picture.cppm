module;
#include <cstdint>
export module tessera.schedule:picture;
import tessera.standard;
import :trace_record;

// What the SVG pictures of this room share: frame, colours of both schemes, and texts about an op. Styles hold below one class
// of the picture's root only, and there are no ids, so that several pictures can stand in one page.
namespace tessera {

/// The opening tag, the style and the card of a picture. `kind` is the root's class; `style` has more rules, in which `$` stands
/// for that class, and `dark` those that hold in dark surroundings.
std::string opened_picture(std::string_view kind, std::string_view label, double width, double height,
                           std::string_view style, std::string_view dark);

/// A text element at a place; `classes` are those of the style.
std::string text_at(double x, double y, std::string_view classes, std::string_view text);

/// A box with rounded corners; `inside` is markup, such as a title.
std::string box(double x, double y, double width, double height, double radius, std::string_view classes,
                std::string_view inside = {});

/// "Var 3" or "Vars 3, 4", the first few of them.
std::string var_list(std::span<const std::uint64_t> ids);

/// "name (op 12)"
std::string title_of(const OpRecord& op);

/// Whether a record tells of a run; an op of which only the accesses are known has no times.
bool has_run(const OpRecord& op);

/// "worker 0", or "a waiting thread"
std::string worker_of(const OpRecord& op);

/// Lines about what an op accesses and where it was submitted, each with an end of line before it. They tell the file's name only: its
/// folder is nobody's business when a picture is shown around.
std::string accesses_of(const OpRecord& op);

}  // namespace tessera
