// The compiler checks a specification against the element type.
// expect: invalid type specifier
#include <tessera/fmt.hpp>
import tessera;

std::string text(const tessera::Array<double, 1>& a) { return fmt::format("{:d}", a); }
