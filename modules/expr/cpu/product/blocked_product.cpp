module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
module tessera.expr;
import :blocking;
import :tile_kernels;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The loops around the micro-kernels. A panel of b, `depth` x `columns`, stays in the L2 cache while the strips of a block of a pass by, each
// of which stays in the L1 cache.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t edge_bytes = 32 * 128;
constexpr std::size_t most_widths =
    164;  // of the largest panel: 640 columns of 8 bytes in pairs of vectors of 16 bytes, and four at its end

const std::byte* at(const void* data, std::ptrdiff_t bytes) { return static_cast<const std::byte*>(data) + bytes; }

/// Columns of a panel that one kernel takes.
struct ColumnStrip {
  const ColumnKernels* kernels;
  std::ptrdiff_t first, used;  // of `kernels->lanes` columns
  const void* b;
  std::ptrdiff_t b_row;
};

class BlockedProduct {
 public:
  BlockedProduct(const TiledProduct& product, const Loops& loops, const Blocking& blocking, void* c,
                 std::ptrdiff_t c_row, std::byte* workspace)
      : p_(product),
        loops_(loops),
        kernels_(loops.kernels),
        blocking_(blocking),
        item_(kernels_.item),
        c_(static_cast<std::byte*>(c)),
        c_row_(c_row),
        packed_a_(workspace),
        packed_b_(workspace + blocking_.a_bytes(kernels_)) {}

  /// Instead of writing to c, gives each strip to `body`, by way of c, which has room for one of them.
  void run(const std::function<void(const ProductStrip&)>& body) {
    body_ = &body;
    run();
  }

  void run() {
    for (first_row_ = 0; first_row_ < p_.rows; first_row_ += rows_) {
      rows_ = std::min(blocking_.rows, p_.rows - first_row_);
      strips_ = (rows_ - 1) / kernels_.most_rows() + 1;
      for (first_ = 0; first_ < p_.inner; first_ += depth_) {
        depth_ = std::min(blocking_.depth, p_.inner - first_);
        packed_bytes_ = kernels_.packed_bytes(depth_);
        if (blocking_.packs_a && !loops_.by_tiles) pack_a();
        for (first_column_ = 0; first_column_ < p_.columns; first_column_ += columns_) {
          columns_ = std::min(blocking_.columns, p_.columns - first_column_);
          run_panel();
        }
      }
    }
  }

 private:
  /// Strips are of nearly equal heights. By tiles, all but the last have the same, so that their shapes change but once.
  std::ptrdiff_t strip_start(std::ptrdiff_t strip) const {
    return loops_.by_tiles ? std::min((rows_ - 1) / strips_ * strip + strip, rows_) : rows_ * strip / strips_;
  }

  const std::byte* a_at(std::ptrdiff_t row) const {
    return at(p_.a, ((first_row_ + row) * p_.a_row + first_ * p_.a_column) * item_size(p_.a_type));
  }
  const std::byte* b_at(std::ptrdiff_t column) const {
    return at(p_.b, (first_ * p_.b_row + (first_column_ + column) * p_.b_column) * item_size(p_.b_type));
  }

  void pack_a() {
    if (p_.a_loop != nullptr)
      return evaluate(*p_.a_loop, {p_.a_first + first_row_, first_}, {rows_, depth_}, packed_a_, depth_);
    for (std::ptrdiff_t strip = 0; strip < strips_; ++strip) {
      const std::ptrdiff_t from = strip_start(strip);
      const std::ptrdiff_t height = strip_start(strip + 1) - from;
      loops_.pack_a(a_at(from), p_.a_column, p_.a_row, depth_, height, height, packed_a_ + from * packed_bytes_);
    }
  }

  /// Evaluates a block of an expression, from a position on, into rows `row` elements apart.
  void evaluate(const Loop& source, const std::array<std::ptrdiff_t, 2>& from,
                const std::array<std::ptrdiff_t, 2>& extents, std::byte* to, std::ptrdiff_t row) const {
    MovableLoop block(source);
    block.reset_leaves();
    block.loop.parallel = false;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      block.loop.extents[axis] = extents[axis];
      block.advance_leaves(axis, from[axis]);
    }
    block.loop.target = operand_at(to, item_);
    block.loop.target.strides[0] = row;
    block.loop.target.strides[1] = 1;
    plan::run(block.loop);
  }

  /// Zeros beside the columns of an evaluated panel, up to the end of its rows.
  void clear_right(std::ptrdiff_t from, std::ptrdiff_t to) const {
    for (std::ptrdiff_t k = 0; k < depth_ && from < to; ++k)
      std::memset(packed_b_ + (k * to + from) * item_, 0, static_cast<std::size_t>((to - from) * item_));
  }

  /// Divides the panel into widths of kernels and packs what cannot be read as it lies: all columns, or those at the end that fill no vector.
  void run_panel() {
    const std::ptrdiff_t row = padded_to(columns_, kernels_.lanes());
    if (p_.b_loop != nullptr) {
      evaluate(*p_.b_loop, {first_, p_.b_first + first_column_}, {depth_, columns_}, packed_b_, row);
      clear_right(columns_, row);
    }
    const bool as_it_lies = !blocking_.packs_b;
    const std::ptrdiff_t together = loops_.by_tiles ? columns_ / blocking_.width * blocking_.width : 0;  // row by row
    if (together > 0) loops_.pack_b(b_at(0), p_.b_row, p_.b_column, depth_, together, blocking_.width, packed_b_);
    std::size_t count = 0;
    std::ptrdiff_t packed = 0;  // columns
    for (std::ptrdiff_t j = 0; j < columns_; j += columns_beside_[count++].used) {
      const ColumnKernels& kernels = kernels_.for_columns(columns_ - j);
      ColumnStrip& strip = columns_beside_[count];
      strip = {&kernels, j, std::min(kernels.lanes, columns_ - j), nullptr, 0};
      if (p_.b_loop != nullptr) {
        strip.b = packed_b_ + j * item_;
        strip.b_row = row;
      } else if (as_it_lies && strip.used == kernels.lanes) {
        strip.b = b_at(j);
        strip.b_row = p_.b_row;
      } else {
        std::byte* const to = packed_b_ + packed * packed_bytes_;
        if (j >= together) loops_.pack_b(b_at(j), p_.b_row, p_.b_column, depth_, strip.used, kernels.lanes, to);
        strip.b = to;
        strip.b_row = kernels.lanes;
        packed += kernels.lanes;
      }
    }
    const std::span columns(columns_beside_.data(), count);
    if (body_ != nullptr) return hand_over(columns);
    for (std::ptrdiff_t strip = 0; strip < strips_; ++strip) {
      const std::ptrdiff_t from = strip_start(strip), to = strip_start(strip + 1);
      if (loops_.by_tiles) {
        run_tiles(from, to, columns, c_ + ((first_row_ + from) * c_row_ + first_column_) * item_);
      } else {
        run_strip(from, to, columns);
      }
    }
  }

  /// The panel's strips, several of them at a time.
  void hand_over(std::span<const ColumnStrip> columns) {
    const std::ptrdiff_t together = strips_together(kernels_, blocking_.columns);
    c_row_ = strip_row(columns_);
    for (std::ptrdiff_t strip = 0; strip < strips_;) {
      const std::ptrdiff_t first = strip_start(strip), last = std::min(strips_, strip + together);
      for (; strip < last; ++strip) {
        const std::ptrdiff_t from = strip_start(strip);
        run_tiles(from, strip_start(strip + 1), columns, c_ + (from - first) * c_row_ * item_);
      }
      tiles_.take(0);  // the body may multiply, too
      (*body_)({first_row_ + first, strip_start(last) - first, first_column_, columns_, c_, c_row_});
    }
  }

  /// A strip by tiles, run after run of its depth, to rows from `c` on.
  void run_tiles(std::ptrdiff_t from, std::ptrdiff_t to, std::span<const ColumnStrip> columns, std::byte* c) {
    tiles_.take(to - from);
    const auto row = static_cast<std::size_t>(to - from - 1);
    StripProduct strip{.a = nullptr,
                       .a_row = p_.a_row,
                       .a_column = 1,
                       .b = nullptr,
                       .b_row = 0,
                       .second = kernels_.lanes(),
                       .depth = 0,
                       .c = nullptr,
                       .c_row = c_row_,
                       .adds = first_ > 0};
    for (std::ptrdiff_t k = 0; k < depth_; k += blocking_.run, strip.adds = true) {
      const std::ptrdiff_t products = std::min(blocking_.run, depth_ - k);
      strip.depth = (products - 1) / kernels_.step + 1;
      strip.a = a_at(from) + k * p_.a_column * item_size(p_.a_type);
      if (blocking_.packs_a) {
        loops_.pack_a(strip.a, p_.a_column, p_.a_row, products, to - from, to - from, packed_a_);
        strip.a = packed_a_;
        strip.a_row = strip.depth * kernels_.step;
      }
      std::ptrdiff_t number = 0;
      for (const ColumnStrip& beside : columns) {
        prefetch_run(from, to, k + blocking_.run, number++, static_cast<std::ptrdiff_t>(columns.size()));
        strip.b = static_cast<const std::byte*>(beside.b) + k * beside.b_row * kernels_.packed_item;
        strip.b_row = beside.b_row;
        multiply_columns(strip, beside.kernels->any[row], to - from, beside, c);
      }
    }
  }

  /// Of the run of a that comes next - the same rows from product `first` on, or those of the next strip - so many rows for each strip of columns.
  void prefetch_run(std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t first, std::ptrdiff_t part,
                    std::ptrdiff_t parts) const {
    if (p_.a_column != 1) return;
    if (first >= depth_) {
      first = 0;
      from = to;
      to = std::min(to + kernels_.most_rows(), rows_);
    }
    const std::ptrdiff_t item = item_size(p_.a_type), rows = to - from, last = from + rows * (part + 1) / parts;
    const std::ptrdiff_t bytes = std::min(blocking_.run, depth_ - first) * item;
    for (std::ptrdiff_t row = from + rows * part / parts; row < last; ++row) {
      const std::byte* const line = a_at(row) + first * item;
      for (std::ptrdiff_t i = 0; i < bytes; i += 64) __builtin_prefetch(line + i, 0, 2);
    }
  }

  void run_strip(std::ptrdiff_t from, std::ptrdiff_t to, std::span<const ColumnStrip> columns) const {
    const auto row = static_cast<std::size_t>(to - from - 1);
    StripProduct strip{.a = blocking_.packs_a ? packed_a_ + from * packed_bytes_ : a_at(from),
                       .a_row = p_.a_loop != nullptr ? depth_ : p_.a_row,
                       .a_column = p_.a_loop != nullptr ? 1 : p_.a_column,
                       .b = nullptr,
                       .b_row = 0,
                       .second = kernels_.lanes(),
                       .depth = (depth_ - 1) / kernels_.step + 1,
                       .c = nullptr,
                       .c_row = c_row_,
                       .adds = first_ > 0};
    const bool packed = blocking_.packs_a && p_.a_loop == nullptr;
    std::byte* const c = c_ + ((first_row_ + from) * c_row_ + first_column_) * item_;
    for (const ColumnStrip& beside : columns) {
      const MicroKernel multiply = packed ? beside.kernels->packed[row] : beside.kernels->any[row];
      strip.b = beside.b;
      strip.b_row = beside.b_row;
      multiply_columns(strip, multiply, to - from, beside, c);
    }
  }

  void multiply_columns(StripProduct& strip, MicroKernel multiply, std::ptrdiff_t rows, const ColumnStrip& beside,
                        std::byte* c) const {
    strip.c = c + beside.first * item_;
    if (beside.used == beside.kernels->lanes) {
      multiply(strip);
    } else {
      multiply_edge(strip, multiply, rows, beside);
    }
  }

  /// Columns that end inside a vector, by way of memory that has room for all of it.
  void multiply_edge(StripProduct strip, MicroKernel multiply, std::ptrdiff_t rows, const ColumnStrip& beside) const {
    alignas(64) std::byte edge[edge_bytes];
    const std::ptrdiff_t edge_row = beside.kernels->lanes * item_;
    const std::ptrdiff_t row = c_row_ * item_, bytes = beside.used * item_;
    auto* const c = static_cast<std::byte*>(strip.c);
    for (std::ptrdiff_t i = 0; strip.adds && i < rows; ++i) copy_few(edge + i * edge_row, c + i * row, bytes);
    strip.c = edge;
    strip.c_row = beside.kernels->lanes;
    multiply(strip);
    for (std::ptrdiff_t i = 0; i < rows; ++i) copy_few(c + i * row, edge + i * edge_row, bytes);
  }

  const TiledProduct& p_;
  const Loops& loops_;
  const ProductKernels& kernels_;
  const Blocking& blocking_;
  std::ptrdiff_t item_;
  std::byte* c_;
  std::ptrdiff_t c_row_;
  std::byte* packed_a_;
  std::byte* packed_b_;
  std::ptrdiff_t first_row_ = 0, rows_ = 0, strips_ = 0;  // the block of a
  std::ptrdiff_t first_ = 0, depth_ = 0;                  // of the inner extent,
  std::ptrdiff_t packed_bytes_ = 0;                       // which for one row of a or column of b take so many bytes
  std::ptrdiff_t first_column_ = 0, columns_ = 0;         // the panel of b,
  std::array<ColumnStrip, most_widths> columns_beside_;   // cut into these
  TileState tiles_;
  const std::function<void(const ProductStrip&)>* body_ = nullptr;
};

}  // namespace

bool comes_in_strips(const TiledProduct& product) {
  const Loops loops = loops_for(product);
  return loops.by_tiles && product.inner <= loops.kernels.depth;
}

std::ptrdiff_t product_strips_bytes(const TiledProduct& product) {
  const Loops loops = loops_for(product);
  const Blocking blocking(product, loops);
  return strip_bytes(loops.kernels, blocking) + workspace_of(product, loops.kernels, blocking);
}

void multiply_in_strips(const TiledProduct& product, std::byte* workspace,
                        const std::function<void(const ProductStrip&)>& body) {
  const Loops loops = loops_for(product);
  const Blocking blocking(product, loops);
  BlockedProduct(product, loops, blocking, workspace, 0, workspace + strip_bytes(loops.kernels, blocking)).run(body);
}

PackedFactors packed_factors(const TiledProduct& product) {
  const Blocking blocking(product, loops_for(product));
  return {.a = blocking.packs_a, .b = blocking.packs_b};
}

std::ptrdiff_t blocked_product_bytes(const TiledProduct& product) {
  const Loops loops = loops_for(product);
  return workspace_of(product, loops.kernels, Blocking(product, loops));
}

void multiply_blocked(const TiledProduct& product, void* c, std::ptrdiff_t c_row, std::byte* workspace) {
  const Loops loops = loops_for(product);
  BlockedProduct(product, loops, Blocking(product, loops), c, c_row, workspace).run();
}

void multiply_blocked(const TiledProduct& product, void* c, std::ptrdiff_t c_row) {
  const Loops loops = loops_for(product);
  const Blocking blocking(product, loops);
  TaskMemory memory(1, workspace_of(product, loops.kernels, blocking));
  memory.use([&](std::byte* workspace) { BlockedProduct(product, loops, blocking, c, c_row, workspace).run(); });
}

}  // namespace tessera::plan
