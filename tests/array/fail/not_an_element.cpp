// Arrays hold elements of the closed list of types only.
// expect first: elements are bool, integers, floating and complex numbers
#include <string>
import tessera;
using namespace tessera;

Array<std::string, 1> words;
