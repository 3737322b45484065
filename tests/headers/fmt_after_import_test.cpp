// <tessera/fmt.hpp> below the import.
#include <doctest/doctest.h>

import tessera;

#include <tessera/fmt.hpp>

TEST_CASE("the header may stand below the import") {
  CHECK(fmt::format("{:.1f}", tessera::make_darray({1.0, 2.5})) == "[1.0 2.5]");
}
