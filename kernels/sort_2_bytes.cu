// Sorting elements of two bytes.
#include "sort_rows.cuh"

namespace tessera::kernels {

template void sort_rows<std::int16_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<std::uint16_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<__half>(const TesseraSort&, const TesseraStream&);
template void sort_rows<__nv_bfloat16>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::int16_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::uint16_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<__half>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<__nv_bfloat16>(const TesseraSort&, const TesseraStream&);

}  // namespace tessera::kernels
