// The condition of where is bool, also where it is one for all elements.
// expect first: the_condition_is_an_expression_of_bool
import tessera;
using namespace tessera;

auto either(const Array<float, 1>& a, int which) { return where(which, a, 0.0f); }
