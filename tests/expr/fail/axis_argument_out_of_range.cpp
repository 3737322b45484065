// An axis that is an argument is checked as well.
// expect first: an_axis_is_out_of_range_or_named_twice
import tessera;
using namespace tessera;

auto total(const Array<float, 2>& a) { return sum(a, axis<2>); }
