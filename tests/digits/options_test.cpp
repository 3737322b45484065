// Tests of the command line.
#include "options.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "messages.hpp"

using namespace digits;

namespace {

Options parse(std::initializer_list<std::string_view> arguments) {
  return parse_options(std::vector<std::string_view>(arguments));
}

std::string complaint(std::initializer_list<std::string_view> arguments) {
  return message_of<UsageError>([&] { parse(arguments); });
}

}  // namespace

TEST_CASE("without options the digits are trained") {
  const Options options = parse({});
  CHECK_FALSE(options.fashion);
  CHECK(options.epochs == 40);
  CHECK(options.widths == std::vector<std::int64_t>{128});
  CHECK(options.dtype == Precision::f32);
  CHECK_FALSE(options.threads.has_value());
  CHECK_FALSE(options.json.has_value());
  CHECK(options.report == "report.html");
  CHECK_FALSE(options.quiet);
}

TEST_CASE("--fashion changes the defaults wherever it stands, and leaves what is given") {
  const Options options = parse({"--batch", "16", "--fashion"});
  CHECK(options.fashion);
  CHECK(options.fashion_directory == "/usr/share/datasets/fashion-mnist");
  CHECK(options.batch == 16);
  CHECK(options.epochs == 5);
  CHECK(options.widths == std::vector<std::int64_t>{256});
  CHECK(parse({"--fashion"}).batch == 64);
  CHECK(parse({"--fashion=some/where"}).fashion_directory == "some/where");
}

TEST_CASE("every option is read, with a blank or with an equals sign") {
  const Options options = parse({"--epochs",
                                 "3",
                                 "--batch=7",
                                 "--widths",
                                 "256,128,8192",
                                 "--lr=1e-3",
                                 "--momentum",
                                 "0",
                                 "--decay",
                                 "0.5",
                                 "--threads=2",
                                 "--seed",
                                 "18446744073709551615",
                                 "--dtype",
                                 "bf16",
                                 "--save",
                                 "c.safetensors",
                                 "--load=d.safetensors",
                                 "--stop-after",
                                 "2",
                                 "--reproducible=12",
                                 "--save-every",
                                 "100",
                                 "--trace=t.json",
                                 "--json",
                                 "a.json",
                                 "--report=b.html",
                                 "--quiet"});
  CHECK(options.epochs == 3);
  CHECK(options.batch == 7);
  CHECK(options.widths == std::vector<std::int64_t>{256, 128, 8192});
  CHECK(options.learning_rate == 1e-3);
  CHECK(options.momentum == 0);
  CHECK(options.decay == 0.5);
  CHECK(options.threads == 2);
  CHECK(options.seed == std::numeric_limits<std::uint64_t>::max());
  CHECK(options.dtype == Precision::bf16);
  CHECK(options.save == "c.safetensors");
  CHECK(options.load == "d.safetensors");
  CHECK(parse({"--resume", "e.safetensors"}).resume == "e.safetensors");
  CHECK(options.stop_after == 2);
  CHECK(options.shards == 12);
  CHECK(options.save_every == 100);
  CHECK(options.trace == "t.json");
  CHECK(options.json == "a.json");
  CHECK(options.report == "b.html");
  CHECK(options.quiet);
}

TEST_CASE("of an option given twice the last one counts") { CHECK(parse({"--epochs", "3", "--epochs=4"}).epochs == 4); }

TEST_CASE("a value may hold an equals sign") { CHECK(parse({"--report=a=b.html"}).report == "a=b.html"); }

TEST_CASE("--help wins over everything else") {
  CHECK(parse({"--epochs", "none", "--help"}).help);
  CHECK_FALSE(parse({}).help);
}

TEST_CASE("a whole number that is none, or out of range, is refused with option, value and range") {
  for (const std::string option : {"--epochs", "--batch", "--threads"}) {
    for (const std::string value :
         {"0", "-1", "99999999", "99999999999999999999999", "1e3", "3.5", "7x", " 7", "+7", "0x10", "nan"}) {
      INFO(option, " ", value);
      const std::string message = complaint({option, value});
      check_contains(message, option + ": '" + value + "' is not a whole number from 1 to ");
      CHECK(message.find('\n') == message.npos);
    }
  }
  CHECK(complaint({"--epochs="}) == "--epochs: '' is not a whole number from 1 to 10000, or 0 with --load");
  CHECK(complaint({"--seed", "-1"}) == "--seed: '-1' is not a whole number from 0 to 18446744073709551615");
  CHECK(complaint({"--seed", "18446744073709551616"}).find("18446744073709551616") == 9);
  for (const std::string value : {"-1", "1025", "1.5", "many"}) {
    CHECK(complaint({"--reproducible=" + value}) ==
          "--reproducible: '" + value + "' is not a whole number from 0 to 1024");
  }
  for (const std::string value : {"0", "-1", "1000000001", "x"}) {
    CHECK(complaint({"--save", "w", "--save-every", value}) ==
          "--save-every: '" + value + "' is not a whole number from 1 to 1000000000");
  }
}

TEST_CASE("a number that is none, or out of range, is refused with option, value and range") {
  for (const std::string value : {"nan", "-nan", "inf", "-0.1", "101", "1e400", "1e-400", "0.1f", "0,1", "one", ""}) {
    INFO(value);
    CHECK(complaint({"--lr", value}) == "--lr: '" + value + "' is not a number above 0 and up to 100");
  }
  CHECK(complaint({"--lr", "0"}) == "--lr: '0' is not a number above 0 and up to 100");
  CHECK(complaint({"--momentum", "1"}) == "--momentum: '1' is not a number from 0 and below 1");
  CHECK(complaint({"--momentum", "-0.5"}) == "--momentum: '-0.5' is not a number from 0 and below 1");
  CHECK(complaint({"--decay", "1.5"}) == "--decay: '1.5' is not a number from 0 to 1");
  CHECK(parse({"--lr", "100"}).learning_rate == 100);
  CHECK(parse({"--momentum", "0.999"}).momentum == 0.999);
}

TEST_CASE("widths are a list without gaps") {
  for (const std::string value :
       {"", ",", "256,", ",256", "256,,128", "0", "256,-1", "8193", "a", "1,2,3,4,5,6,7,8,9", "256 128"}) {
    INFO(value);
    CHECK(complaint({"--widths", value}) ==
          "--widths: '" + value + "' is not a list of 1 to 8 whole numbers from 1 to 8192, separated by commas");
  }
  CHECK(parse({"--widths", "1,2,3,4,5,6,7,8"}).widths.size() == 8);
}

TEST_CASE("names that do not exist are refused") {
  CHECK(complaint({"--epoch", "3"}) == "unknown option '--epoch'; --help lists the options");
  CHECK(complaint({"digits.csv"}) == "unknown option 'digits.csv'; --help lists the options");
  CHECK(complaint({"-h"}) == "unknown option '-h'; --help lists the options");
  CHECK(complaint({""}) == "unknown option ''; --help lists the options");
  CHECK(complaint({"--"}) == "unknown option '--'; --help lists the options");
  CHECK(complaint({"--a\nb"}) == "unknown option '--a\\x0ab'; --help lists the options");
  CHECK(complaint({"--dtype", "f16"}) == "--dtype: 'f16' is not one of f32, f64, bf16");
}

TEST_CASE("a missing value is missed, and a value too many too") {
  CHECK(complaint({"--epochs"}) == "--epochs needs a value: a whole number from 1 to 10000, or 0 with --load");
  CHECK(complaint({"--json", "--quiet"}) == "--json needs a value: a file name");
  CHECK(complaint({"--report="}) == "--report: '' is not a file name");
  CHECK(complaint({"--trace"}) == "--trace needs a value: a file name");
  CHECK(complaint({"--save-every", "5"}) == "--save-every: --save says where");
  CHECK(complaint({"--fashion="}) == "--fashion: '' is not a directory");
  CHECK(complaint({"--quiet=yes"}) == "--quiet takes no value, but got 'yes'");
}

TEST_CASE("no two results go to the same file, and none over a file that is read") {
  check_contains(complaint({"--json", "./out", "--report", "out"}), "--json and --report both name 'out'");
  check_contains(complaint({"--json", "out", "--save", "./out"}), "--json and --save both name './out'");
  check_contains(complaint({"--report", "out", "--save", "out"}), "--report and --save both name 'out'");
  check_contains(complaint({"--trace", "out", "--save", "out"}), "--trace and --save both name 'out'");
  check_contains(complaint({"--json", "out", "--trace", "out"}), "--json and --trace both name 'out'");
  check_contains(complaint({"--resume", "in", "--trace", "in"}), "--resume and --trace both name 'in'");
  check_contains(complaint({"--load", "in", "--report", "in"}), "--load and --report both name 'in'");
  check_contains(complaint({"--resume", "in", "--json", "in"}), "--resume and --json both name 'in'");
  CHECK(parse({"--resume", "w.safetensors", "--save", "w.safetensors"}).save == "w.safetensors");
  CHECK(parse({"--load", "w.safetensors", "--save", "w.safetensors"}).save == "w.safetensors");
}

TEST_CASE("a run begins with one file, and without epochs only to look at its weights") {
  check_contains(complaint({"--load", "a", "--resume", "b"}), "--load begins a run and --resume goes on with one");
  CHECK(complaint({"--epochs", "0"}) == "--epochs: '0' is not a whole number from 1 to 10000, or 0 with --load");
  CHECK(complaint({"--resume", "a", "--epochs", "0"}) ==
        "--epochs: '0' is not a whole number from 1 to 10000, or 0 with --load");
  CHECK(parse({"--load", "a", "--epochs", "0"}).epochs == 0);
  CHECK(complaint({"--load", "a", "--epochs", "0", "--save", "b"}) ==
        "--save: with --epochs 0 there is nothing new to save");
}

TEST_CASE("batches are cut in shards where it is asked for, in eight unless it says how many") {
  CHECK(parse({}).shards == 0);
  CHECK(parse({"--reproducible"}).shards == 8);
  CHECK(parse({"--reproducible=1024"}).shards == 1024);
  CHECK(parse({"--reproducible=0"}).shards == 0);
}

TEST_CASE("settings are all options that decide the weights, as text that reads back") {
  const Options options =
      parse({"--epochs",          "3",         "--batch", "7",      "--widths", "9,8", "--lr",    "0.1",
             "--momentum",        "0.7",       "--decay", "1e-3",   "--seed",   "5",   "--dtype", "f64",
             "--reproducible=12", "--threads", "2",       "--quiet"});
  const Settings settings = settings_of(options);
  CHECK(settings == Settings{{"epochs", "3"},
                             {"batch", "7"},
                             {"widths", "9,8"},
                             {"lr", "0.1"},
                             {"momentum", "0.7"},
                             {"decay", "0.001"},
                             {"seed", "5"},
                             {"dtype", "f64"},
                             {"reproducible", "12"}});
  Options taken = parse({});
  take_settings(taken, settings, "w.safetensors");
  CHECK(settings_of(taken) == settings);
  CHECK(taken.learning_rate == options.learning_rate);
  CHECK_FALSE(taken.quiet);
}

TEST_CASE("settings of a file win over defaults, and contradict what is given with both values") {
  const Settings settings = settings_of(parse({"--epochs", "3", "--seed", "5", "--lr", "0.001"}));
  const auto conflict = [&](std::initializer_list<std::string_view> arguments) {
    Options options = parse(arguments);
    return message_of<UsageError>([&] { take_settings(options, settings, "w.safetensors"); });
  };
  CHECK(conflict({"--seed", "6"}) == "--seed: '6', but 'w.safetensors' has '5'; leave the option out");
  CHECK(conflict({"--epochs=4"}) == "--epochs: '4', but 'w.safetensors' has '3'; leave the option out");
  CHECK(conflict({"--widths", "64,32"}) == "--widths: '64,32', but 'w.safetensors' has '128'; leave the option out");
  Options same = parse({"--seed", "5", "--lr", "1e-3", "--fashion"});
  take_settings(same, settings, "w.safetensors");
  CHECK(same.epochs == 3);
  CHECK(same.batch == 32);
}

TEST_CASE("a setting that no option can have is the file's fault") {
  const auto fault = [](const Settings& settings) {
    Options options = parse({});
    return message_of<DataError>([&] { take_settings(options, settings, "w.safetensors"); });
  };
  CHECK(fault({{"batch", "0"}}) == "'w.safetensors': --batch: '0' is not a whole number from 1 to 65536");
  check_contains(fault({{"lr", "fast"}}), "'w.safetensors': --lr: 'fast' is not a number");
  check_contains(fault({{"widths", ""}}), "'w.safetensors': --widths: '' is not a list");
  check_contains(fault({{"epochs", "0"}}), "'w.safetensors': --epochs: '0' is not a whole number from 1 to 10000");
}

TEST_CASE("the program's name is no option, and may even be missing") {
  const char* const arguments[] = {"digits", "--epochs", "9"};
  CHECK(parse_options(3, arguments).epochs == 9);
  CHECK(parse_options(0, arguments).epochs == 40);
}

TEST_CASE("a batch that is larger than the data is refused with both numbers") {
  Options options = parse({"--batch", "1438"});
  require_fitting_batch(options, 1438);
  CHECK(message_of<UsageError>([&] { require_fitting_batch(options, 1437); }) ==
        "--batch: '1438' is not a whole number from 1 to 1437, the number of training images");
}

TEST_CASE("the command can be typed again") {
  const char* const arguments[] = {"./digits", "--epochs=3", "--report", "my report's.html", ""};
  CHECK(command_text(5, arguments) == R"(./digits --epochs=3 --report 'my report'\''s.html' '')");
}

TEST_CASE("the help names every option with its range and defaults") {
  const std::string help = help_text();
  for (const std::string_view part : {"--fashion[=DIR]",
                                      "--epochs N",
                                      "--batch N",
                                      "--widths N,N,...",
                                      "--lr X",
                                      "--momentum X",
                                      "--decay X",
                                      "--threads N",
                                      "--seed N",
                                      "--dtype TYPE",
                                      "--save FILE",
                                      "--load FILE",
                                      "--resume FILE",
                                      "--stop-after N",
                                      "--reproducible[=N]",
                                      "--save-every N",
                                      "--trace FILE",
                                      "--json FILE",
                                      "--report FILE",
                                      "--quiet",
                                      "--help",
                                      "one of f32, f64, bf16",
                                      "default: 40; with --fashion: 5",
                                      "default: 128; with --fashion: 256",
                                      "default: report.html"})
    check_contains(help, part);
  std::size_t longest = 0;
  for (std::size_t start = 0; start < help.size(); start = help.find('\n', start) + 1)
    longest = std::max(longest, help.find('\n', start) - start);
  CHECK(longest <= 120);
}
