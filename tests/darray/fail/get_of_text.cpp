// get names the array that is held.
// expect first: does not satisfy 'Element'
import tessera;
using namespace tessera;

auto& first(DArray& x) { return get<Array<const char*, 1>>(x); }
