// A dynamic array knows its place at run time.
// expect first: no matching function for call to 'get'
// expect: CpuPlace.*Place
import tessera;
using namespace tessera;

auto& placed(DArray& x) { return get<Array<float, 1, CpuPlace>>(x); }
