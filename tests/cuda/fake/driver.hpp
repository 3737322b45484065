// What the two halves of the fake driver share.
#pragma once

#include "machine.hpp"

namespace fake {

/// The GPU whose context is current in this thread.
extern thread_local Gpu* current;

/// Whether the next copy or allocation fails, as a test has wished.
bool fails_now();

}  // namespace fake
