module;
#include <atomic>
module tessera.expr;

// Writing the text of an expression once.
namespace tessera::plan {

const char* ExpressionName::text() {
  const char* text = text_.load(std::memory_order_acquire);
  if (text == nullptr) text_.store(text = readable_expression(function_), std::memory_order_release);
  return text;
}

}  // namespace tessera::plan
