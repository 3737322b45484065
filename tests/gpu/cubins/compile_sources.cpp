// Every kernel of a test compiles to cubins for the architectures that matter, elementwise ones without local memory. The kernels' texts are
// the files of the folder KERNEL_TEXTS. Many share a program, and in it the code that they all have in front, which takes most of NVRTC's time.
//
// KERNEL_ARCHITECTURES=rotated compiles each kernel for one of the architectures, so that a few hundred kernels cost what one
// architecture costs, unless its text asks which architecture it is for; otherwise each is compiled for all. The folder KERNELS_KNOWN remembers which
// texts were found to be good, by this program and this NVRTC: they are not compiled again.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "host_text.hpp"
#include "nvrtc.hpp"

namespace {

constexpr std::size_t kernels_of_a_program = 24;
constexpr int wanted_architectures[] = {80, 90, 100, 120};

struct Kernel {
  std::string name;
  std::string source;
  std::size_t own = 0;  // where its own code begins, behind what many have

  std::string_view support() const { return std::string_view(source).substr(0, own); }
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Where the type of indices is chosen, with which what is written for one kernel begins.
std::size_t end_of_support(const std::string& source) {
  const std::size_t narrow = source.find("typedef unsigned int tessera_index;");
  const std::size_t wide = source.find("typedef unsigned long long tessera_index;");
  return std::min({source.size(), narrow, wide});
}

/// Those with the same code in front lie beside each other.
std::vector<Kernel> kernels_in(const std::filesystem::path& folder) {
  std::vector<Kernel> kernels;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cu") continue;
    kernels.push_back({.name = file.path().stem(), .source = contents(file.path())});
    const std::size_t own = end_of_support(kernels.back().source);
    kernels.back().own = own == kernels.back().source.size() ? 0 : own;
  }
  std::ranges::sort(kernels, [](const Kernel& a, const Kernel& b) {
    return std::pair(a.support(), std::string_view(a.name)) < std::pair(b.support(), std::string_view(b.name));
  });
  return kernels;
}

/// A kernel's own code with a name of its own.
std::string renamed(const Kernel& kernel) {
  constexpr std::string_view entry = "tessera_kernel(";
  std::string text = kernel.source.substr(kernel.own);
  return text.replace(text.find(entry), entry.size(), "kernel_" + kernel.name + "(");
}

/// The kernels in one text, each in a namespace, and those with the same code in front in one with that.
std::string program_of(const std::vector<Kernel>& kernels) {
  std::string text;
  for (std::size_t first = 0; first < kernels.size();) {
    std::string together(kernels[first].support());
    std::size_t next = first;
    for (; next < kernels.size() && kernels[next].support() == kernels[first].support(); ++next)
      together += "namespace space_" + kernels[next].name + " {\n" + renamed(kernels[next]) + "\n}\n";
    text += shim::in_namespace("with_" + kernels[first].name, together);
    first = next;
  }
  return text;
}

/// Whether a kernel's code asks which architecture it is for, and not only whether it is for a GPU.
bool depends_on_architecture(const Kernel& kernel) {
  const std::string name = "__CUDA_ARCH__";
  for (std::size_t at = kernel.source.find(name); at != std::string::npos; at = kernel.source.find(name, at + 1)) {
    const std::size_t line = kernel.source.rfind('\n', at) + 1;
    if (!std::string_view(kernel.source).substr(line).starts_with("#ifdef")) return true;
  }
  return false;
}

/// The kernels that are known to be good.
class Known {
 public:
  /// In the folder, for this program and a version of NVRTC; nothing is known without a folder.
  Known(const char* folder, const std::string& version) {
    if (folder == nullptr) return;
    const std::string own = contents("/proc/self/exe");
    folder_ = std::filesystem::path(folder) / (version + "-" + std::to_string(std::hash<std::string>{}(own)));
    std::filesystem::create_directories(folder_);
  }

  bool has(const Kernel& kernel, int architecture) const {
    return !folder_.empty() && std::filesystem::exists(path_of(kernel, architecture));
  }
  void add(const Kernel& kernel, int architecture) const {
    if (!folder_.empty()) std::ofstream(path_of(kernel, architecture)).flush();
  }

 private:
  /// Names are those of texts, of which they are hashes.
  std::filesystem::path path_of(const Kernel& kernel, int architecture) const {
    return folder_ / (kernel.name + ".sm_" + std::to_string(architecture));
  }

  std::filesystem::path folder_;
};

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
  Compilation(const Nvrtc& nvrtc, const Known& known) : nvrtc_(nvrtc), known_(known) {}

  void add(std::vector<Kernel> kernels, int architecture) {
    count_ += kernels.size();
    std::erase_if(kernels, [&](const Kernel& kernel) { return known_.has(kernel, architecture); });
    fresh_ += kernels.size();
    for (std::size_t first = 0; first < kernels.size(); first += kernels_of_a_program) {
      const std::size_t last = std::min(kernels.size(), first + kernels_of_a_program);
      programs_.push_back(
          {{kernels.begin() + static_cast<std::ptrdiff_t>(first), kernels.begin() + static_cast<std::ptrdiff_t>(last)},
           architecture});
    }
  }

  /// Kernels and architectures: all of them, and those that are compiled.
  std::size_t count() const { return count_; }
  std::size_t fresh() const { return fresh_; }

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
      const std::string problem = problem_of(compiled, kernel);
      problem.empty() ? known_.add(kernel, program.architecture) : note(kernel.name + ".cu" + target + problem);
    }
  }

  /// What is wrong with a kernel that compiles; empty if nothing is.
  static std::string problem_of(const Nvrtc::Compiled& compiled, const Kernel& kernel) {
    const int registers = registers_of(compiled, kernel);
    if (registers == 0 || registers > most_registers(kernel)) return std::to_string(registers) + " registers";
    const std::string properties = properties_of(compiled, kernel);
    constexpr int few_bytes = 16;  // beside the hundred and more that each thread keeps
    if (keeps_row(kernel.source) && number_before(properties, " bytes spill stores") > few_bytes) return properties;
    if (!is_elementwise(kernel.source) || reduces_angles(kernel.source)) return "";
    const bool is_in_registers =
        contains(properties, " 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads");
    return is_in_registers ? "" : properties;
  }

  void note(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    problems_.push_back(problem);
  }

  const Nvrtc& nvrtc_;
  const Known& known_;
  std::size_t count_ = 0, fresh_ = 0;
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
  const Known known(std::getenv("KERNELS_KNOWN"), nvrtc.version());
  Compilation compilation(nvrtc, known);
  for (std::size_t turn = 0; turn < architectures.size(); ++turn) {
    std::vector<Kernel> taken = kernels;
    if (rotated)
      std::erase_if(taken, [&](const Kernel& kernel) {
        return !depends_on_architecture(kernel) && turn_of(kernel, architectures.size()) != turn;
      });
    compilation.add(taken, architectures[turn]);
  }
  MESSAGE(kernels.size() << " kernels for " << architectures.size() << " architectures, " << compilation.count()
                         << " of them to check, " << compilation.fresh() << " to compile");
  for (const std::string& problem : compilation.run()) FAIL_CHECK(problem);
}
