// The command line of the digits example: one table says what each option reads, may hold and prints.
#include "options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "dataset.hpp"
#include "errors.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr std::size_t most_layers = 8;
constexpr std::int64_t widest_layer = 8192;

enum class Value { none, optional, required };

/// One option: `read` stores a value given on the command line, `show` prints the value in force.
struct Option {
  std::string_view name;
  Value value;
  std::string_view placeholder;
  std::string_view meaning;
  std::string_view allowed;  // completes the sentence "... is not "
  void (*read)(Options&, const Option&, std::string_view);
  std::string (*show)(const Options&);
};

[[noreturn]] void refuse(const Option& option, std::string_view text) {
  throw UsageError(std::string(option.name) + ": " + in_quotes(text) + " is not " + std::string(option.allowed));
}

/// The number that `text` spells, which must lie in [low, high].
template <typename Number>
Number number(const Option& option, std::string_view text, Number low, Number high) {
  const std::optional<Number> result = number_from<Number>(text);
  // Written so that NaN, which compares false with everything, is refused.
  if (!result || !(*result >= low && *result <= high)) refuse(option, text);
  return *result;
}

std::vector<std::int64_t> widths(const Option& option, std::string_view text) {
  std::vector<std::int64_t> result;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::optional<std::int64_t> width = number_from<std::int64_t>(text.substr(start, comma - start));
    if (!width || *width < 1 || *width > widest_layer || result.size() == most_layers) refuse(option, text);
    result.push_back(*width);
    start = comma + 1;
  }
  return result;
}

std::filesystem::path path(const Option& option, std::string_view text) {
  if (text.empty()) refuse(option, text);
  return std::filesystem::path(text);
}

Precision precision(const Option& option, std::string_view text) {
  for (const Precision candidate : {Precision::f32, Precision::f64, Precision::bf16})
    if (text == name(candidate)) return candidate;
  refuse(option, text);
}

constexpr double smallest_positive = std::numeric_limits<double>::min();
constexpr double largest_below_one = 1 - std::numeric_limits<double>::epsilon() / 2;

constexpr std::array table{
    Option{"--fashion", Value::optional, "DIR", "train on Fashion-MNIST, read from DIR", "a directory",
           [](Options& o, const Option& self, std::string_view text) { o.fashion_directory = path(self, text); },
           [](const Options&) { return std::string(default_fashion_directory); }},
    Option{"--epochs", Value::required, "N", "passes over the training images",
           "a whole number from 1 to 10000, or 0 with --load",
           [](Options& o, const Option& self, std::string_view text) { o.epochs = number(self, text, 0, 10000); },
           [](const Options& o) { return std::to_string(o.epochs); }},
    Option{"--batch", Value::required, "N", "images a step", "a whole number from 1 to 65536",
           [](Options& o, const Option& self, std::string_view text) { o.batch = number(self, text, 1, 65536); },
           [](const Options& o) { return std::to_string(o.batch); }},
    Option{"--widths", Value::required, "N,N,...", "widths of the hidden layers",
           "a list of 1 to 8 whole numbers from 1 to 8192, separated by commas",
           [](Options& o, const Option& self, std::string_view text) { o.widths = widths(self, text); },
           [](const Options& o) { return joined(o.widths, ","); }},
    Option{"--lr", Value::required, "X", "learning rate of the first step; falls linearly to 0 over the run",
           "a number above 0 and up to 100",
           [](Options& o, const Option& self, std::string_view text) {
             o.learning_rate = number(self, text, smallest_positive, 100.0);
           },
           [](const Options& o) { return shortest(o.learning_rate); }},
    Option{"--momentum", Value::required, "X", "momentum of the descent", "a number from 0 and below 1",
           [](Options& o, const Option& self, std::string_view text) {
             o.momentum = number(self, text, 0.0, largest_below_one);
           },
           [](const Options& o) { return shortest(o.momentum); }},
    Option{"--decay", Value::required, "X", "weight decay (L2)", "a number from 0 to 1",
           [](Options& o, const Option& self, std::string_view text) { o.decay = number(self, text, 0.0, 1.0); },
           [](const Options& o) { return shortest(o.decay); }},
    Option{"--threads", Value::required, "N", "threads; the weights do not depend on it",
           "a whole number from 1 to 1024",
           [](Options& o, const Option& self, std::string_view text) { o.threads = number(self, text, 1, 1024); },
           [](const Options&) { return std::string("one per core"); }},
    Option{"--async", Value::none, "",
           "let operations that do not depend on each other run at once; the weights are the same", "",
           [](Options& o, const Option&, std::string_view) { o.async = true; }, nullptr},
    Option{"--reproducible", Value::optional, "N", "shards of a batch; the weights do not depend on processes",
           "a whole number from 0 to 1024",
           [](Options& o, const Option& self, std::string_view text) {
             o.shards = number(self, text, std::int64_t{0}, std::int64_t{1024});
           },
           [](const Options& o) { return std::to_string(o.shards); }},
    Option{"--gpu", Value::optional, "N", "train on GPU number N", "a whole number from 0 to 1023",
           [](Options& o, const Option& self, std::string_view text) { o.gpu = number(self, text, 0, 1023); },
           [](const Options&) { return std::string("0 if it is given, otherwise the CPU"); }},
    Option{"--seed", Value::required, "N", "seed of initial weights and order of images",
           "a whole number from 0 to 18446744073709551615",
           [](Options& o, const Option& self, std::string_view text) {
             o.seed = number(self, text, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
           },
           [](const Options& o) { return std::to_string(o.seed); }},
    Option{"--dtype", Value::required, "TYPE", "how numbers are stored", "one of f32, f64, bf16",
           [](Options& o, const Option& self, std::string_view text) { o.dtype = precision(self, text); },
           [](const Options& o) { return std::string(name(o.dtype)); }},
    Option{"--save", Value::required, "FILE", "write weights and momentum after every epoch", "a file name",
           [](Options& o, const Option& self, std::string_view text) { o.save = path(self, text); },
           [](const Options&) { return std::string("not written"); }},
    Option{"--save-every", Value::required, "N", "also write it after every N steps of an epoch",
           "a whole number from 1 to 1000000000",
           [](Options& o, const Option& self, std::string_view text) {
             o.save_every = number(self, text, std::int64_t{1}, std::int64_t{1'000'000'000});
           },
           [](const Options&) { return std::string("after epochs alone"); }},
    Option{"--load", Value::required, "FILE", "begin with the weights of FILE, in its widths and type", "a file name",
           [](Options& o, const Option& self, std::string_view text) { o.load = path(self, text); },
           [](const Options&) { return std::string("random weights"); }},
    Option{"--resume", Value::required, "FILE", "go on with the run that saved FILE, with its options", "a file name",
           [](Options& o, const Option& self, std::string_view text) { o.resume = path(self, text); },
           [](const Options&) { return std::string("a new run"); }},
    Option{"--stop-after", Value::required, "N", "leave after epoch N, as if interrupted",
           "a whole number from 1 to 10000",
           [](Options& o, const Option& self, std::string_view text) { o.stop_after = number(self, text, 1, 10000); },
           [](const Options&) { return std::string("the last epoch"); }},
    Option{"--json", Value::required, "FILE", "also write the final figures as JSON", "a file name",
           [](Options& o, const Option& self, std::string_view text) { o.json = path(self, text); },
           [](const Options&) { return std::string("not written"); }},
    Option{"--trace", Value::required, "FILE",
           "write some steps of all processes for Perfetto; they are trained as with --async", "a file name",
           [](Options& o, const Option& self, std::string_view text) { o.trace = path(self, text); },
           [](const Options&) { return std::string("not written"); }},
    Option{"--report", Value::required, "FILE", "where the report goes", "a file name",
           [](Options& o, const Option& self, std::string_view text) { o.report = path(self, text); },
           [](const Options& o) { return o.report.string(); }},
    Option{"--quiet", Value::none, "", "print nothing but errors", "",
           [](Options& o, const Option&, std::string_view) { o.quiet = true; }, nullptr},
    Option{"--help", Value::none, "", "print this and leave", "",
           [](Options& o, const Option&, std::string_view) { o.help = true; }, nullptr},
};

/// The options that decide the weights, as settings_of() gives them.
constexpr std::array kept{"--epochs", "--batch", "--widths", "--lr",          "--momentum",
                          "--decay",  "--seed",  "--dtype",  "--reproducible"};

const Option& find(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Option::name);
  if (found == table.end()) throw UsageError("unknown option " + in_quotes(name) + "; --help lists the options");
  return *found;
}

/// One option of the command line with its value, if it has one.
struct Given {
  const Option* option;
  std::optional<std::string_view> value;
};

std::vector<Given> split(std::span<const std::string_view> arguments) {
  std::vector<Given> result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : argument.npos;
    Given given{&find(argument.substr(0, equals)), std::nullopt};
    if (equals != argument.npos) given.value = argument.substr(equals + 1);
    const std::string option(given.option->name);
    if (given.value && given.option->value == Value::none)
      throw UsageError(option + " takes no value, but got " + in_quotes(*given.value));
    if (!given.value && given.option->value == Value::required) {
      // A word that starts with -- is the next option, not a value: "--json --quiet" forgot the file's name.
      if (i + 1 == arguments.size() || arguments[i + 1].starts_with("--"))
        throw UsageError(option + " needs a value: " + std::string(given.option->allowed));
      given.value = arguments[++i];
    }
    result.push_back(given);
  }
  return result;
}

std::string help_lines(const Option& option) {
  std::string head = "  " + std::string(option.name);
  if (option.value == Value::optional) head += "[=" + std::string(option.placeholder) + "]";
  if (option.value == Value::required) head += " " + std::string(option.placeholder);
  head.resize(std::max<std::size_t>(head.size() + 2, 22), ' ');
  std::string lines = head + std::string(option.meaning);
  if (!option.allowed.empty()) lines += ": " + std::string(option.allowed);
  lines += "\n";
  if (option.show == nullptr) return lines;
  const std::string indent(22, ' ');
  const std::string plain = option.show(default_options(false));
  const std::string fashion = option.show(default_options(true));
  return lines + indent + "default: " + plain + (fashion == plain ? "" : "; with --fashion: " + fashion) + "\n";
}

/// Two options must not name one file, except to save over what was loaded.
void require_different_files(const Options& o) {
  struct Named {
    std::string_view option;
    std::optional<std::filesystem::path> file;
  };
  const std::array<Named, 4> written{
      Named{"--json", o.json}, {"--report", o.report}, {"--trace", o.trace}, {"--save", o.save}};
  const std::array<Named, 2> read{Named{"--load", o.load}, {"--resume", o.resume}};
  const auto require_different = [](const Named& a, const Named& b) {
    if (a.file && b.file && a.file->lexically_normal() == b.file->lexically_normal())
      throw UsageError(std::string(a.option) + " and " + std::string(b.option) + " both name " +
                       in_quotes(b.file->string()) + "; give each its own file");
  };
  for (std::size_t i = 0; i < written.size(); ++i)
    for (std::size_t j = i + 1; j < written.size(); ++j) require_different(written[i], written[j]);
  for (const Named& file : read)
    for (std::size_t i = 0; i + 1 < written.size(); ++i) require_different(file, written[i]);
}

/// Options that make sense alone, but not together.
void require_consistent(const Options& options) {
  require_different_files(options);
  if (options.load && options.resume)
    throw UsageError("--load begins a run and --resume goes on with one; give one of them");
  if (options.epochs == 0 && !options.load) refuse(find("--epochs"), "0");
  if (options.save_every && !options.save) throw UsageError("--save-every: --save says where");
  if (options.epochs == 0 && options.save) throw UsageError("--save: with --epochs 0 there is nothing new to save");
}

}  // namespace

std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::f32: return "f32";
    case Precision::f64: return "f64";
    case Precision::bf16: return "bf16";
  }
  return "unknown";
}

Options default_options(bool fashion) {
  Options options;
  options.fashion = fashion;
  options.fashion_directory = default_fashion_directory;
  options.epochs = fashion ? 5 : 40;
  options.batch = fashion ? 64 : 32;
  options.widths = fashion ? std::vector<std::int64_t>{256} : std::vector<std::int64_t>{128};
  options.learning_rate = 0.05;
  options.momentum = 0.9;
  options.decay = 1e-4;
  return options;
}

Options parse_options(std::span<const std::string_view> arguments) {
  if (std::ranges::find(arguments, "--help") != arguments.end()) {
    Options options = default_options(false);
    options.help = true;
    return options;
  }
  const std::vector<Given> all = split(arguments);
  const bool fashion = std::ranges::any_of(all, [](const Given& g) { return g.option->name == "--fashion"; });
  Options options = default_options(fashion);
  if (std::ranges::any_of(all, [](const Given& g) { return g.option->name == "--gpu"; })) options.gpu = 0;
  if (std::ranges::any_of(all, [](const Given& g) { return g.option->name == "--reproducible"; })) options.shards = 8;
  for (const Given& given : all)
    if (given.value || given.option->value == Value::none)
      given.option->read(options, *given.option, given.value.value_or(""));
  for (const Given& given : all) options.given.emplace_back(given.option->name);
  require_consistent(options);
  return options;
}

Options parse_options(int argument_count, const char* const* arguments) {
  // A caller of exec may pass no arguments at all, not even the program's name.
  const std::vector<std::string_view> all(arguments + std::min(argument_count, 1), arguments + argument_count);
  return parse_options(all);
}

Settings settings_of(const Options& options) {
  Settings settings;
  for (const std::string_view name : kept) settings.emplace_back(name.substr(2), find(name).show(options));
  return settings;
}

void take_settings(Options& options, const Settings& settings, const std::filesystem::path& file) {
  for (const auto& [name, value] : settings) {
    const Option& option = find("--" + name);
    const std::string asked = option.show(options);
    try {
      option.read(options, option, value);
      require_consistent(options);
    } catch (const UsageError& error) {
      throw DataError(in_quotes(file.string()) + ": " + error.what());
    }
    if (std::ranges::find(options.given, option.name) != options.given.end() && option.show(options) != asked)
      throw UsageError(std::string(option.name) + ": '" + asked + "', but " + in_quotes(file.string()) + " has '" +
                       option.show(options) + "'; leave the option out");
  }
}

void require_fitting_batch(const Options& options, std::int64_t train_images) {
  if (options.batch > train_images)
    throw UsageError("--batch: '" + std::to_string(options.batch) + "' is not a whole number from 1 to " +
                     std::to_string(train_images) + ", the number of training images");
}

std::string command_text(int argument_count, const char* const* arguments) {
  std::string text;
  for (int i = 0; i < argument_count; ++i) text += (text.empty() ? "" : " ") + shell_word(arguments[i]);
  return text;
}

std::string help_text() {
  std::string text =
      "Usage: digits [OPTION]...\n"
      "\n"
      "Trains a multilayer perceptron (ReLU, softmax cross-entropy, descent with momentum and weight decay)\n"
      "on the handwritten digits inside the program, or on Fashion-MNIST, and writes a report to read in a browser.\n"
      "Under mpirun each process learns from its part of every batch, and the first one writes.\n"
      "\n"
      "Options (--name VALUE or --name=VALUE; of an option given twice the last one counts):\n";
  for (const Option& option : table) text += help_lines(option);
  return text +
         "\n"
         "Exit code: 0 when the run finished, 2 when options, data or an output file are not usable.\n";
}

}  // namespace digits
