module;
#include <ostream>
#include <string>
module tessera.core;

// Element types as text.
namespace tessera {

std::string to_string(DType dtype) { return std::string(name(dtype)); }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }

}  // namespace tessera
