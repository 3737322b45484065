module;
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.schedule;

// From the type of an expression, as the compiler spells it, to what its writer would recognise: "s * (a + s * b)".
namespace tessera {

namespace {

/// A name and what stands in angle brackets behind it.
struct TypeName {
  std::string_view name;
  std::vector<TypeName> arguments;
};

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) {}

  TypeName parse() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '<' && text_[at_] != '>' && text_[at_] != ',') ++at_;
    TypeName type{.name = without_namespace(text_.substr(begin, at_ - begin)), .arguments = {}};
    if (at_ == text_.size() || text_[at_] != '<') return type;
    do {
      ++at_;
      type.arguments.push_back(parse());
      skip_spaces();
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ < text_.size()) ++at_;
    return type;
  }

 private:
  static std::string_view without_namespace(std::string_view name) {
    const std::size_t colon = name.rfind("::");
    return colon == std::string_view::npos ? name : name.substr(colon + 2);
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// "LogAddExp" to "log_add_exp".
std::string snake_case(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    const bool is_upper = std::isupper(static_cast<unsigned char>(letter)) != 0;
    if (is_upper && !text.empty()) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// Writes operands as a, b, c in the order in which they are read, and scalars as s.
class ExpressionWriter {
 public:
  std::string write(const TypeName& node, bool is_inner) {
    if (node.name == "LeafNode" || node.name == "ParameterNode") return next_leaf();
    if (node.name == "ScalarNode" || node.name == "ScalarParameterNode") return "s";
    const TypeName* op = node.arguments.empty() ? nullptr : &node.arguments.front();
    if (op != nullptr && (op->name == "Uniform" || op->name == "UserMap") && !op->arguments.empty())
      op = &op->arguments.front();
    std::vector<std::string> operands;
    const std::string infix = op == nullptr ? "" : infix_of(op->name);
    for (const TypeName& argument : node.arguments) {
      if (argument.name.ends_with("Node")) operands.push_back(write(argument, !infix.empty()));
    }
    if (!infix.empty() && operands.size() == 2) {
      const std::string text = operands[0] + " " + infix + " " + operands[1];
      return is_inner ? "(" + text + ")" : text;
    }
    std::string text = function_of(node, op) + "(";
    for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ", ") + operands[i];
    return text + ")";
  }

 private:
  static std::string infix_of(std::string_view op) {
    static const auto& signs = *new std::map<std::string_view, std::string>{
        // never destroyed: so long may ops be named
        {"Add", "+"},    {"Subtract", "-"},      {"Multiply", "*"},   {"Divide", "/"},
        {"Modulo", "%"}, {"Less", "<"},          {"LessEqual", "<="}, {"Greater", ">"},
        {"Equal", "=="}, {"GreaterEqual", ">="}, {"NotEqual", "!="}};
    const auto found = signs.find(op);
    return found == signs.end() ? "" : found->second;
  }

  /// A node's kind is its first argument if that is an operation, and otherwise its own name.
  static std::string function_of(const TypeName& node, const TypeName* op) {
    const bool has_op = op != nullptr && !op->name.ends_with("Node") && !op->name.empty() &&
                        std::isdigit(static_cast<unsigned char>(op->name.front())) == 0;
    if (has_op) return snake_case(op->name);
    std::string_view own = node.name;
    if (own.ends_with("Node")) own.remove_suffix(4);
    return snake_case(own);
  }

  std::string next_leaf() {
    constexpr int letters = 26;
    const int number = leaves_++;
    std::string text(1, static_cast<char>('a' + number % letters));
    return number < letters ? text : text + std::to_string(number / letters);
  }

  int leaves_ = 0;
};

}  // namespace

const char* readable_expression(const char* function) {
  constexpr std::string_view marker = "Node = ";
  const std::string_view text = function;
  const std::size_t begin = text.find(marker);
  if (begin == std::string_view::npos) return "assignment";
  const TypeName type = TypeParser(text.substr(begin + marker.size(), text.rfind(']') - begin - marker.size())).parse();
  return schedule::interned(ExpressionWriter().write(type, false));
}

}  // namespace tessera
