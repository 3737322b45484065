// In parentheses it is not another thing.
// expect first: only floats narrow by themselves, write cast<T>\(x\)
import tessera;
using namespace tessera;

Array<int, 2> truncated(const Array<float, 2>& a) { return Array<int, 2>(a * 2); }
