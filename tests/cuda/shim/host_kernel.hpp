// The way into a kernel that was compiled for the host as a shared library of its own. It follows the kernel's text.
#pragma once

extern "C" __attribute__((visibility("default"))) void shim_call(const void* arguments) {
  shim::call(tessera_kernel, arguments);
}

extern "C" __attribute__((visibility("default"))) const unsigned long shim_argument_bytes =
    shim::argument_bytes(tessera_kernel);

extern "C" __attribute__((visibility("default"))) shim::View shim_bind(const shim::Threads* threads) {
  shim::threads = threads;
  return shim::view();
}
