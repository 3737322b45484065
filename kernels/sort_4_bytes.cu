// Sorting elements of four bytes.
#include "sort_rows.cuh"

namespace tessera::kernels {

template void sort_rows<std::int32_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<std::uint32_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<float>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::int32_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::uint32_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<float>(const TesseraSort&, const TesseraStream&);

}  // namespace tessera::kernels
