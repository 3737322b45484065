// Arrays are made of elements.
// expect: does not satisfy 'Element'
#include <string>
#include <vector>
import tessera;
using namespace tessera;

auto words = make_array(std::vector<std::string>{"a"});
