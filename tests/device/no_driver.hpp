// The name of a CUDA driver library that does not exist: these tests hold with and without a GPU in the machine.
#pragma once

inline constexpr const char* missing_driver = "libtessera_test_without_driver.so";
