export module tessera.expr:readable_expression;

// The name of an assignment in errors and pictures.
namespace tessera {

/// From a compiler's spelling of a function with a template parameter "Node = <type of a node>": that expression, its arrays as a, b, c and
/// its scalars as s, such as "s * (a + exp(b))". The text lives for ever.
const char* readable_expression(const char* function);

}  // namespace tessera
