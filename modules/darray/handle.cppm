module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.darray:handle;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :alternative;
import :dlayout;

// The array of any element type and rank.
namespace tessera {

export class DArray;

/// Stands for one element of a dynamic array: reads on conversion, writes on assignment, wherever the element lives.
export class DReference {
 public:
  DReference(const DReference&) = default;

  /// The value, in its own type. Throws OperationFailed if the op failed that should have written it.
  DValue get() const;
  inline operator DValue() const { return get(); }
  /// The value as a T. Throws DTypeError unless an assignment would convert it.
  template <Element T>
  operator T() const {
    return get().as<T>();
  }

  /// Writes the element. A C++ number takes the element's type if that is of its kind or of a higher one. Throws DTypeError for a value
  /// that an assignment does not convert, an integer that does not fit, and for an array that is read only.
  const DReference& operator=(const DValue& value) const;
  template <WeakScalar S>
  const DReference& operator=(S value) const {
    return put_weak(weak_value(value));
  }
  const DReference& operator=(const DReference& other) const { return *this = other.get(); }

  friend bool operator==(const DReference& a, const DValue& b) { return a.get() == b; }
  friend std::ostream& operator<<(std::ostream& out, const DReference& element) { return out << element.get(); }

  /// A C++ number as one of bool, int64, uint64 and double, which hold them all.
  template <WeakScalar S>
  static DValue weak_value(S value) {
    if constexpr (std::same_as<S, bool>) return value;
    if constexpr (std::floating_point<S>) return static_cast<double>(value);
    if constexpr (std::signed_integral<S>) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
  }

 private:
  friend class DArray;
  DReference(storage::BufferShare share, std::byte* element, dynamic::Which which, Place place)
      : share_(std::move(share)), element_(element), which_(which), place_(place) {}
  const DReference& put_weak(const DValue& value) const;
  void put(const DValue& value) const;

  storage::BufferShare share_;  // so that the storage outlives the array
  std::byte* element_;
  dynamic::Which which_;
  Place place_;
};

/// A C++ number or an element: what fills a dynamic array, and meets it in expressions.
export template <class S>
concept DScalar = Scalar<S> && !ScalarParameter<S>;

/// The element type nearest to a C++ number's.
template <WeakScalar S>
constexpr DType natural_type() {
  if constexpr (Element<S>) return dtype_of<S>;
  if constexpr (std::floating_point<S>) return DType::float64;
  if constexpr (std::signed_integral<S>)
    return sizeof(S) == 1 ? DType::int8 : sizeof(S) == 2 ? DType::int16 : sizeof(S) == 4 ? DType::int32 : DType::int64;
  return sizeof(S) == 1   ? DType::uint8
         : sizeof(S) == 2 ? DType::uint16
         : sizeof(S) == 4 ? DType::uint32
                          : DType::uint64;
}

/// The scalar as an operand.
template <DScalar S>
dynamic::ScalarOperand scalar_operand(const S& scalar) {
  using V = scalar_of<S>;
  if constexpr (WeakScalar<V>) {
    return {DReference::weak_value(static_cast<V>(scalar)), true, natural_type<V>()};
  } else {
    return {DValue(static_cast<V>(scalar)), false};
  }
}

template <class X>
inline constexpr bool is_tree = false;

/// A tree of functions over dynamic operands, whose form is known at compile time; see nodes.cppm.
export template <class X>
concept DynamicTree = is_tree<std::remove_cvref_t<X>>;

/// The loop of a tree for leaves and scalars of one type.
template <Element T>
using WithLoop = void (*)(const T* scalars, const void* context,
                          void (*use)(const void* context, dynamic::Kernel kernel, const void* nodes));

/// What is known of a tree when its type is forgotten.
struct TreeForm {
  // Null where its functions do not take the type.
  WithLoop<float> floats;
  WithLoop<double> doubles;
  WithLoop<std::int32_t> integers;
  WithLoop<std::int64_t> longs;
  std::array<DType, 4> results;  // in this order
  std::size_t leaves, scalars;
  void (*collect)(const void* tree, const DArray** leaves, const dynamic::ScalarOperand** scalars);
  DExpression (*program)(const void* tree);
};

export class DPicked;

/// A dynamic array, what indices pick of one, or an expression of such.
export template <class X>
concept DynamicOperand =
    std::same_as<std::remove_cvref_t<X>, DArray> || std::same_as<std::remove_cvref_t<X>, DExpression> ||
    std::same_as<std::remove_cvref_t<X>, DPicked> || DynamicTree<X>;

/// An array of indices or a mask, between the parentheses of x(...).
template <class I>
concept DIndexArray =
    DynamicOperand<I> || ((Elements<I> || ExpressionNode<I>) && !DScalar<I> &&
                          (Integer<value_of<I>> || std::same_as<std::remove_const_t<value_of<I>>, bool>));

/// Elements of one type along axes, both known at run time only: a name for shared storage, as Array is, with the same meaning of `=`.
/// It holds an Array<T, D> or Array<const T, D>, which get<Array<T, D>>(x) and visit(f, x) reach.
///
/// `=` on a name gives it the value of the right side, also of another dtype and rank: an array shares its storage, an expression is
/// computed, a scalar fills. `x(...) = y` and compound operators write elements.
export class DArray {
 public:
  /// No storage; float32 of rank 0.
  DArray() { dynamic::alternative(which_).make(room_, {}, nullptr, {}, Place()); }

  /// Another name for an array's storage.
  template <class T, int Rank, AnyPlace P>
    requires(Rank <= max_rank)
  DArray(const Array<T, Rank, P>& array)
      : which_{dtype_of<std::remove_const_t<T>>, static_cast<std::uint8_t>(Rank), std::is_const_v<T>} {
    ::new (room_.bytes) Array<T, Rank>(array);
  }
  /// The values of a static expression or a view, in new storage.
  template <class E>
    requires(ExpressionNode<E> || ViewHandle<E>) && (rank_of<E> <= max_rank)
  DArray(const E& expression) : DArray(evaluate(expression)) {}

  /// The values of an expression, in new storage. Throws ShapeError, DTypeError, PlaceError, OutOfMemory.
  DArray(const DExpression& expression);
  template <DynamicTree Tree>
  DArray(const Tree& tree) : DArray() {
    assign_tree(Tree::form(), &tree, true);
  }
  /// The elements that are picked, in new storage. Throws OutOfMemory.
  template <std::same_as<DPicked> Picked>
  DArray(const Picked& picked) : DArray(picked.get()) {}

  /// Uninitialised storage. Throws ShapeError, OutOfMemory, DeviceError.
  DArray(const DDim& shape, DType dtype, Place place = {});

  /// Elements of `layout` in a buffer, which must hold them; its offset counts from the buffer's beginning.
  DArray(const storage::BufferShare& share, DType dtype, const dynamic::DLayout& layout, Place place,
         bool is_read_only = false);

  inline DArray(const DArray& other) noexcept : which_(other.which_) { table().copy(room_, other.room_); }
  inline DArray(DArray&& other) noexcept : which_(other.which_) { table().move(room_, other.room_); }
  inline ~DArray() { table().drop(room_); }

  DArray& operator=(const DArray& other) & noexcept {
    DArray copy(other);
    return become(copy);
  }
  DArray& operator=(DArray&& other) & noexcept {
    DArray taken(std::move(other));
    return become(taken);
  }
  template <ArrayHandle A>
  DArray& operator=(const A& array) & {
    return *this = DArray(array);
  }
  /// Gives this name the value of an expression: into its own storage if that has the dtype and shape and no other name sees it, into
  /// new storage otherwise. Throws ShapeError, DTypeError, PlaceError, OutOfMemory; the array is as before then.
  DArray& operator=(const DExpression& expression) & { return assign_name(expression, 0); }
  DArray& operator=(DExpression&& expression) & { return assign_name(expression, 1); }
  /// Fills: every element becomes the scalar, in the array's dtype. Throws ShapeError without storage, DTypeError if the scalar does
  /// not take that type.
  template <DScalar S>
  DArray& operator=(const S& scalar) & {
    return fill(scalar_operand(scalar));
  }
  template <DynamicTree Tree>
  DArray& operator=(Tree&& tree) & {
    return assign_tree(std::remove_cvref_t<Tree>::form(), &tree, std::is_lvalue_reference_v<Tree>);
  }
  template <class E>
    requires ExpressionNode<E> || ViewHandle<E> || std::same_as<E, DPicked>
  DArray& operator=(const E& expression) & {
    return *this = DArray(expression);
  }

  // What is no name is a view, such as x({0}): its elements are written. Throws as above, and DTypeError where an assignment does not
  // convert.
  void operator=(const DArray& source) && { write(source); }
  void operator=(const DExpression& source) && { write(source); }
  template <DynamicTree Tree>
  void operator=(const Tree& tree) && {
    write_tree(Tree::form(), &tree);
  }
  template <ArrayHandle A>
  void operator=(const A& source) && {
    write(DArray(source));
  }
  template <DScalar S>
  void operator=(const S& scalar) && {
    write(scalar_operand(scalar));
  }
  template <class E>
    requires ExpressionNode<E> || ViewHandle<E> || std::same_as<E, DPicked>
  void operator=(const E& expression) && {
    write(DArray(expression));
  }

  inline DType dtype() const { return which_.dtype; }
  inline int rank() const { return which_.rank; }
  inline DDim shape() const { return DDim(layout().shape()); }
  /// In elements, one for each axis; valid until the array is given another value.
  inline std::span<const std::ptrdiff_t> strides() const { return {facts().strides, static_cast<std::size_t>(rank())}; }
  inline Place place() const { return facts().place; }
  /// Elements; 0 without storage.
  std::ptrdiff_t size() const;
  inline bool has_storage() const { return *facts().share != nullptr; }
  inline bool is_contiguous() const { return dynamic::is_row_major(layout()); }
  /// Its elements can only be read, as those of Array<const T, D>.
  inline bool is_read_only() const { return which_.is_read_only; }
  /// The first element. Does not wait for ops that are pending.
  inline void* data() const { return facts().data; }
  inline const storage::BufferShare& buffer() const { return *facts().share; }
  /// The layout of the elements, relative to the first.
  dynamic::DLayout layout() const;

  /// One element: an integer for each axis; those in braces count from the end when they are negative. Throws IndexError outside the
  /// shape.
  DReference operator[](const DDim& index) const { return element(index.extents()); }
  DReference operator[](std::initializer_list<std::ptrdiff_t> index) const {
    return element({index.begin(), index.size()});
  }
  DReference element(std::span<const std::ptrdiff_t> index) const;

  /// A view that shares the storage: x({0, all, range(1, -1)}). Integers drop an axis, ranges and `all` keep it, `newaxis` adds one,
  /// `ellipsis` stands for the axes not named. Throws IndexError.
  DArray operator()(std::initializer_list<DIndexer> indexers) const {
    return slice(std::span(indexers.begin(), indexers.size()));
  }
  DArray operator()(std::span<const DIndexer> indexers) const { return slice(indexers); }
  template <class... I>
    requires(sizeof...(I) > 0) && (std::convertible_to<const I&, DIndexer> && ...)
  DArray operator()(const I&... indexers) const {
    const DIndexer list[] = {indexers...};
    return slice(list);
  }
  DArray slice(std::span<const DIndexer> indexers) const;
  /// With arrays of indices or masks among the indexers: what they pick, which converts to an array and can be written. See DPicked.
  template <class... I>
    requires((DIndexArray<I> || std::convertible_to<const I&, DIndexer>) && ...) && (DIndexArray<I> || ...)
  DPicked operator()(const I&... indexers) const;

  /// The axes in reverse order, or in the order of a list, sharing the storage. Throws IndexError if that is no permutation.
  DArray T() const;
  DArray transpose(std::span<const int> axes) const;
  inline DArray transpose(std::initializer_list<int> axes) const {
    return transpose(std::span(axes.begin(), axes.size()));
  }
  inline DArray transpose() const { return T(); }
  /// Seen with a larger shape. Throws ShapeError.
  DArray broadcast_to(const DDim& shape) const;
  /// The elements in row-major order under another shape, one extent of which may be -1; shares the storage where a view can express
  /// it. Throws ShapeError.
  DArray reshape(std::span<const std::ptrdiff_t> shape) const;
  inline DArray reshape(std::initializer_list<std::ptrdiff_t> shape) const {
    return reshape(std::span(shape.begin(), shape.size()));
  }
  inline DArray reshape(const DDim& shape) const { return reshape(shape.extents()); }
  inline DArray flatten() const { return reshape({-1}); }
  /// The same storage through another layout, relative to the first element.
  DArray with_layout(const dynamic::DLayout& layout) const;

  /// New row-major storage with the same elements at the same place. Throws OutOfMemory.
  inline DArray clone() const { return copied_to(place()); }
  /// The elements at `place`: this array if they are there already, otherwise a row-major copy. Throws DeviceError, OutOfMemory.
  DArray to(Place place) const;
  /// The elements converted, in new storage. Every conversion is defined, as cast<T>() has it.
  DArray cast(DType dtype) const;
  /// This array as one that only reads.
  DArray as_read_only() const;

  /// The array as an operand of expressions.
  inline operator DExpression() const { return DExpression(leaf()); }
  dynamic::Leaf leaf() const;

  /// The value of an array with one element, whatever its rank. Throws ShapeError for others.
  DValue item() const;
  /// The value of what has rank 0: double s = x. Throws ShapeError for other ranks.
  template <Element T>
  operator T() const {
    return value().as<T>();
  }
  DValue value() const;

  /// Waits for the ops that are pending on the elements.
  inline void wait() const { wait(schedule::Purpose::change); }
  void wait(schedule::Purpose purpose) const;

  /// For those who know what is held.
  inline const dynamic::Which& which() const { return which_; }
  /// Throws DTypeError if the elements can only be read.
  void require_writable(const char* operation) const;
  inline dynamic::Room& room() { return room_; }
  inline const dynamic::Room& room() const { return room_; }

  /// Writes the elements. Throws ShapeError if the source does not broadcast, DTypeError if it does not convert or the array is read
  /// only.
  void write(const DExpression& source) const;
  void write(const dynamic::ScalarOperand& scalar) const;
  template <DynamicTree Tree>
  void write(const Tree& tree) const {
    write_tree(Tree::form(), &tree);
  }

 private:
  inline const dynamic::Alternative& table() const { return dynamic::alternative(which_); }
  inline dynamic::Facts facts() const { return table().facts(room_); }
  dynamic::Destination destination() const;
  DArray& become(DArray& taken) noexcept {
    table().drop(room_);
    which_ = taken.which_;
    table().move(room_, taken.room_);
    return *this;
  }
  DArray& assign_name(const DExpression& expression, int holds);
  DArray& assign_tree(const TreeForm& form, const void* tree, bool is_kept);
  void write_tree(const TreeForm& form, const void* tree) const;
  DArray& fill(const dynamic::ScalarOperand& scalar);
  DArray copied_to(Place place) const;

  dynamic::Room room_;
  dynamic::Which which_;
};

/// As an array of its type is printed.
export std::string to_string(const DArray& array);
export std::ostream& operator<<(std::ostream& out, const DArray& array);
/// As the values print.
export std::ostream& operator<<(std::ostream& out, const DExpression& expression);

// Templates, so that no static array is converted for them. Of an expression they are views of its values.

/// The axes in the order `axes`, sharing the storage. Throws IndexError if they are no permutation.
export template <DynamicOperand X>
DArray transpose(const X& x, std::span<const int> axes) {
  return DArray(x).transpose(axes);
}
export template <DynamicOperand X>
DArray transpose(const X& x, std::initializer_list<int> axes) {
  return DArray(x).transpose({axes.begin(), axes.size()});
}
/// The axes reversed.
export template <DynamicOperand X>
DArray transpose(const X& x) {
  return DArray(x).T();
}
/// The elements in row-major order under another shape, one extent of which may be -1. Throws ShapeError.
export template <DynamicOperand X>
DArray reshape(const X& x, const DDim& shape) {
  return DArray(x).reshape(shape);
}
export template <DynamicOperand X>
DArray reshape(const X& x, std::initializer_list<std::ptrdiff_t> shape) {
  return DArray(x).reshape(shape);
}
/// The elements as a vector.
export template <DynamicOperand X>
DArray flatten(const X& x) {
  return DArray(x).flatten();
}
/// The array seen with a larger shape; axes of extent 1 repeat. It only reads. Throws ShapeError.
export template <DynamicOperand X>
DArray broadcast_to(const X& x, const DDim& shape) {
  return DArray(x).broadcast_to(shape);
}
/// A copy in new storage.
export template <DynamicOperand X>
DArray copy(const X& x) {
  if constexpr (std::same_as<X, DArray>) {
    return x.clone();
  } else {
    return DArray(x);
  }
}
/// The value of an element. Throws IndexError.
export template <DynamicOperand X>
DValue get(const X& x, const DDim& index) {
  return DArray(x)[index].get();
}
/// Writes an element. Throws IndexError, DTypeError.
export template <std::same_as<DArray> A, class V>
  requires DScalar<V> || std::same_as<V, DValue>
void set(const A& array, const DDim& index, const V& value) {
  array[index] = value;
}

}  // namespace tessera
