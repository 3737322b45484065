// F<Op> needs Op::map.
// expect: F<Op> needs a static function Op::map: Op has nothing of that name
import tessera;
using namespace tessera;

struct Nothing {};
auto apply(const Array<float, 1>& z) { return F<Nothing>(z); }
