// Loading kernels from memory.
#include "kernels.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fake {

namespace {

constexpr char magic[] = "fake cubin";

template <class Symbol>
Symbol* symbol(const Module& module, const std::string& name) {
  return reinterpret_cast<Symbol*>(dlsym(module.library, name.c_str()));
}

}  // namespace

Module* load(const void* image) {
  const char* const text = static_cast<const char*>(image);
  if (std::memcmp(text, magic, sizeof magic) != 0) return nullptr;
  const std::string kernel = text + sizeof magic;
  const std::string path = text + sizeof magic + kernel.size() + 1;
  const int bound = std::atoi(text + sizeof magic + kernel.size() + 1 + path.size() + 1);
  void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && !path.empty()) {
    std::fprintf(stderr, "fake CUDA: %s\n", dlerror());
    return nullptr;
  }
  static auto& modules = *new std::vector<std::unique_ptr<Module>>;
  return modules.emplace_back(std::make_unique<Module>(Module{.library = library, .kernel = kernel, .bound = bound}))
      .get();
}

Function* find(const Module& module, const std::string& name, const Gpu& gpu) {
  if (name != "tessera_kernel") return nullptr;
  if (module.library == nullptr) return new Function{.gpu = &gpu, .bound = module.bound};
  auto* const call = symbol<void(const void*)>(module, "shim_call_" + module.kernel);
  auto* const bytes = symbol<const unsigned long>(module, "shim_argument_bytes_" + module.kernel);
  auto* const bind = symbol<shim::View(const shim::Threads*)>(module, "shim_bind");
  if (call == nullptr || bind == nullptr || bytes == nullptr) return nullptr;
  return new Function{.gpu = &gpu,
                      .call = call,
                      .argument_bytes = *bytes,
                      .view = bind(&shim::threads_of_grid()),
                      .bound = module.bound};
}

std::vector<Range> memory_of(Machine& machine, std::span<const std::byte> arguments) {
  std::vector<Range> found;
  for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    const Gpu* gpu = machine.gpu_of(word);
    if (gpu == nullptr) continue;
    const GpuMemory::Range block = gpu->memory.block_of(word);
    if (block.begin == block.end) {
      char text[128];
      std::snprintf(text, sizeof text, "%#llx at byte %zu of %zu", static_cast<unsigned long long>(word), at,
                    arguments.size());
      refuse(std::string("a kernel is launched with a pointer into GPU memory that is not allocated: ") + text);
    }
    found.push_back({block.begin, block.end});
  }
  return found;
}

}  // namespace fake
