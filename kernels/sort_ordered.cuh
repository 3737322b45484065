// Sorting rows whose elements become unsigned numbers first, so that there is one kernel for all types of a size.
#pragma once
#include "order.cuh"
#include "sort.h"
#include "sort_choice.hpp"

namespace tessera::kernels {

/// Writes 0, 1, ... length - 1 over and over, `count` numbers in all.
void write_positions(std::int64_t* positions, std::int64_t length, std::int64_t count, const TesseraStream& stream);

template <class Bits>
void sort_ordered(const TesseraSort& sort, const Order<Bits>& order, const TesseraStream& stream);

template <class Bits>
void argsort_ordered(const TesseraSort& sort, const Order<Bits>& order, const TesseraStream& stream);

}  // namespace tessera::kernels
