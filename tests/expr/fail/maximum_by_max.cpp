// max is of the elements of one operand.
// expect first: compared_by_maximum_and_minimum
import tessera;
using namespace tessera;

auto larger(const Array<float, 1>& a, const Array<float, 1>& b) { return max(a, b); }
