// A dynamic array has at most 9 axes.
// expect first: no matching function for call to 'get'
// expect: 10 <= 9
import tessera;
using namespace tessera;

auto& many(DArray& x) { return get<Array<float, 10>>(x); }
