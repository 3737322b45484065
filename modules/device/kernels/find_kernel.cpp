module;
#include <algorithm>
#include <array>
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

std::vector<std::string> options_for(int architecture) {
  return {"--gpu-architecture=sm_" + std::to_string(architecture), "--std=c++17", "-fmad=true",
          "--ptxas-options=--verbose"};
}

Digest key_of(const CompilerIdentity& compiler, const std::string& source, std::span<const std::string> options) {
  Sha256 digest;
  digest.add("NVRTC").add(compiler.version);
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

/// The number before `unit` in the compiler's words; 0 if there is none.
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

CachedKernel compile(const std::string& source, int architecture, std::span<const std::string> options,
                     std::string_view cause) {
  const auto begin = Clock::now();
  require_compiler(cause);
  Nvrtc::Compiled compiled = Nvrtc::instance().compile(source, options);
  if (!compiled.good) refuse("NVRTC " + Nvrtc::instance().version() + " says: " + compiled.log, cause);
  const KernelReport report = report_of(compiled.log, false);
  log_kernel(std::string(cause) + ": cache miss, compiled for sm_" + std::to_string(architecture) + " in " +
             elapsed(begin) + ", " + std::to_string(report.registers) + " registers, " +
             std::to_string(report.local_bytes) + " bytes of local memory, " + std::to_string(compiled.cubin.size()) +
             " bytes");
  return {.cubin = std::move(compiled.cubin), .log = std::move(compiled.log)};
}

/// From the disk or NVRTC. Nothing if NVRTC turned out to be another than was thought: the architecture may have to be another, too.
std::optional<Found> obtain(const CompilerIdentity& compiler, const std::string& source, int architecture,
                            std::string_view cause) {
  const auto begin = Clock::now();
  const std::vector<std::string> options = options_for(architecture);
  const std::string directory = cache_directory();
  if (directory.empty()) {
    log_kernel_once("kernels are not kept on disk: none of TESSERA_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    return Found{.kernel = compile(source, architecture, options, cause)};
  }
  const Digest key = key_of(compiler, source, options);
  const std::string path = cache_path(directory, key);
  std::string remark;
  if (std::optional<CachedKernel> kept = read_cached(path, key, remark)) {
    log_kernel(std::string(cause) + ": cache hit, read for sm_" + std::to_string(architecture) + " from " + path +
               " in " + elapsed(begin));
    return Found{.kernel = std::move(*kept), .from_cache = true};
  }
  if (!remark.empty()) log_kernel(remark);
  correct_compiler_identity();
  if (compiler_identity() != compiler) return std::nullopt;
  Found found{.kernel = compile(source, architecture, options, cause)};
  if (const std::string problem = write_cached(path, key, found.kernel); !problem.empty())
    log_kernel_once("kernels are not kept on disk: " + problem);
  return found;
}

/// The kernel for the architecture that `choose` finds in a compiler: 0 if there is none, and then `complain` says what the compiler does not
/// know. What is remembered of the compiler may be out of date, so it is asked itself before.
template <class Choose, class Complain>
Found obtain_for(const Choose& choose, const Complain& complain, const std::string& source, std::string_view cause) {
  while (true) {
    CompilerIdentity compiler = compiler_identity();
    if (choose(compiler) == 0) {
      correct_compiler_identity();
      compiler = compiler_identity();
    }
    if (compiler.version.empty()) require_compiler(cause);
    const int architecture = choose(compiler);
    if (architecture == 0) complain("NVRTC " + compiler.version);
    if (std::optional<Found> found = obtain(compiler, source, architecture, cause)) return std::move(*found);
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
  const auto choose = [&](const CompilerIdentity& compiler) { return best_architecture(gpu, compiler); };
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

KernelReport compile_kernel(const std::string& source, int architecture, std::string_view cause) {
  const auto choose = [&](const CompilerIdentity& compiler) {
    return std::ranges::find(compiler.architectures, architecture) != compiler.architectures.end() ? architecture : 0;
  };
  const auto complain = [&](const std::string& compiler) {
    refuse(compiler + " does not know sm_" + std::to_string(architecture), cause);
  };
  const Found found = obtain_for(choose, complain, source, cause);
  return report_of(found.kernel.log, found.from_cache);
}

std::vector<int> compiler_architectures() { return Nvrtc::instance().architectures(); }

std::string compiler_version() { return Nvrtc::instance().version(); }

std::string kernel_folder() { return cache_directory(); }

std::string no_compiler_reason() { return Nvrtc::instance().reason(); }

}  // namespace tessera::device
