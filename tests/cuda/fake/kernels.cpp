// Loading kernels from memory, and running them.
#include "kernels.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fake {

namespace {

constexpr char magic[] = "fake cubin";
constexpr char ptx_magic[] = "fake ptx";
constexpr int unsupported_ptx = 222;

/// CUDA 12.8 has PTX 8.7, and CUDA 13.0 has 9.0.
double newest_ptx(int driver) {
  const int minor = driver % 1000 / 10;
  return driver >= 13000 ? driver / 1000 - 4 + minor / 10.0 : 8 + (minor > 5 ? minor - 1 : minor) / 10.0;
}

/// The bytes after CU_LAUNCH_PARAM_BUFFER_POINTER in `extra`.
std::span<const std::byte> arguments_of(void** extra) {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  for (; *extra != nullptr; extra += 2) {
    const auto word = reinterpret_cast<std::uintptr_t>(extra[0]);
    if (word == 1) begin = static_cast<const std::byte*>(extra[1]);
    if (word == 2) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  return {begin, bytes};
}

/// What a kernel that does nothing leaves behind its pointers: zeros, which are values of every type, as chance bytes of a bool are not.
void clear_results(Machine& machine, std::span<const std::byte> arguments) {
  constexpr std::uint64_t most = 64 << 10;
  for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    const Gpu* gpu = machine.gpu_of(word);
    if (gpu == nullptr) continue;
    std::memset(gpu->memory.behind(word), 0, std::min(most, gpu->memory.block_of(word).end - word));
  }
}

template <class Symbol>
Symbol* symbol(const Module& module, const std::string& name) {
  return reinterpret_cast<Symbol*>(dlsym(module.library, name.c_str()));
}

}  // namespace

int load(Module*& module, const void* image, int driver) {
  const char* text = static_cast<const char*>(image);
  if (std::strncmp(text, ".version ", 9) == 0) {  // PTX: the same words are behind its first line
    if (std::atof(text + 9) > newest_ptx(driver)) return unsupported_ptx;
    text = std::strchr(text, '\n') + 1;
    if (std::memcmp(text, ptx_magic, sizeof ptx_magic) != 0) return invalid_image;
    text += sizeof ptx_magic;
  } else {
    if (std::memcmp(text, magic, sizeof magic) != 0) return invalid_image;
    text += sizeof magic;
    if (std::atoi(text) > driver / 1000) return invalid_image;
  }
  const std::string compiler = text;
  const std::string kernel = text += compiler.size() + 1;
  const std::string path = text += kernel.size() + 1;
  const int bound = std::atoi(text + path.size() + 1);
  void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && !path.empty()) {
    std::fprintf(stderr, "fake CUDA: %s\n", dlerror());
    return invalid_image;
  }
  static auto& modules = *new std::vector<std::unique_ptr<Module>>;
  module = modules.emplace_back(std::make_unique<Module>(Module{.library = library, .kernel = kernel, .bound = bound}))
               .get();
  return success;
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

int check_launch(Launch& launch, const Gpu* gpu, void** extra) {
  const Function& function = *launch.function;
  if (function.gpu != gpu) return invalid_handle;
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads > 1024) return invalid_value;
  // Without bounds the compiler may use so many registers that there are enough for 256 threads only.
  if (launch.threads > static_cast<unsigned>(function.bound != 0 ? function.bound : 256)) return out_of_resources;
  if (static_cast<int>(launch.shared_bytes) > function.shared_allowed) return invalid_value;
  const std::span<const std::byte> bytes = arguments_of(extra);
  if (function.call != nullptr && bytes.size() != function.argument_bytes) {
    refuse("a kernel that takes " + std::to_string(function.argument_bytes) + " bytes is launched with " +
           std::to_string(bytes.size()));
  }
  launch.arguments.assign(bytes.begin(), bytes.end());
  return success;
}

void run_kernel(Machine& machine, const Launch& launch) {
  const std::vector<std::byte>& arguments = launch.arguments;
  if (launch.function->call == nullptr) return clear_results(machine, arguments);
  const std::vector<Range> blocks_used = memory_of(machine, arguments);  // which are still allocated
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> aligned(arguments.size() / sizeof(Line) + 1);
  std::memcpy(aligned.data(), arguments.data(), arguments.size());
  for (const Range& block : blocks_used) open_block(block.begin, block.end);
  shim::run_grid(launch.function->call, aligned.data(), launch.blocks, launch.threads, launch.function->view,
                 machine.random_below(1u << 30));
  for (const Range& block : blocks_used) close_block(block.begin, block.end);
}

}  // namespace fake
