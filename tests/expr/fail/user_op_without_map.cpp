// F<Op> needs Op::map.
// expect: F<Op> needs a static function Op::map that takes one scalar for each argument
import tessera;
using namespace tessera;

struct Nothing {};
auto apply(const Array<float, 1>& z) { return F<Nothing>(z); }
