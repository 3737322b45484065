module;
export module tessera.expr:gpu_folds;

// CUDA C++ for reductions: what is accumulated of values, how accumulators are merged within a block, and what they stand for at
// the end. It follows the code of operations (gpu/prelude.cppm) and of elements in memory (gpu/storage.cppm). A fold has the types
// Value, Accumulator, and Group, which takes up to 16 values before it joins an accumulator, so that rounding errors do not grow with
// their number. Merging is commutative, and accumulators are a whole number of 32-bit words.
namespace tessera {

/// Device code of reductions.
inline constexpr const char* device_folds = R"cuda(
struct tessera_finish { double count, correction; };

template <class T> struct tessera_extremes {
  __device__ static T highest() { return tessera_limits<T>::highest(); }
  __device__ static T lowest() { return tessera_limits<T>::lowest(); }
};
template <> struct tessera_extremes<float> {
  __device__ static float highest() { return __uint_as_float(0x7f800000u); }
  __device__ static float lowest() { return __uint_as_float(0xff800000u); }
};
template <> struct tessera_extremes<double> {
  __device__ static double highest() { return (double)__uint_as_float(0x7f800000u); }
  __device__ static double lowest() { return (double)__uint_as_float(0xff800000u); }
};

// The larger of two, NaN if one is; of two zeros either.
template <class T> __device__ inline T tessera_larger(T a, T b) { return tessera_maximum(a, b); }
#ifdef __CUDA_ARCH__
__device__ inline float tessera_larger(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}
#endif

// Folds whose groups are accumulators.
template <class Fold, class C, class A> struct tessera_simple_fold {
  typedef C Value;
  typedef A Accumulator;
  typedef A Group;
  __device__ static Group begin() { return Fold::identity(); }
  __device__ static void join(A& a, const Group& group) { a = Fold::merge(a, group); }
};

template <class C, class A> struct tessera_fold_sum : tessera_simple_fold<tessera_fold_sum<C, A>, C, A> {
  __device__ static A identity() { return (A)0; }
  __device__ static void take(A& a, C value, long long) { a = tessera_add(a, (A)value); }
  __device__ static A merge(A a, A b) { return tessera_add(a, b); }
  __device__ static A result(A a, const tessera_finish&) { return a; }
};
template <class C, class A> struct tessera_fold_product : tessera_simple_fold<tessera_fold_product<C, A>, C, A> {
  __device__ static A identity() { return (A)1; }
  __device__ static void take(A& a, C value, long long) { a = tessera_multiply(a, (A)value); }
  __device__ static A merge(A a, A b) { return tessera_multiply(a, b); }
  __device__ static A result(A a, const tessera_finish&) { return a; }
};
template <class C, class A, class Part> struct tessera_fold_mean : tessera_fold_sum<C, A> {
  __device__ static A result(A a, const tessera_finish& finish) { return tessera_divide(a, (A)(Part)finish.count); }
};
template <class C, class A> struct tessera_fold_minimum : tessera_simple_fold<tessera_fold_minimum<C, A>, C, A> {
  __device__ static A identity() { return (A)tessera_extremes<C>::highest(); }
  __device__ static void take(A& a, C value, long long) { a = tessera_minimum(a, (A)value); }
  __device__ static A merge(A a, A b) { return tessera_minimum(a, b); }
  __device__ static C result(A a, const tessera_finish&) { return (C)a; }
};
template <class C, class A> struct tessera_fold_maximum : tessera_simple_fold<tessera_fold_maximum<C, A>, C, A> {
  __device__ static A identity() { return (A)tessera_extremes<C>::lowest(); }
  __device__ static void take(A& a, C value, long long) { a = tessera_maximum(a, (A)value); }
  __device__ static A merge(A a, A b) { return tessera_maximum(a, b); }
  __device__ static C result(A a, const tessera_finish&) { return (C)a; }
};
struct tessera_fold_any : tessera_simple_fold<tessera_fold_any, bool, int> {
  __device__ static int identity() { return 0; }
  __device__ static void take(int& a, bool value, long long) { a |= value; }
  __device__ static int merge(int a, int b) { return a | b; }
  __device__ static bool result(int a, const tessera_finish&) { return a != 0; }
};
struct tessera_fold_all : tessera_simple_fold<tessera_fold_all, bool, int> {
  __device__ static int identity() { return 1; }
  __device__ static void take(int& a, bool value, long long) { a &= value; }
  __device__ static int merge(int a, int b) { return a & b; }
  __device__ static bool result(int a, const tessera_finish&) { return a != 0; }
};

// The best value so far and where it was, -1 before the first; of equals, and of NaNs, the first.
template <class C> struct tessera_best { long long index; C value; };
template <class C, bool largest> struct tessera_fold_search
    : tessera_simple_fold<tessera_fold_search<C, largest>, C, tessera_best<C> > {
  typedef tessera_best<C> Best;
  __device__ static Best identity() { return Best{-1, (C)0}; }
  __device__ static bool is_ahead(const Best& b, const Best& a) {
    if (b.index < 0 || a.index < 0) return a.index < 0;
    const bool b_is_nan = b.value != b.value, a_is_nan = a.value != a.value;
    if (b_is_nan != a_is_nan) return b_is_nan;
    if (b_is_nan || b.value == a.value) return b.index < a.index;
    return largest ? b.value > a.value : b.value < a.value;
  }
  __device__ static void take(Best& a, C value, long long index) { a = merge(a, Best{index, value}); }
  __device__ static Best merge(const Best& a, const Best& b) { return is_ahead(b, a) ? b : a; }
  __device__ static long long result(const Best& a, const tessera_finish&) { return a.index; }
};

// Variances: a group's squares are of distances from its first value; merging is that of Chan, Golub and LeVeque in double.
struct tessera_moments { double count, mean, squares; };
template <class C> struct tessera_distances { C centre, sum, squares; int count; };
template <class C, bool root> struct tessera_fold_variance {
  typedef C Value;
  typedef tessera_moments Accumulator;
  typedef tessera_distances<C> Group;
  __device__ static Accumulator identity() { return Accumulator{0, 0, 0}; }
  __device__ static Group begin() { return Group{0, 0, 0, 0}; }
  __device__ static void take(Group& group, C value, long long) {
    if (group.count++ == 0) group.centre = value;
    const C distance = value - group.centre;
    group.sum += distance;
    group.squares += distance * distance;
  }
  __device__ static void join(Accumulator& a, const Group& group) {
    if (group.count == 0) return;
    const double n = group.count, sum = group.sum;
    const double squares = (double)group.squares - sum * sum / n;
    a = merge(a, Accumulator{n, (double)group.centre + sum / n, squares < 0 ? 0 : squares});
  }
  __device__ static Accumulator merge(const Accumulator& a, const Accumulator& b) {
    const double count = a.count + b.count;
    const double share = count > 0 ? b.count / count : 0;
    const double distance = b.mean - a.mean;
    return Accumulator{count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
  }
  __device__ static C result(const Accumulator& a, const tessera_finish& finish) {
    const double left = finish.count - finish.correction;
    const double variance = a.squares / (left > 0 ? left : 0);
    return (C)(root ? sqrt(variance) : variance);
  }
};

// A group takes the values of several loads: N of them, `width` neighbours of each load from `next` on, the loads `stride` apart.
template <class Fold> struct tessera_taking {
  template <int N> __device__ static void all(typename Fold::Group& group, const typename Fold::Value (&values)[N],
                                              long long next, int width, long long stride) {
#pragma unroll
    for (int n = 0; n < N; ++n) Fold::take(group, values[n], next + n / width * stride + n % width);
  }
};

// Sums of exponentials, relative to the largest value. Whatever the sum of an infinite or NaN largest value is, the result is that value.
template <class C> struct tessera_exponentials { C largest, sum; };
template <class C> struct tessera_fold_log_sum_exp
    : tessera_simple_fold<tessera_fold_log_sum_exp<C>, C, tessera_exponentials<C> > {
  typedef tessera_exponentials<C> Sums;
  __device__ static Sums identity() { return Sums{tessera_extremes<C>::lowest(), 0}; }
  // The smaller of two, relative to the larger: one exponential serves both orders. The lowest value adds nothing to anything.
  __device__ static C share(C distance, C smaller) { return smaller == tessera_extremes<C>::lowest() ? (C)0 : (C)exp(-fabs(distance)); }
  __device__ static void take(Sums& a, C value, long long) { a = merge(a, Sums{value, value == tessera_extremes<C>::lowest() ? (C)0 : (C)1}); }
  __device__ static Sums merge(const Sums& a, const Sums& b) {
    const C distance = b.largest - a.largest;
    const bool grows = distance > 0;
    const C factor = share(distance, grows ? a.largest : b.largest);
    return Sums{tessera_larger(a.largest, b.largest), grows ? a.sum * factor + b.sum : a.sum + b.sum * factor};
  }
  __device__ static C result(const Sums& a, const tessera_finish&) {
    return a.largest - a.largest == 0 ? (C)log(a.sum) + a.largest : a.largest;
  }
};
// Several values have one largest, so that each needs one exponential.
template <class C, int N> __device__ inline void tessera_take_exponentials(tessera_exponentials<C>& a, const C (&values)[N]) {
  C largest = a.largest;
#pragma unroll
  for (int n = 0; n < N; ++n) largest = tessera_larger(largest, values[n]);
  const C shift = largest - largest == 0 ? largest : (C)0;
  C sums[2] = {a.sum == 0 ? (C)0 : a.sum * (C)exp(a.largest - shift), 0};
#pragma unroll
  for (int n = 0; n < N; ++n) sums[n % 2] += exp(values[n] - shift);
  a = tessera_exponentials<C>{largest, sums[0] + sums[1]};
}
template <class C> struct tessera_taking<tessera_fold_log_sum_exp<C> > {
  template <int N> __device__ static void all(tessera_exponentials<C>& group, const C (&values)[N], long long, int, long long) {
    tessera_take_exponentials(group, values);
  }
};

// The same with sums of many groups in double: the statistics of a softmax.
template <class C> struct tessera_long_exponentials { double sum; C largest; };
template <class C> struct tessera_fold_exponentials {
  typedef C Value;
  typedef tessera_long_exponentials<C> Accumulator;
  typedef tessera_exponentials<C> Group;
  typedef tessera_fold_log_sum_exp<C> Short;
  __device__ static Accumulator identity() { return Accumulator{0, tessera_extremes<C>::lowest()}; }
  __device__ static Group begin() { return Short::identity(); }
  __device__ static void take(Group& group, C value, long long index) { Short::take(group, value, index); }
  __device__ static void join(Accumulator& a, const Group& group) { a = merge(a, Accumulator{(double)group.sum, group.largest}); }
  __device__ static Accumulator merge(const Accumulator& a, const Accumulator& b) {
    const C distance = b.largest - a.largest;
    const bool grows = distance > 0;
    const C factor = Short::share(distance, grows ? a.largest : b.largest);
    return Accumulator{grows ? a.sum * (double)factor + b.sum : a.sum + b.sum * (double)factor, tessera_larger(a.largest, b.largest)};
  }
};
template <class C> struct tessera_taking<tessera_fold_exponentials<C> > {
  template <int N> __device__ static void all(tessera_exponentials<C>& group, const C (&values)[N], long long, int, long long) {
    tessera_take_exponentials(group, values);
  }
};

// Norms: squares of floats are summed in double, where they neither overflow nor vanish; those of doubles relative to a power of two.
template <class C> __device__ inline double tessera_square(C a) { return (double)a * (double)a; }
template <class C> struct tessera_fold_norm : tessera_simple_fold<tessera_fold_norm<C>, C, double> {
  __device__ static double identity() { return 0; }
  __device__ static void take(double& a, C value, long long) {
    a += tessera_square(tessera_real(value));
    a += tessera_square(tessera_imag(value));
  }
  __device__ static double merge(double a, double b) { return a + b; }
  __device__ static float result(double a, const tessera_finish&) { return (float)sqrt(a); }
};
struct tessera_scaled_squares { double scale, sum; };
template <class C> struct tessera_fold_scaled_norm
    : tessera_simple_fold<tessera_fold_scaled_norm<C>, C, tessera_scaled_squares> {
  typedef tessera_scaled_squares Squares;
  __device__ static Squares identity() { return Squares{0x1p-600, 0}; }
  __device__ static double scale_of(double largest) {
    if (!(largest < 0x1p+480)) return largest - largest == 0 ? 0x1p+600 : 1.0;
    return largest > 0x1p-400 ? 1.0 : 0x1p-600;
  }
  __device__ static Squares of(double part) {
    const double scale = scale_of(fabs(part));
    return Squares{scale, (part / scale) * (part / scale)};
  }
  __device__ static void take(Squares& a, C value, long long) {
    a = merge(a, of(tessera_real(value)));
    a = merge(a, of(tessera_imag(value)));
  }
  __device__ static Squares merge(const Squares& a, const Squares& b) {
    const double scale = a.scale > b.scale ? a.scale : b.scale;
    const double x = a.scale / scale, y = b.scale / scale;
    return Squares{scale, a.sum * x * x + b.sum * y * y};
  }
  __device__ static double result(const Squares& a, const tessera_finish&) { return a.scale * sqrt(a.sum); }
};

// A copy of the accumulator that the thread `distance` lanes further on has.
template <class A> __device__ inline A tessera_shuffle(const A& a, int distance) {
  union Words {
    A value;
    unsigned int word[sizeof(A) / 4];
    __device__ Words() {}
  } words;
  words.value = a;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(A) / 4); ++k) words.word[k] = __shfl_down_sync(0xffffffffu, words.word[k], distance);
  return words.value;
}

// Merges the accumulators of `threads` neighbours, some lanes of a warp, all of them or the whole block, in a tree; the first of them gets
// the result.
template <class Fold, int threads> __device__ inline typename Fold::Accumulator tessera_merge_team(
    typename Fold::Accumulator a) {
  for (int distance = threads < 32 ? threads / 2 : 16; distance > 0; distance /= 2)
    a = Fold::merge(a, tessera_shuffle(a, distance));
  if (threads <= 32) return a;
  __shared__ __align__(16) unsigned char memory[((threads + 31) / 32) * sizeof(typename Fold::Accumulator)];
  typename Fold::Accumulator* const of_warps = reinterpret_cast<typename Fold::Accumulator*>(memory);
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = a;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < threads / 32; ++warp) a = Fold::merge(a, of_warps[warp]);
  }
  return a;
}

template <class A> __device__ inline A tessera_exchange(const A& a, int lanes_apart) {
  union Words {
    A value;
    unsigned int word[sizeof(A) / 4];
    __device__ Words() {}
  } words;
  words.value = a;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(A) / 4); ++k)
    words.word[k] = __shfl_xor_sync(0xffffffffu, words.word[k], lanes_apart);
  return words.value;
}
// Four accumulators of each of four neighbours: thread k of them gets what merges all of number k, in the order of tessera_merge_team.
template <class Fold> __device__ inline typename Fold::Accumulator tessera_merge_quads(
    const typename Fold::Accumulator (&all)[4]) {
  typedef typename Fold::Accumulator A;
  const bool upper = (threadIdx.x & 2) != 0, odd = (threadIdx.x & 1) != 0;
  const A even = Fold::merge(upper ? all[2] : all[0], tessera_exchange(upper ? all[0] : all[2], 2));
  const A other = Fold::merge(upper ? all[3] : all[1], tessera_exchange(upper ? all[1] : all[3], 2));
  return Fold::merge(odd ? other : even, tessera_exchange(odd ? even : other, 1));
}

// Merges the accumulators of threads 32 apart, which fold the same column; the first 32 threads get the results.
template <class Fold, int rows> __device__ inline typename Fold::Accumulator tessera_merge_columns(
    typename Fold::Accumulator a) {
  __shared__ __align__(16) unsigned char memory[rows * 32 * sizeof(typename Fold::Accumulator)];
  typename Fold::Accumulator* const all = reinterpret_cast<typename Fold::Accumulator*>(memory);
  __syncthreads();
  all[threadIdx.x] = a;
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int row = 1; row < rows; ++row) a = Fold::merge(a, all[row * 32 + threadIdx.x]);
  }
  return a;
}
)cuda";

}  // namespace tessera
