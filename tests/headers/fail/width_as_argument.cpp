// Width and precision of elements are numbers.
// expect: width and precision of elements stand in the format string as numbers
#include <tessera/fmt.hpp>
import tessera;

std::string text(const tessera::DArray& x) { return fmt::format("{:{}}", x, 4); }
