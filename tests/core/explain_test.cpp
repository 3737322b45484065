// Tests of sentences as template arguments; that compilers print them is checked by fail/explained_concept.cpp.
#include <doctest/doctest.h>

#include <concepts>
#include <string_view>
import tessera;

using namespace tessera;

namespace {

// --8<-- [start:explain]
template <class T>
concept Small = sizeof(T) <= 2 || unsatisfied<"the type has more than two bytes">;
// --8<-- [end:explain]

template <core::Sentence Text>
constexpr std::string_view text_of = Text.text;

}  // namespace

static_assert(!unsatisfied<"anything"> && Small<short> && !Small<double>);

TEST_CASE("a sentence keeps its text") {
  CHECK(text_of<"rank mismatch"> == "rank mismatch");
  CHECK(text_of<""> == "");
}
