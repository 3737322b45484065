// Runs small programs on dynamic arrays: run_programs INPUTS.npz PROGRAMS.txt RESULTS.npz. numpy_differential.py writes them, and holds the results to
// what NumPy says. What it prints are errors, one a line: the case, the number of the line, the error's type and its message.
//
// A program is
//     case 7 eager               computes each function at once; `lazy` keeps expressions, `async` does so in an Async scope
//     input a                    the array 7/a of the inputs
//     auto b = a(all, 2);        and other statements of C++
//     check sum<1>((a + 1.5))    its value is the array 7/<number of the line> of the results
// where expressions are those of C++ on static arrays, and operators stand in parentheses.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

import tessera;

using namespace tessera;

namespace {

enum class Word { none, keepdims };

/// What an expression of a program can be.
using Integer64 = std::int64_t;
using Item = std::variant<DArray, DExpression, double, Integer64, std::complex<float>, std::complex<double>, Word,
                          std::vector<int>, DIndexer, Correction>;

struct Program {
  std::string number;
  bool is_eager = false;
  std::map<std::string, DArray> names{};
};

DExpression expression_of(const Item& item) {
  if (const auto* array = std::get_if<DArray>(&item)) return DExpression(*array);
  return std::get<DExpression>(item);
}

DArray array_of(const Item& item) {
  if (const auto* array = std::get_if<DArray>(&item)) return *array;
  return DArray(std::get<DExpression>(item));
}

Integer64 integer_of(const Item& item) { return std::get<Integer64>(item); }

// ---------------------------------------------------------------------------------------------------------- functions

using Unary = DExpression (*)(const DExpression&);
#define ONE(name) {#name, [](const DExpression& x) { return DExpression(tessera::name(x)); }}
const std::map<std::string_view, Unary> unary{
    ONE(negative),
    ONE(positive),
    ONE(abs),
    ONE(sign),
    ONE(square),
    ONE(reciprocal),
    ONE(floor),
    ONE(ceil),
    ONE(trunc),
    ONE(round),
    ONE(logical_not),
    ONE(bitwise_invert),
    ONE(isnan),
    ONE(isinf),
    ONE(isfinite),
    ONE(signbit),
    ONE(exp),
    ONE(exp2),
    ONE(expm1),
    ONE(log),
    ONE(log2),
    ONE(log10),
    ONE(log1p),
    ONE(sqrt),
    ONE(rsqrt),
    ONE(cbrt),
    ONE(sin),
    ONE(cos),
    ONE(tan),
    ONE(asin),
    ONE(acos),
    ONE(atan),
    ONE(sinh),
    ONE(cosh),
    ONE(tanh),
    ONE(asinh),
    ONE(acosh),
    ONE(atanh),
    ONE(degrees),
    ONE(radians),
    ONE(sigmoid),
    ONE(relu),
    ONE(silu),
    ONE(softplus),
    ONE(gelu),
    ONE(erf),
    ONE(erfc),
    ONE(lgamma),
    ONE(real),
    ONE(imag),
    ONE(conj),
    ONE(angle),
    {"leaky_relu", [](const DExpression& x) { return DExpression(leaky_relu(x)); }}};
#undef ONE

/// Trees whose form is known when this is compiled: of these there are loops that the others do not run.
using Known = DArray (*)(const DArray&);
#define ONE(name) {#name, [](const DArray& x) { return DArray(tessera::name(x)); }}
const std::map<std::string_view, Known> known_unary{ONE(negative), ONE(abs),   ONE(square),
                                                    ONE(exp),      ONE(floor), ONE(relu)};
#undef ONE

/// Calls `function` with the operands: expressions, or an expression and a number.
template <class F>
DExpression with_operands(const Item& a, const Item& b, F function) {
  const auto left = [&]<class A>(const A& first) {
    return std::visit(
        [&]<class B>(const B& second) -> DExpression {
          if constexpr (std::same_as<B, DArray>) {
            return DExpression(function(first, DExpression(second)));
          } else if constexpr (std::same_as<A, DExpression> || std::same_as<B, DExpression>) {
            if constexpr (requires { function(first, second); }) return DExpression(function(first, second));
            throw std::runtime_error("an operand is none");
          } else {
            throw std::runtime_error("an operand is none");
          }
        },
        b);
  };
  if (const auto* real = std::get_if<double>(&a)) return left(*real);
  if (const auto* integer = std::get_if<Integer64>(&a)) return left(*integer);
  if (const auto* z = std::get_if<std::complex<float>>(&a)) return left(*z);
  if (const auto* z = std::get_if<std::complex<double>>(&a)) return left(*z);
  return left(expression_of(a));
}

using Binary = DExpression (*)(const Item&, const Item&);
#define TWO(sign, name)                                                                                            \
  {sign, [](const Item& a, const Item& b) {                                                                        \
     return with_operands(                                                                                         \
         a, b, [](const auto& x, const auto& y) -> decltype(tessera::name(x, y)) { return tessera::name(x, y); }); \
   }}
#define SAME(name) TWO(#name, name)
#define SIGN(sign)                                                                                            \
  {#sign, [](const Item& a, const Item& b) {                                                                  \
     return with_operands(a, b, [](const auto& x, const auto& y) -> decltype(x sign y) { return x sign y; }); \
   }}
const std::map<std::string_view, Binary> binary{SIGN(+),
                                                SIGN(-),
                                                SIGN(*),
                                                SIGN(/),
                                                SIGN(%),
                                                SIGN(==),
                                                SIGN(!=),
                                                SIGN(<),
                                                SIGN(<=),
                                                SIGN(>),
                                                SIGN(>=),
                                                SIGN(&),
                                                SIGN(|),
                                                SIGN(^),
                                                SIGN(<<),
                                                SIGN(>>),
                                                SAME(add),
                                                SAME(subtract),
                                                SAME(multiply),
                                                SAME(divide),
                                                SAME(floor_divide),
                                                SAME(remainder),
                                                SAME(maximum),
                                                SAME(minimum),
                                                SAME(copysign),
                                                SAME(nextafter),
                                                SAME(logical_and),
                                                SAME(logical_or),
                                                SAME(logical_xor),
                                                SAME(logaddexp),
                                                SAME(pow),
                                                SAME(hypot),
                                                SAME(atan2),
                                                SAME(leaky_relu),
                                                SAME(equal),
                                                SAME(not_equal),
                                                SAME(less),
                                                SAME(less_equal),
                                                SAME(greater),
                                                SAME(greater_equal),
                                                SAME(bitwise_and),
                                                SAME(bitwise_or),
                                                SAME(bitwise_xor),
                                                SAME(bitwise_left_shift),
                                                SAME(bitwise_right_shift)};
#undef TWO
#undef SAME
#undef SIGN

using KnownTwo = DArray (*)(const DArray&, const DArray&);
const std::map<std::string_view, KnownTwo> known_binary{
    {"+", [](const DArray& a, const DArray& b) { return DArray(a + b); }},
    {"-", [](const DArray& a, const DArray& b) { return DArray(a - b); }},
    {"*", [](const DArray& a, const DArray& b) { return DArray(a * b); }},
    {"/", [](const DArray& a, const DArray& b) { return DArray(a / b); }},
    {"maximum", [](const DArray& a, const DArray& b) { return DArray(maximum(a, b)); }},
    {"<", [](const DArray& a, const DArray& b) { return DArray(a < b); }},
};

using Reduction = DExpression (*)(const DExpression&, const std::vector<int>* axes, bool keeps, Correction correction);
#define REDUCTION(name)                                                                        \
  {#name, [](const DExpression& x, const std::vector<int>* axes, bool keeps, Correction) {     \
     if (axes == nullptr) return keeps ? tessera::name(x, keepdims) : tessera::name(x);        \
     return keeps ? tessera::name(x, DAxes(*axes), keepdims) : tessera::name(x, DAxes(*axes)); \
   }}
#define VARIANCE(name)                                                                                                 \
  {#name, [](const DExpression& x, const std::vector<int>* axes, bool keeps, Correction correction) {                  \
     if (axes == nullptr) return keeps ? tessera::name(x, keepdims, correction) : tessera::name(x, correction);        \
     return keeps ? tessera::name(x, DAxes(*axes), keepdims, correction) : tessera::name(x, DAxes(*axes), correction); \
   }}
const std::map<std::string_view, Reduction> reductions{
    REDUCTION(sum),       REDUCTION(prod),          REDUCTION(min),    REDUCTION(max),    REDUCTION(argmin),
    REDUCTION(argmax),    REDUCTION(any),           REDUCTION(any_of), REDUCTION(all_of), REDUCTION(mean),
    REDUCTION(logsumexp), REDUCTION(count_nonzero), REDUCTION(norm),   VARIANCE(var),     VARIANCE(stddev)};
#undef REDUCTION
#undef VARIANCE

DType dtype_named(std::string_view cpp) {
  static const std::map<std::string_view, DType> types{{"bool", DType::boolean},
                                                       {"std::int8_t", DType::int8},
                                                       {"std::int16_t", DType::int16},
                                                       {"std::int32_t", DType::int32},
                                                       {"std::int64_t", DType::int64},
                                                       {"std::uint8_t", DType::uint8},
                                                       {"std::uint16_t", DType::uint16},
                                                       {"std::uint32_t", DType::uint32},
                                                       {"std::uint64_t", DType::uint64},
                                                       {"float16", DType::float16},
                                                       {"bfloat16", DType::bfloat16},
                                                       {"float", DType::float32},
                                                       {"double", DType::float64},
                                                       {"std::complex<float>", DType::complex64},
                                                       {"std::complex<double>", DType::complex128}};
  return types.at(cpp);
}

// ----------------------------------------------------------------------------------------------------------- parsing

/// Reads and computes a line from left to right.
class Reader {
 public:
  Reader(Program& program, std::string_view text) : program_(program), text_(text) {}

  Item expression() {
    Item item = primary();
    while (!text_.empty()) {
      if (text_.front() == '(') {
        item = indexed(item);
      } else if (accept(".")) {
        item = member(item);
      } else {
        break;
      }
    }
    return item;
  }

  /// auto b = x;   a = x;   a(...) = x;   a += x;
  void statement() {
    if (accept("auto ")) {
      const std::string name = identifier();
      expect(" = ");
      program_.names[name] = array_of(expression());
      return;
    }
    const std::string_view whole = text_;
    const std::string name = identifier();
    if (accept(" = ")) return assign(program_.names.at(name), expression());
    text_ = whole;
    DArray target = array_of(expression());
    for (const char sign : {' ', '+', '-', '*', '/'}) {
      if (!accept(sign == ' ' ? " = " : std::string(" ") + sign + "= ")) continue;
      const Item source = expression();
      std::visit([&](const auto& value) { write(target, sign, value); }, source);
      return;
    }
    throw std::runtime_error("no statement: " + std::string(whole));
  }

 private:
  bool accept(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) throw std::runtime_error("'" + std::string(token) + "' expected: " + std::string(text_));
  }

  std::string taken(std::string_view characters) {
    const std::size_t count = std::min(text_.find_first_not_of(characters), text_.size());
    std::string word(text_.substr(0, count));
    text_.remove_prefix(count);
    return word;
  }
  std::string identifier() { return taken("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:"); }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  Item number() {
    std::string text(accept("-") ? "-" : "");
    text += taken("0123456789.");
    if (accept("e")) text += "e" + taken("+-0123456789");
    if (text.find_first_of(".e") == std::string::npos && !text_.starts_with("f")) return Integer64(std::stoll(text));
    accept("f");
    return std::stod(text);
  }

  /// What stands between < and >.
  std::string template_text() {
    int depth = 0;
    for (std::size_t end = 0; end < text_.size(); ++end) {
      if (text_[end] == '<') ++depth;
      if (text_[end] == '>' && --depth == 0) {
        std::string inside(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return inside;
      }
    }
    throw std::runtime_error("'>' expected");
  }

  static std::vector<int> integers(const std::string& list) {
    std::vector<int> found;
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(", ", begin), list.size());
      found.push_back(std::stoi(list.substr(begin, end - begin)));
      begin = end + 2;
    }
    return found;
  }

  std::vector<Item> arguments() {
    std::vector<Item> found;
    expect("(");
    if (accept(")")) return found;
    do {
      found.push_back(expression());
    } while (accept(", "));
    expect(")");
    return found;
  }

  Item primary() {
    if (is_digit(text_[0]) || (text_[0] == '-' && text_.size() > 1 && is_digit(text_[1]))) return number();
    if (accept("(")) return operation();
    if (accept("{")) {
      const std::string list(text_.substr(0, text_.find('}')));
      text_.remove_prefix(list.size() + 1);
      return integers(list);
    }
    const std::string name = identifier();
    if (name == "none") return Word::none;
    if (name == "keepdims") return Word::keepdims;
    if (name == "newaxis") return DIndexer(newaxis);
    if (name == "ellipsis") return DIndexer(ellipsis);
    if (name == "all" && !text_.starts_with("(")) return DIndexer(all);
    if (const auto found = program_.names.find(name); found != program_.names.end()) return found->second;
    const std::string inside = text_.starts_with("<") ? template_text() : "";
    if (name == "axis") return integers(inside);
    return call(name, inside, arguments());
  }

  /// What stands in parentheses.
  Item operation() {
    for (const auto& [sign, name] :
         {std::pair{"-", "negative"}, {"+", "positive"}, {"!", "logical_not"}, {"~", "bitwise_invert"}}) {
      if (text_.size() > 1 && text_.starts_with(sign) && !is_digit(text_[1])) {
        accept(sign);
        Item result = call(name, "", {expression()});
        expect(")");
        return result;
      }
    }
    Item first = expression();
    expect(" ");
    const std::string sign = taken("+-*/%=!<>&|^");
    expect(" ");
    const Item second = expression();
    expect(")");
    return call(sign, "", {std::move(first), second});
  }

  Item kept(DExpression result) const {
    if (program_.is_eager) return DArray(result);
    return result;
  }

  Item call(const std::string& name, const std::string& inside, const std::vector<Item>& arguments) {
    const auto argument = [&](std::size_t i) -> const Item& { return arguments.at(i); };
    if (name == "std::complex") {
      const double part = std::holds_alternative<double>(argument(0)) ? std::get<double>(argument(0))
                                                                      : static_cast<double>(integer_of(argument(0)));
      if (inside == "float") return std::complex<float>(static_cast<float>(part));
      return std::complex<double>(part);
    }
    if (name == "range") return ranged(arguments);
    if (name == "correction") return correction(static_cast<double>(integer_of(argument(0))));
    if (name == "cast") return kept(cast(expression_of(argument(0)), dtype_named(inside)));
    if (name == "copy") return copy(array_of(argument(0)));
    if (name == "flatten") return flatten(array_of(argument(0)));
    if (name == "reshape" || name == "broadcast_to") return reshaped(name, arguments);
    if (name == "transpose")
      return arguments.size() == 1 ? transpose(array_of(argument(0)))
                                   : transpose(array_of(argument(0)), std::get<std::vector<int>>(argument(1)));
    if (name == "where") return kept(chosen(argument(0), argument(1), argument(2)));
    if (name == "clip") return kept(clipped(arguments));
    if (const auto found = reductions.find(name == "all" ? "all_of" : name); found != reductions.end())
      return reduced(found->second, inside, arguments);
    if (arguments.size() == 1) {
      if (const auto found = known_unary.find(name); program_.is_eager && found != known_unary.end())
        return found->second(array_of(argument(0)));
      return kept(unary.at(name)(expression_of(argument(0))));
    }
    if (const auto found = known_binary.find(name);
        program_.is_eager && found != known_binary.end() && argument(0).index() < 2 && argument(1).index() < 2)
      return found->second(array_of(argument(0)), array_of(argument(1)));
    return kept(binary.at(name)(argument(0), argument(1)));
  }

  static DExpression chosen(const Item& condition, const Item& a, const Item& b) {
    return with_operands(a, b, [&](const auto& x, const auto& y) -> decltype(where(std::declval<DExpression>(), x, y)) {
      return where(expression_of(condition), x, y);
    });
  }

  /// Calls `function` with a bound: none, a number or an expression.
  template <class F>
  static DExpression with_bound(const Item& bound, F function) {
    if (std::holds_alternative<Word>(bound)) return function(none);
    if (const auto* real = std::get_if<double>(&bound)) return function(*real);
    if (const auto* integer = std::get_if<Integer64>(&bound)) return function(*integer);
    return function(expression_of(bound));
  }
  static DExpression clipped(const std::vector<Item>& arguments) {
    const DExpression x = expression_of(arguments.at(0));
    return with_bound(arguments.at(1), [&](const auto& low) {
      return with_bound(arguments.at(2), [&](const auto& high) { return clip(x, low, high); });
    });
  }

  static Item ranged(const std::vector<Item>& arguments) {
    const auto bound = [&](std::size_t i) -> std::optional<Integer64> {
      if (i >= arguments.size() || std::holds_alternative<Word>(arguments[i])) return {};
      return integer_of(arguments[i]);
    };
    const Integer64 step = bound(2).value_or(1);
    const auto start = bound(0), stop = bound(1);
    if (start && stop) return DIndexer(range(*start, *stop, step));
    if (start) return DIndexer(range(*start, none, step));
    if (stop) return DIndexer(range(none, *stop, step));
    return DIndexer(range(none, none, step));
  }

  static Item reshaped(const std::string& name, const std::vector<Item>& arguments) {
    std::vector<std::ptrdiff_t> shape;
    if (const auto* list = std::get_if<std::vector<int>>(&arguments.at(1))) {
      shape.assign(list->begin(), list->end());
    } else {
      for (std::size_t i = 1; i < arguments.size(); ++i) shape.push_back(integer_of(arguments[i]));
    }
    const DArray array = array_of(arguments[0]);
    if (name == "reshape") return array.reshape(std::span<const std::ptrdiff_t>(shape));
    return array.broadcast_to(DDim(std::span<const std::ptrdiff_t>(shape)));
  }

  Item reduced(Reduction reduction, const std::string& inside, const std::vector<Item>& arguments) const {
    std::vector<int> axes = integers(inside);
    bool has_axes = !inside.empty(), keeps = false;
    Correction less{};
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      if (std::holds_alternative<Word>(arguments[i])) keeps = true;
      if (const auto* correction = std::get_if<Correction>(&arguments[i])) less = *correction;
      if (const auto* list = std::get_if<std::vector<int>>(&arguments[i])) {
        axes = *list;
        has_axes = true;
      }
      if (const auto* axis = std::get_if<Integer64>(&arguments[i])) {
        axes = {static_cast<int>(*axis)};
        has_axes = true;
      }
    }
    return kept(reduction(expression_of(arguments.at(0)), has_axes ? &axes : nullptr, keeps, less));
  }

  Item indexed(const Item& item) {
    std::vector<DIndexer> indexers;
    for (const Item& each : arguments()) {
      if (const auto* position = std::get_if<Integer64>(&each)) {
        indexers.emplace_back(*position);
      } else {
        indexers.push_back(std::get<DIndexer>(each));
      }
    }
    return array_of(item)(indexers);
  }

  Item member(const Item& item) {
    const std::string name = identifier();
    const std::string inside = text_.starts_with("<") ? template_text() : "";
    std::vector<Item> all{item};
    for (Item& each : arguments()) all.push_back(std::move(each));
    return call(name == "T" ? "transpose" : name, inside, all);
  }

  template <class V>
  static void assign_value(DArray& target, const V& value) {
    if constexpr (requires { target = value; }) {
      target = value;
    } else {
      throw std::runtime_error("not to be assigned");
    }
  }
  static void assign(DArray& target, const Item& source) {
    std::visit([&](const auto& value) { assign_value(target, value); }, source);
  }

  template <class V>
  static void write(DArray& target, char sign, const V& value) {
    if constexpr (requires { target += value; }) {
      switch (sign) {
        case '+': target += value; return;
        case '-': target -= value; return;
        case '*': target *= value; return;
        case '/': target /= value; return;
        default: std::move(target) = value; return;
      }
    } else {
      throw std::runtime_error("not to be written");
    }
  }

  Program& program_;
  std::string_view text_;
};

// ------------------------------------------------------------------------------------------------------------ programs

std::string kind_of_error(const std::exception& error) {
  if (dynamic_cast<const DTypeError*>(&error)) return "DTypeError";
  if (dynamic_cast<const ShapeError*>(&error)) return "ShapeError";
  if (dynamic_cast<const IndexError*>(&error)) return "IndexError";
  return "error";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const NamedArrays inputs = load_npz(arguments[1]);
  NamedArrays results;
  std::ifstream programs(arguments[2]);
  Program program;
  Scheduler scheduler;
  std::optional<Async> scope;
  int number = 0;
  for (std::string line; std::getline(programs, line); ++number) {
    const auto rest_of = [&](std::string_view word) { return std::string_view(line).substr(word.size()); };
    try {
      if (line.starts_with("case ")) {
        const std::size_t space = line.find(' ', 5);
        program.names.clear();
        scope.reset();
        if (line.ends_with(" async")) scope.emplace(scheduler);
        program = {.number = line.substr(5, space - 5), .is_eager = line.ends_with(" eager")};
        number = 0;
      } else if (line.starts_with("input ")) {
        const std::string name(rest_of("input "));
        program.names[name] = inputs.at(program.number + "/" + name);
      } else if (line.starts_with("check ")) {
        Item item = Reader(program, rest_of("check ")).expression();
        results[program.number + "/" + std::to_string(number)] = array_of(item).clone();
      } else {
        Reader(program, line).statement();
      }
    } catch (const std::exception& error) {
      std::cout << program.number << ' ' << number << ' ' << kind_of_error(error) << ' ' << error.what() << std::endl;
    }
  }
  scope.reset();
  save_npz(arguments[3], results);
  return 0;
}
