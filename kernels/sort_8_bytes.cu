// Sorting elements of eight bytes.
#include "sort_rows.cuh"

namespace tessera::kernels {

template void sort_rows<std::int64_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<std::uint64_t>(const TesseraSort&, const TesseraStream&);
template void sort_rows<double>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::int64_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<std::uint64_t>(const TesseraSort&, const TesseraStream&);
template void argsort_rows<double>(const TesseraSort&, const TesseraStream&);

}  // namespace tessera::kernels
