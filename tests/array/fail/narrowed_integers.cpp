// Integers narrow by a cast only.
// expect first: only floats narrow by themselves, write cast<T>
#include <cstdint>
import tessera;
using namespace tessera;

void shrink(Array<int, 1>& small, const Array<std::int64_t, 1>& large) { small = large + 1; }
