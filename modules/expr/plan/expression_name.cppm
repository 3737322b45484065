export module tessera.expr:expression_name;
import tessera.standard;

// The text of an expression, for errors, logs and pictures.
namespace tessera::plan {

/// An expression's name, written when it is first asked for: most never are.
class ExpressionName {
 public:
  /// From the compiler's spelling of a function with the node's type: see readable_expression.
  constexpr explicit ExpressionName(const char* function) : function_(function) {}
  /// As it stands, which lives as long as the program.
  static ExpressionName written(const char* text) { return ExpressionName(nullptr, text); }

  /// The expression as a text that lives for ever, such as "s * (a + exp(b))". Throws std::bad_alloc.
  const char* text();

 private:
  ExpressionName(const char* function, const char* text) : function_(function), text_(text) {}

  const char* function_;
  std::atomic<const char*> text_ = nullptr;
};

}  // namespace tessera::plan
