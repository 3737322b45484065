// The condition of where is bool, not a number.
// expect first: the_condition_is_an_expression_of_bool__as_z_greater_than_0_is
import tessera;
using namespace tessera;

auto positive(const Array<float, 1>& z) { return where(z, z, 0.0f); }
