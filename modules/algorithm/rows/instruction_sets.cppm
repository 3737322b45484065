export module tessera.algorithm:instruction_sets;
import tessera.standard;
import tessera.device;

// A loop of plain C++ as machine code for each set of instructions.
namespace tessera::rows {

/// `Loop::run`, a static function that is inlined with all that it calls, compiled for each set of instructions.
template <class Loop, class Function = decltype(Loop::run)>
struct Compiled;

template <class Loop, class Result, class... Args>
struct Compiled<Loop, Result(Args...)> {
  static Result baseline(Args... args) { return Loop::run(args...); }
  [[gnu::target("avx2,fma,bmi,bmi2")]] static Result avx2(Args... args) { return Loop::run(args...); }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2")]] static Result avx512(Args... args) {
    return Loop::run(args...);
  }
  /// The function for this processor.
  static auto best() {
    switch (device::isa()) {
      case device::Isa::avx512: return &avx512;
      case device::Isa::avx2: return &avx2;
      case device::Isa::baseline: break;
    }
    return &baseline;
  }
};

}  // namespace tessera::rows
