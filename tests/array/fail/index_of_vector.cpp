// An expression takes no more indices than it has axes.
// expect first: more indices than axes
import tessera;
using namespace tessera;

auto element(const Array<float, 1>& a) { return (a + 1)(0, 1); }
