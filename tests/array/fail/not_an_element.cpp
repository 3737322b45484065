// Arrays hold elements of the closed list of types only.
// expect: std::(__cxx11::)?(basic_)?string.* does not satisfy 'Element'
#include <string>
import tessera;
using namespace tessera;

Array<std::string, 1> words;
