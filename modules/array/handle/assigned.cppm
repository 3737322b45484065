module;
#include <cstddef>
export module tessera.array:assigned;
import tessera.standard;
import tessera.core;
import :concepts;

// The right side of `=`, with the place in the user's code where it stands: an operator takes one argument, but what converts that one may ask
// where it is converted.
namespace tessera {

namespace storage {

/// What is assigned to a `Destination`: a source that `Assignment` takes, forgotten but for how to assign it. It lives as long as the
/// assignment's expression, and so does the source.
export template <class Destination, class Assignment>
class Assigned {
 public:
  using Where = std::source_location;

  template <class S>
    requires(Assignment::template takes<std::remove_cvref_t<S>>)
  [[gnu::always_inline]] constexpr Assigned(S&& source, Where where = Where::current())
      : source_(std::addressof(source)), assign_(assign<S>), where_(where) {}

  /// Throws what the assignment throws, with the caller's line in the message.
  [[gnu::always_inline]] void to(Destination& destination) const { assign_(destination, source_, where_); }

 private:
  template <class S>
  [[gnu::always_inline]] static void assign(Destination& destination, const void* source, const Where& where) {
    using Value = std::remove_reference_t<S>;
    try {
      Assignment::perform(destination, static_cast<S&&>(*static_cast<Value*>(const_cast<void*>(source))));
    } catch (...) {
      core::rethrow_called_at(where);
    }
  }

  const void* source_;
  void (*assign_)(Destination&, const void*, const Where&);
  Where where_;
};

}  // namespace storage
using storage::Assigned;

/// `a = source`, where `a` is a name.
template <class T, int Rank, class P>
struct NameAssignment {
  template <class S>
  static constexpr bool takes = NamedSource<S, std::remove_const_t<T>, Rank, P>;

  template <class S>
  [[gnu::always_inline]] static void perform(auto& name, S&& source) {
    assign_name(name, std::forward<S>(source));
  }
};

namespace storage {

/// `a(...) = source`, where what is on the left is no name.
export template <class T, int Rank, class P>
struct ElementsAssignment {
  template <class S>
  static constexpr bool takes = AssignableSource<S, std::remove_const_t<T>, Rank, P>;

  template <class S>
  [[gnu::always_inline]] static void perform(auto& elements, S&& source) {
    assign(elements, source);
  }
};

/// As ElementsAssignment, of anything but a view of the destination's own type.
export template <class View>
struct OtherElementsAssignment : ElementsAssignment<typename View::value_type, View::rank, typename View::place_type> {
  template <class S>
  static constexpr bool takes =
      AssignableSource<S, typename View::value_type, View::rank, typename View::place_type> && !std::same_as<S, View>;
};

}  // namespace storage
using storage::ElementsAssignment;
using storage::OtherElementsAssignment;

}  // namespace tessera
