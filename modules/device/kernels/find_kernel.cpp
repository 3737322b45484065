module;
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :compiler_identity;
import :digest;
import :driver_table;
import :kernel_cache;
import :kernel_log;
import :nvrtc;

// From a kernel's text to the kernel: memory, then disk, then NVRTC.
namespace tessera::device {

namespace {

using Clock = std::chrono::steady_clock;

std::string elapsed(Clock::time_point begin) {
  std::array<char, 32> text{};
  const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
  std::snprintf(text.data(), text.size(), "%.1f ms", passed.count());
  return text.data();
}

/// What a text is compiled to: machine code, or PTX of a version, "8.7", where that is not empty.
struct CodeKind {
  int architecture = 0;
  std::string ptx{};

  std::string name() const { return (ptx.empty() ? "sm_" : "compute_") + std::to_string(architecture); }
};

std::vector<std::string> options_for(const CodeKind& kind) {
  std::vector<std::string> options = {"--gpu-architecture=" + kind.name(), "--std=c++17", "-fmad=true"};
  if (kind.ptx.empty()) options.emplace_back("--ptxas-options=--verbose");
  return options;
}

Digest key_of(const CompilerIdentity& compiler, const std::string& source, std::span<const std::string> options,
              const CodeKind& kind) {
  Sha256 digest;
  digest.add("NVRTC").add(compiler.version);
  if (!kind.ptx.empty()) digest.add("PTX").add(kind.ptx);
  for (const std::string& option : options) digest.add(option);
  return digest.add(source).finish();
}

[[noreturn]] void refuse(const std::string& problem, std::string_view cause, std::string_view advice = {}) {
  throw DeviceError(to_string(Failure{
      .operation = "compile a kernel", .problem = problem, .operands = {std::string(cause)}, .advice = advice}));
}

void require_compiler(std::string_view cause) {
  const std::string& reason = Nvrtc::instance().reason();
  if (!reason.empty())
    refuse(reason, cause, "install CUDA's NVRTC, which compiles kernels, or name it in TESSERA_NVRTC");
}

/// The number before the first `unit` in the compiler's words; 0 if there is none.
int number_before(std::string_view log, std::string_view unit) {
  const std::size_t at = log.find(unit);
  if (at == log.npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') --begin;
  int number = 0;
  for (const char digit : log.substr(begin, at - begin)) number = number * 10 + (digit - '0');
  return number;
}

KernelReport report_of(const std::string& log, bool from_cache) {
  return {.registers = number_before(log, " registers"),
          .local_bytes = number_before(log, " bytes stack frame"),
          .from_cache = from_cache,
          .log = log};
}

struct Found {
  CachedKernel kernel;
  bool from_cache = false;
};

/// The newest PTX that a driver takes, by the table of PTX's release notes.
std::string ptx_of_driver(int version) {
  const int major = version / 1000, minor = version % 1000 / 10;
  if (major > 12) return std::to_string(major - 4) + "." + std::to_string(minor);
  return "8." + std::to_string(minor <= 5 ? minor : minor - 1);
}

/// NVRTC writes PTX of its own version and has no option for another; a driver refuses a newer one than its own whatever is in it. What
/// kernels here are made of is in all of them, and if it were not, the driver's compiler would say so.
void set_ptx_version(std::vector<std::byte>& code, const std::string& version) {
  constexpr std::string_view directive = ".version ";
  std::string text(reinterpret_cast<const char*>(code.data()), code.size());
  const std::size_t at = text.find(directive);
  if (at == text.npos) return;
  const std::size_t begin = at + directive.size();
  text.replace(begin, text.find_first_not_of("0123456789.", begin) - begin, version);
  const auto bytes = std::as_bytes(std::span(text));
  code.assign(bytes.begin(), bytes.end());
}

CachedKernel compile(const std::string& source, const CodeKind& kind, std::span<const std::string> options,
                     std::string_view cause) {
  const auto begin = Clock::now();
  require_compiler(cause);
  const Nvrtc& nvrtc = Nvrtc::instance();
  const bool wants_ptx = !kind.ptx.empty();
  Nvrtc::Compiled compiled = nvrtc.compile(source, options, wants_ptx ? Nvrtc::Output::ptx : Nvrtc::Output::cubin);
  if (!compiled.good) refuse("NVRTC " + nvrtc.version() + " says: " + compiled.log, cause);
  if (wants_ptx) set_ptx_version(compiled.code, kind.ptx);
  const KernelReport report = report_of(compiled.log, false);
  const std::string figures = wants_ptx ? "as PTX " + kind.ptx
                                        : std::to_string(report.registers) + " registers, " +
                                              std::to_string(report.local_bytes) + " bytes of local memory";
  log_kernel(std::string(cause) + ": cache miss, compiled for " + kind.name() + " in " + elapsed(begin) + ", " +
             figures + ", " + std::to_string(compiled.code.size()) + " bytes");
  return {.cubin = std::move(compiled.code), .log = std::move(compiled.log)};
}

/// From the disk or NVRTC. Nothing if NVRTC turned out to be another than was thought: the architecture may have to be another, too.
std::optional<Found> obtain(const CompilerIdentity& compiler, const std::string& source, const CodeKind& kind,
                            std::string_view cause) {
  const auto begin = Clock::now();
  const std::vector<std::string> options = options_for(kind);
  const std::string directory = cache_directory();
  if (directory.empty()) {
    log_kernel_once("kernels are not kept on disk: none of TESSERA_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    return Found{.kernel = compile(source, kind, options, cause)};
  }
  const Digest key = key_of(compiler, source, options, kind);
  const std::string path = cache_path(directory, key);
  std::string remark;
  if (std::optional<CachedKernel> kept = read_cached(path, key, remark)) {
    log_kernel(std::string(cause) + ": cache hit, read for " + kind.name() + " from " + path + " in " + elapsed(begin));
    return Found{.kernel = std::move(*kept), .from_cache = true};
  }
  if (!remark.empty()) log_kernel(remark);
  correct_compiler_identity();
  if (compiler_identity() != compiler) return std::nullopt;
  Found found{.kernel = compile(source, kind, options, cause)};
  if (const std::string problem = write_cached(path, key, found.kernel); !problem.empty())
    log_kernel_once("kernels are not kept on disk: " + problem);
  return found;
}

/// The kernel of the kind that `choose` finds for a compiler: of architecture 0 if there is none, and then `complain` says what the compiler does
/// not know. What is remembered of the compiler may be out of date, so it is asked itself before.
template <class Choose, class Complain>
Found obtain_for(const Choose& choose, const Complain& complain, const std::string& source, std::string_view cause) {
  while (true) {
    CompilerIdentity compiler = compiler_identity();
    if (choose(compiler).architecture == 0) {
      correct_compiler_identity();
      compiler = compiler_identity();
    }
    if (compiler.version.empty()) require_compiler(cause);
    const CodeKind kind = choose(compiler);
    if (kind.architecture == 0) complain("NVRTC " + compiler.version);
    if (std::optional<Found> found = obtain(compiler, source, kind, cause)) return std::move(*found);
  }
}

int own_architecture(const DeviceInfo& gpu) { return gpu.compute_major * 10 + gpu.compute_minor; }

/// The highest architecture for which NVRTC compiles and whose code a GPU runs: of the same generation, and not newer. 0 if there is none.
int best_architecture(const DeviceInfo& gpu, const CompilerIdentity& compiler) {
  int best = 0;
  for (const int known : compiler.architectures) {
    if (known / 10 == gpu.compute_major && known <= own_architecture(gpu)) best = std::max(best, known);
  }
  return best;
}

/// A driver loads machine code that was made by any version of its own major version of CUDA, or an earlier one.
bool loads_machine_code(int driver_version, const CompilerIdentity& compiler) {
  return number_before(compiler.version, ".") <= driver_version / 1000;
}

CodeKind best_kind(const DeviceInfo& gpu, const CompilerIdentity& compiler) {
  CodeKind kind{.architecture = best_architecture(gpu, compiler)};
  if (loads_machine_code(gpu.driver_version, compiler)) return kind;
  kind.ptx = ptx_of_driver(gpu.driver_version);
  static std::atomic<bool> said = false;
  if (!said.exchange(true))
    log_kernel("NVRTC " + compiler.version + " is newer than the driver, whose CUDA is " +
               version_text(gpu.driver_version) + ": kernels are compiled to PTX " + kind.ptx +
               ", which the driver compiles; libnvrtc.so." + std::to_string(gpu.driver_version / 1000) +
               " would make machine code");
  return kind;
}

/// The loaded kernels of one GPU by their text. An entry without a kernel is being made by some thread.
struct LoadedKernels {
  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> by_source;
};

LoadedKernels& loaded_kernels(GpuPlace place) {
  static auto& all = *new std::deque<LoadedKernels>(devices().size());
  return all[static_cast<std::size_t>(place.ordinal)];
}

std::unique_ptr<Kernel> load(GpuPlace place, const std::string& source, std::string_view cause) {
  const DeviceInfo& gpu = devices()[static_cast<std::size_t>(place.ordinal)];
  const auto choose = [&](const CompilerIdentity& compiler) { return best_kind(gpu, compiler); };
  const auto complain = [&](const std::string& compiler) {
    refuse(
        compiler + " knows no architecture for " + gpu.name + ", which is sm_" + std::to_string(own_architecture(gpu)),
        cause, "install a newer CUDA toolkit");
  };
  return std::make_unique<Kernel>(place, obtain_for(choose, complain, source, cause).kernel.cubin);
}

}  // namespace

const Kernel& find_kernel(GpuPlace place, const std::string& source, std::string_view cause) {
  require_device(place);
  LoadedKernels& loaded = loaded_kernels(place);
  std::unique_lock lock(loaded.mutex);
  while (true) {
    const auto [entry, is_new] = loaded.by_source.try_emplace(source);
    if (entry->second != nullptr) return *entry->second;
    if (is_new) break;
    loaded.changed.wait(lock);  // another thread makes it; if that fails, this one tries
  }
  lock.unlock();
  std::unique_ptr<Kernel> made;
  try {
    made = load(place, source, cause);
  } catch (...) {
    lock.lock();
    loaded.by_source.erase(source);
    loaded.changed.notify_all();
    throw;
  }
  lock.lock();
  const Kernel& kernel = *made;
  loaded.by_source[source] = std::move(made);
  loaded.changed.notify_all();
  return kernel;
}

KernelReport compile_kernel(const std::string& source, int architecture, std::string_view cause, int driver_version) {
  std::string ptx;
  const auto choose = [&](const CompilerIdentity& compiler) {
    const bool is_known = std::ranges::find(compiler.architectures, architecture) != compiler.architectures.end();
    const bool wants_ptx = driver_version != 0 && !loads_machine_code(driver_version, compiler);
    ptx = wants_ptx ? ptx_of_driver(driver_version) : std::string();
    return CodeKind{.architecture = is_known ? architecture : 0, .ptx = ptx};
  };
  const auto complain = [&](const std::string& compiler) {
    refuse(compiler + " does not know sm_" + std::to_string(architecture), cause);
  };
  const Found found = obtain_for(choose, complain, source, cause);
  KernelReport report = report_of(found.kernel.log, found.from_cache);
  report.ptx = ptx;
  return report;
}

std::vector<int> compiler_architectures() { return Nvrtc::instance().architectures(); }

std::string compiler_version() { return Nvrtc::instance().version(); }

std::string kernel_folder() { return cache_directory(); }

std::string no_compiler_reason() { return Nvrtc::instance().reason(); }

}  // namespace tessera::device
