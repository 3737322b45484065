# Turns a file into a C++ source that holds its bytes: cmake -DINPUT=... -DOUTPUT=... -DFUNCTION=... -P embed.cmake
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
# 20 bytes a line, so that editors and diagnostics do not meet a line of half a megabyte.
string(REPEAT "0x..," 20 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
get_filename_component(name "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "// The bytes of ${name}, written by embed.cmake at build time.
#include \"embedded.hpp\"

namespace digits {

namespace {
constexpr unsigned char bytes[] = {
${bytes}};
}  // namespace

std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(bytes), sizeof bytes}; }

}  // namespace digits
")
