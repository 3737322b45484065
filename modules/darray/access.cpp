module;
#include <string>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What a dynamic array is, in words.
namespace tessera {

namespace {

std::string type_text(const dynamic::Which& which) {
  return std::string("Array<") + (which.is_read_only ? "const " : "") + std::string(name(which.dtype)) + ", " +
         std::to_string(which.rank) + ">";
}

}  // namespace

std::string array_text(const DArray& array) {
  return type_text(array.which()) + " " + to_string(array.shape()) + " on " + to_string(array.place());
}

void throw_other_array(const DArray& array, const dynamic::Which& asked) {
  const bool is_other_type = array.which().dtype != asked.dtype || array.which().is_read_only != asked.is_read_only;
  const std::string text =
      to_string(Failure{.operation = "get",
                        .problem = type_text(asked) + " was asked for, the array is " + array_text(array),
                        .advice = is_other_type ? "x.cast(dtype) converts the elements, visit(f, x) takes any"
                                                : "x.reshape({...}) changes the rank, visit(f, x) takes any"});
  if (is_other_type) throw DTypeError(text);
  throw ShapeError(text);
}

}  // namespace tessera
