// The condition of where is an array.
// expect first: no matching function for call to 'where'
import tessera;
using namespace tessera;

auto choose(const DArray& x) { return where(true, x, x); }
