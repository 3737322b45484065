// Every kernel of a test compiles to cubins for the architectures that matter, elementwise ones without local memory. The kernels' texts are
// the files of the folder KERNEL_TEXTS. Many share a program, which halves the time that NVRTC takes for them.
//
// KERNEL_ARCHITECTURES=rotated compiles each kernel for one of the architectures, so that a few hundred kernels cost what one
// architecture costs; otherwise each is compiled for all.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host_text.hpp"
#include "nvrtc.hpp"

namespace {

constexpr std::size_t kernels_of_a_program = 24;
constexpr int wanted_architectures[] = {80, 90, 100, 120};

struct Kernel {
  std::string name;
  std::string source;
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::vector<Kernel> kernels_in(const std::filesystem::path& folder) {
  std::vector<Kernel> kernels;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".cu") kernels.push_back({file.path().stem(), contents(file.path())});
  }
  std::ranges::sort(kernels, {}, &Kernel::name);
  return kernels;
}

/// The kernels in one text, each in a namespace and with a name of its own.
std::string program_of(const std::vector<Kernel>& kernels) {
  constexpr std::string_view entry = "tessera_kernel(";
  std::string text;
  for (const Kernel& kernel : kernels) {
    std::string renamed = kernel.source;
    renamed.replace(renamed.find(entry), entry.size(), "kernel_" + kernel.name + "(");
    text += shim::in_namespace("space_" + kernel.name, renamed);
  }
  return text;
}

/// What the assembler says of a kernel's memory: the line after the one that names it.
std::string properties_of(const Nvrtc::Compiled& compiled, const Kernel& kernel) {
  const std::size_t named = compiled.log.find("Function properties for kernel_" + kernel.name);
  if (named == std::string::npos) return "the report does not name it";
  const std::size_t line = compiled.log.find('\n', named) + 1;
  return compiled.log.substr(line, compiled.log.find('\n', line) - line);
}

/// The number behind a word of the text; `otherwise` if the word is not there.
int number_after(std::string_view text, std::string_view word, int otherwise) {
  const std::size_t at = text.find(word);
  return at == text.npos ? otherwise : std::atoi(std::string(text.substr(at + word.size(), 8)).c_str());
}

/// The number in front of a word of the text; 0 if the word is not there.
int number_before(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == text.npos) return 0;
  const std::size_t space = text.rfind(' ', at - 1);
  return std::atoi(std::string(text.substr(space + 1, at - space - 1)).c_str());
}

/// Registers that a thread needs, as the assembler says: in the line after that of the memory.
int registers_of(const Nvrtc::Compiled& compiled, const Kernel& kernel) {
  const std::size_t named = compiled.log.find("Function properties for kernel_" + kernel.name);
  if (named == std::string::npos) return 0;
  return number_after(std::string_view(compiled.log).substr(named), "Used ", 0);
}

/// What the threads of the largest block that is launched may have: a block has 65536 registers, and a kernel without bounds 256 threads at most.
int most_registers(const Kernel& kernel) {
  constexpr int of_a_block = 65536;
  return of_a_block / number_after(kernel.source, "__launch_bounds__(", 256);
}

/// Whether a kernel stores every element of an expression; others fold values or copy.
bool is_elementwise(const std::string& source) {
  return contains(source, "packs") || contains(source, "i < a.count") || contains(source, "tile < a.count");
}

/// Whether the threads of a kernel keep a row of values in their registers.
bool keeps_row(const std::string& source) { return contains(source, "C held["); }

/// CUDA's own reduction of large angles keeps its digits in local memory. Of complex numbers exponentials and powers take sines, too.
bool reduces_angles(const std::string& source) {
  const std::string kernel = source.substr(std::min(source.size(), source.find("struct tessera_arguments")));
  const auto calls = [&](std::initializer_list<const char*> functions) {
    return std::ranges::any_of(functions, [&](const char* function) { return contains(kernel, function); });
  };
  return calls({"sin(", "cos(", "tan(", "tessera_normal"}) ||
         (contains(kernel, "tessera_complex") && calls({"exp(", "expm1(", "sinh(", "cosh(", "tanh(", "tessera_pow("}));
}

/// Compiles programs on all processors and collects what is wrong with them.
class Compilation {
 public:
  explicit Compilation(const Nvrtc& nvrtc) : nvrtc_(nvrtc) {}

  void add(const std::vector<Kernel>& kernels, int architecture) {
    for (std::size_t first = 0; first < kernels.size(); first += kernels_of_a_program) {
      const std::size_t last = std::min(kernels.size(), first + kernels_of_a_program);
      programs_.push_back(
          {{kernels.begin() + static_cast<std::ptrdiff_t>(first), kernels.begin() + static_cast<std::ptrdiff_t>(last)},
           architecture});
    }
  }

  std::vector<std::string> run() {
    std::vector<std::thread> workers;
    for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k) {
      workers.emplace_back([this] {
        for (std::size_t n = next_++; n < programs_.size(); n = next_++) check(programs_[n]);
      });
    }
    for (std::thread& worker : workers) worker.join();
    return problems_;
  }

 private:
  struct Program {
    std::vector<Kernel> kernels;
    int architecture;
  };

  void check(const Program& program) {
    const Nvrtc::Compiled compiled = nvrtc_.compile(program_of(program.kernels), program.architecture);
    const std::string target = " for sm_" + std::to_string(program.architecture) + ": ";
    if (!compiled.good || compiled.cubin_bytes == 0)
      return note("kernels " + program.kernels.front().name + " and after it" + target + compiled.log);
    for (const Kernel& kernel : program.kernels) {
      const int registers = registers_of(compiled, kernel);
      if (registers == 0 || registers > most_registers(kernel))
        note(kernel.name + ".cu" + target + std::to_string(registers) + " registers");
      const std::string properties = properties_of(compiled, kernel);
      constexpr int few_bytes = 16;  // beside the hundred and more that each thread keeps
      if (keeps_row(kernel.source) && number_before(properties, " bytes spill stores") > few_bytes)
        note(kernel.name + ".cu" + target + properties);
      if (!is_elementwise(kernel.source) || reduces_angles(kernel.source)) continue;
      if (!contains(properties, " 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"))
        note(kernel.name + ".cu" + target + properties);
    }
  }

  void note(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    problems_.push_back(problem);
  }

  const Nvrtc& nvrtc_;
  std::vector<Program> programs_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::vector<std::string> problems_;
};

std::vector<int> architectures_of(const Nvrtc& nvrtc) {
  const std::vector<int> known = nvrtc.architectures();
  std::vector<int> both;
  for (const int architecture : wanted_architectures) {
    if (std::ranges::find(known, architecture) != known.end()) both.push_back(architecture);
  }
  return both;
}

/// Which of `count` architectures a kernel is compiled for when they are rotated: its name is a hash.
std::size_t turn_of(const Kernel& kernel, std::size_t count) {
  return static_cast<std::size_t>(std::strtoull(kernel.name.c_str() + kernel.name.size() / 2, nullptr, 16)) % count;
}

}  // namespace

TEST_CASE("the kernels of a test compile for GPUs") {
  const Nvrtc nvrtc;
  if (!nvrtc.found()) {
    MESSAGE("skipped: libnvrtc is not here; TESSERA_NVRTC can name it");
    return;
  }
  const std::vector<Kernel> kernels = kernels_in(std::getenv("KERNEL_TEXTS"));
  REQUIRE(kernels.size() > 100);
  const char* const mode = std::getenv("KERNEL_ARCHITECTURES");
  const bool rotated = mode != nullptr && std::string_view(mode) == "rotated";
  const std::vector<int> architectures = architectures_of(nvrtc);
  Compilation compilation(nvrtc);
  for (std::size_t turn = 0; turn < architectures.size(); ++turn) {
    std::vector<Kernel> taken = kernels;
    if (rotated)
      std::erase_if(taken, [&](const Kernel& kernel) { return turn_of(kernel, architectures.size()) != turn; });
    compilation.add(taken, architectures[turn]);
  }
  MESSAGE(kernels.size() << " kernels, each for " << (rotated ? 1 : architectures.size()) << " of "
                         << architectures.size() << " architectures");
  for (const std::string& problem : compilation.run()) FAIL_CHECK(problem);
}
