// F<Op> needs Op::map.
// expect first: Op_needs_a_static_function_map
import tessera;
using namespace tessera;

struct Nothing {};
auto apply(const Array<float, 1>& z) { return F<Nothing>(z); }
