// Nor do they through a view.
// expect first: only floats narrow by themselves, write cast<T>
#include <cstdint>
import tessera;
using namespace tessera;

void shrink(Array<int, 1>& small, const Array<std::int64_t, 1>& large) { small(all) = large; }
