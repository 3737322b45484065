// Joined operands have one rank.
// expect first: joined_operands_have_the_same_number_of_axes
import tessera;
using namespace tessera;

auto joined(const Array<float, 2>& a, const Array<float, 1>& b) { return concat<0>(a, b); }
