// Small grey images as text that a page can hold.
#pragma once

#include <span>
#include <string>

namespace digits {

/// A PNG of black ink on nothing, as a data URI: a pixel of 0 is transparent, of 1 opaque, values beyond are clipped.
/// The page can therefore show it on any background, and invert it on a dark one. `pixels` holds rows x columns values.
std::string ink_image(std::span<const float> pixels, int rows, int columns);

}  // namespace digits
