// Sorting elements of one byte.
#include "sort_rows.cuh"

namespace tessera::kernels {

template void sort_rows<bool>(const TesseraSort&, const TesseraStream&);
template void sort_rows<std::int8_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<std::uint8_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<bool>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::int8_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::uint8_t>(const TesseraSort&, const TesseraStream&);

}  // namespace tessera::kernels
