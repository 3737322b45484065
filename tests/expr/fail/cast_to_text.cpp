// A cast is to an element type.
// expect first: elements are bool, integers, floating and complex numbers
#include <string>
import tessera;
using namespace tessera;

auto words(const Array<float, 1>& a) { return cast<std::string>(a); }
