module;
#include <cstddef>
export module tessera.array:number_text;
import tessera.standard;
import tessera.core;

// Floating and complex numbers as text, under NumPy's rules.
namespace tessera {

/// Values of a floating dtype with their points in line, all in one format as NumPy does: the shortest digits that give the value
/// back, 8 decimals at most, scientific notation for very large, very small or widely spread values.
std::vector<std::string> format_floats(std::span<const double> values, DType dtype);

/// As format_floats for the real and the imaginary parts, which are formatted apart; `dtype` is that of a part.
std::vector<std::string> format_complex(std::span<const double> real, std::span<const double> imag, DType dtype);

/// One value outside brackets, with all digits that it takes to give it back.
std::string scalar_text(double value, DType dtype);
std::string scalar_text(double real, double imag, DType dtype);

/// Characters, not bytes, of UTF-8.
std::size_t text_length(std::string_view text);

/// Makes all cells as wide as the widest.
void pad_left(std::vector<std::string>& cells);

}  // namespace tessera
