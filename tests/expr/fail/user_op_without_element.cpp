// What Op::map returns becomes an element.
// expect: Op::map must return an element type
#include <string>
import tessera;
using namespace tessera;

struct Name {
  static std::string map(float) { return "name"; }
};
auto apply(const Array<float, 1>& z) { return F<Name>(z); }
