// The condition of where is bool with numbers as branches too.
// expect first: the_condition_is_an_expression_of_bool
import tessera;
using namespace tessera;

auto signs(const Array<int, 1>& a) { return where(a, 1, 0.5); }
