// The condition of where is bool, also where it is one for all elements.
// expect first: no matching function for call to 'where'
import tessera;
using namespace tessera;

auto choose(const DArray& x) { return where(1, x, x); }
