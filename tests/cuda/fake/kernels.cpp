// Loading kernels from memory.
#include "kernels.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace fake {

namespace {

/// Length of an ELF file that ends with its section headers, as linkers write them; 0 if it is none for this machine.
std::size_t length_of(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_X86_64) return 0;
  return header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
}

bool write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

Module* load(const void* image) {
  const std::size_t bytes = length_of(image);
  if (bytes == 0) return nullptr;
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/fake_kernel_XXXXXX";
  const int file = mkstemp(path.data());  // a name of its own: the loader knows libraries by their names
  if (file < 0 || !write_all(file, static_cast<const char*>(image), bytes)) refuse("no file for a kernel's library");
  ::close(file);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::fprintf(stderr, "fake CUDA: %s\n", dlerror());
  ::unlink(path.c_str());
  if (library == nullptr) return nullptr;
  static auto& modules = *new std::vector<std::unique_ptr<Module>>;
  return modules.emplace_back(std::make_unique<Module>(Module{.library = library})).get();
}

Function* find(const Module& module, const std::string& name, const Gpu& gpu) {
  if (name != "tessera_kernel") return nullptr;
  const auto call = reinterpret_cast<void (*)(const void*)>(dlsym(module.library, "shim_call"));
  const auto bind = reinterpret_cast<shim::View (*)(const shim::Threads*)>(dlsym(module.library, "shim_bind"));
  const auto* bytes = static_cast<const unsigned long*>(dlsym(module.library, "shim_argument_bytes"));
  if (call == nullptr || bind == nullptr || bytes == nullptr) return nullptr;
  return new Function{.gpu = &gpu, .call = call, .argument_bytes = *bytes, .view = bind(&shim::threads_of_grid())};
}

std::vector<Range> memory_of(Machine& machine, std::span<const std::byte> arguments) {
  std::vector<Range> found;
  for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    const Gpu* gpu = machine.gpu_of(word);
    if (gpu == nullptr) continue;
    const GpuMemory::Range block = gpu->memory.block_of(word);
    if (block.begin == block.end) refuse("a kernel is launched with a pointer into GPU memory that is not allocated");
    found.push_back({block.begin, block.end});
  }
  return found;
}

}  // namespace fake
