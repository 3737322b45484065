// get names the array that is held.
// expect first: no matching function for call to 'get'
// expect: because .*int.* does not satisfy 'HeldArray'
import tessera;
using namespace tessera;

int first(const DArray& x) { return get<int>(x); }
