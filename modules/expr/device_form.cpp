module;
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The kernels of expressions that this process has loaded.
namespace tessera::plan {

namespace {

const LoadedKernel* find(const DeviceForm& form, const DeviceKernelKey& key) {
  const LoadedKernel* loaded = form.kernels.load(std::memory_order_acquire);
  while (loaded != nullptr && !(loaded->key == key)) loaded = loaded->next;
  return loaded;
}

}  // namespace

const char* name_of(DeviceForm& form) {
  const char* name = form.name.load(std::memory_order_acquire);
  if (name == nullptr) form.name.store(name = readable_expression(form.function), std::memory_order_release);
  return name;
}

const device::Kernel& kernel_of_form(DeviceForm& form, const DeviceKernelKey& key,
                                     const std::function<std::string()>& write) {
  if (const LoadedKernel* loaded = find(form, key)) return *loaded->kernel;
  static std::mutex mutex;  // two threads with one wish: find_kernel compiles once, and one of them extends the list
  const device::Kernel& kernel =
      device::find_kernel(key.place, write(), std::string(name_of(form)) + ", " + to_string(key.variant));
  const std::lock_guard lock(mutex);
  if (const LoadedKernel* loaded = find(form, key)) return *loaded->kernel;
  auto fresh = std::make_unique<LoadedKernel>(
      LoadedKernel{.key = key, .kernel = &kernel, .next = form.kernels.load(std::memory_order_relaxed)});
  form.kernels.store(fresh.release(), std::memory_order_release);  // lives as long as the program
  return kernel;
}

}  // namespace tessera::plan
