// Arrays are made of elements.
// expect first: a range of elements: bool, integers, floating or complex numbers
#include <string>
#include <vector>
import tessera;
using namespace tessera;

auto words = make_array(std::vector<std::string>{"a"});
