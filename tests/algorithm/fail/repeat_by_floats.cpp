// Elements are repeated an integer number of times.
// expect: an integer number of times|elements_are_repeated|RepeatCounts
import tessera;
using namespace tessera;

auto repeated(const Array<float, 1>& a) { return repeat<0>(a, a); }
