// What Op::map returns becomes an element.
// expect first: map_of_Op_returns_no_element
#include <string>
import tessera;
using namespace tessera;

struct Name {
  static std::string map(float) { return "name"; }
};
auto apply(const Array<float, 1>& z) { return F<Name>(z); }
