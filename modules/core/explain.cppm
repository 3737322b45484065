module;
#include <cstddef>
export module tessera.core:explain;
import tessera.standard;

// Concepts that say in a sentence why they failed.
namespace tessera {

/// A string literal as a template argument.
export template <std::size_t Size>
struct Sentence {
  char text[Size];
  constexpr Sentence(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }
};

/// Always false. As the last term of a disjunction it puts its sentence into the compiler's message:
/// `requires(From::rank <= To::rank || unsatisfied<"the source has more axes than the destination">)`.
export template <Sentence Why>
inline constexpr bool unsatisfied = false;

}  // namespace tessera
