// Tests of numbers and names as text.
#include "text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace digits;

TEST_CASE("numbers are written with the digits that are asked for") {
  CHECK(fixed(1.0 / 3, 4) == "0.3333");
  CHECK(fixed(-2.5, 1) == "-2.5");
  CHECK(fixed(1e308, 0).size() == 309);
  CHECK(fixed(std::nan(""), 2) == "nan");
  CHECK(fixed(-INFINITY, 2) == "-inf");
  CHECK(shortest(0.1) == "0.1");
  CHECK(percent(0.97777) == "97.78 %");
  CHECK(percent(1, 0) == "100 %");
}

TEST_CASE("only a text that is a number from end to end is one") {
  CHECK(number_from<int>("-12") == -12);
  CHECK(number_from<double>("1e-3") == 1e-3);
  for (const std::string_view text : {"", " 1", "1 ", "+1", "1,", "0x1", "2147483648", "1.0"})
    CHECK_FALSE(number_from<int>(text).has_value());
  CHECK_FALSE(number_from<double>("1e400").has_value());
}

TEST_CASE("numbers are joined by what is asked for") {
  CHECK(joined(std::vector<std::int64_t>{64, 128, 10}, "–") == "64–128–10");
  CHECK(joined(std::vector<std::int64_t>{}, ",") == "");
}

TEST_CASE("thousands are set apart by commas") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-999) == "-999");
  CHECK(grouped(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("byte counts change their unit where the number would get a fourth digit") {
  CHECK(byte_count(0) == "0 B");
  CHECK(byte_count(1023) == "1023 B");
  CHECK(byte_count(1536) == "1.5 KiB");
  CHECK(byte_count((1 << 20) - 1) == "1.0 MiB");
  CHECK(byte_count(std::int64_t{5} << 30) == "5.0 GiB");
  CHECK(byte_count(std::numeric_limits<std::int64_t>::max()) == "8192.0 PiB");
}

TEST_CASE("durations are written in the unit that fits") {
  CHECK(duration(0) == "0 s");
  CHECK(duration(0.00042) == "0.42 ms");
  CHECK(duration(0.0421) == "42 ms");
  CHECK(duration(0.9999) == "1.00 s");
  CHECK(duration(3.1) == "3.10 s");
  CHECK(duration(12.34) == "12.3 s");
  CHECK(duration(59.99) == "1 min 00 s");
  CHECK(duration(125) == "2 min 05 s");
  CHECK(duration(INFINITY) == "inf s");
}

TEST_CASE("hexadecimal numbers have all their digits") {
  CHECK(hexadecimal(0) == "0000000000000000");
  CHECK(hexadecimal(0x1234abcd) == "000000001234abcd");
  CHECK(hexadecimal(~std::uint64_t{0}) == "ffffffffffffffff");
}

TEST_CASE("what stands in a message stays on its line") {
  CHECK(in_quotes("a b") == "'a b'");
  CHECK(in_quotes("a\nb\x1b[31m\x7f") == "'a\\x0ab\\x1b[31m\\x7f'");
  CHECK(in_quotes("süß") == "'süß'");
  CHECK(in_quotes(std::string(1000, 'x')).size() == 125);
}

TEST_CASE("HTML cannot be broken by a name") {
  CHECK(html_escaped("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}
