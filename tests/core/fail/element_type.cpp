// char is no element type.
// expect first: because .char. does not satisfy .Element.
import tessera;

constexpr tessera::DType fine = tessera::dtype_of<signed char>;
constexpr tessera::DType wrong = tessera::dtype_of<char>;
