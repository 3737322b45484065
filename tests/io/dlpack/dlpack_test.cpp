// Tests of arrays that are handed between libraries by DLPack.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

import tessera;

using namespace tessera;

namespace {

/// The structs as another library has them.
struct DLManagedTensor {
  dlpack::Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

/// A tensor of another library, which counts what is done to it.
struct Foreign {
  std::array<float, 12> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::array<std::int64_t, 10> shape{3, 4}, strides{4, 1};
  int deleted = 0;
  DLManagedTensor managed{};
  dlpack::ManagedTensorVersioned versioned{};

  Foreign() {
    managed.dl_tensor = {values.data(), {1, 0}, 2, {2, 32, 1}, shape.data(), strides.data(), 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
    versioned.version = {1, 1};
    versioned.dl_tensor = managed.dl_tensor;
    versioned.manager_ctx = this;
    versioned.deleter = [](dlpack::ManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
  }
};

}  // namespace

TEST_CASE("docs/files.md: memory of another library") {
  Foreign theirs;
  {
    // --8<-- [start:dlpack]
    DArray x = from_dlpack(&theirs.managed);  // shares their memory; their deleter is called when the last name is gone
    x({0, all}) = 9;
    auto* ours = to_dlpack_versioned(x.T());  // to be handed over: its deleter gives the array back
    // --8<-- [end:dlpack]
    CHECK(theirs.values[3] == 9.f);
    CHECK(ours->dl_tensor.ndim == 2);
    CHECK(ours->dl_tensor.shape[0] == 4);
    CHECK(ours->dl_tensor.strides[1] == 4);
    CHECK(ours->dl_tensor.data == theirs.values.data());
    CHECK(ours->dl_tensor.dtype.bits == 32);
    CHECK(ours->version.major == 1);
    x = DArray();
    CHECK(theirs.deleted == 0);
    ours->deleter(ours);
  }
  CHECK(theirs.deleted == 1);
}

TEST_CASE("strides, offsets and missing strides mean what DLPack says") {
  Foreign theirs;
  theirs.managed.dl_tensor.byte_offset = 11 * sizeof(float);
  theirs.strides = {-4, -1};
  CHECK(to_string(from_dlpack(&theirs.managed)({0, all})) == "[11. 10.  9.  8.]");
  theirs.managed.dl_tensor.byte_offset = 0;
  theirs.managed.dl_tensor.strides = nullptr;
  CHECK(to_string(from_dlpack(&theirs.managed)({all, 1})) == "[1. 5. 9.]");
  theirs.managed.dl_tensor.ndim = 0;
  CHECK(float(from_dlpack(&theirs.managed)) == 0.f);
}

TEST_CASE("memory that may only be read stays so, both ways") {
  Foreign theirs;
  theirs.versioned.flags = 1;
  const DArray x = from_dlpack(&theirs.versioned);
  CHECK(x.is_read_only());
  CHECK_THROWS_AS(to_dlpack(x), DTypeError);
  dlpack::ManagedTensorVersioned* const ours = to_dlpack_versioned(x);
  CHECK(ours->flags == 1);
  ours->deleter(ours);
}

TEST_CASE("every type goes out and comes back") {
  for (int type = 0; type < dtype_count; ++type) {
    const DArray x = full(static_cast<DType>(type), make_ddim({2, 3}), DValue(true));
    const DArray y = from_dlpack(to_dlpack(x));
    CHECK(y.dtype() == x.dtype());
    CHECK(y.data() == x.data());
    CHECK(to_string(y) == to_string(x));
  }
}

TEST_CASE("a tensor that is refused is still the caller's") {
  Foreign theirs;
  auto& tensor = theirs.managed.dl_tensor;
  const dlpack::Tensor good = tensor;
  tensor.dtype = {2, 8, 1};
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), DTypeError);
  tensor.dtype = {2, 32, 4};
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), DTypeError);
  tensor = good;
  tensor.device.device_type = 7;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), PlaceError);
  tensor = good;
  tensor.ndim = 10;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), ShapeError);
  tensor.ndim = -1;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), ShapeError);
  tensor = good;
  theirs.shape[0] = -3;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), ShapeError);
  theirs.shape[0] = std::int64_t{1} << 62;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), ShapeError);
  theirs.shape[0] = 3;
  tensor.byte_offset = 2;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), FormatError);
  tensor = good;
  tensor.data = nullptr;
  CHECK_THROWS_AS(from_dlpack(&theirs.managed), FormatError);
  theirs.versioned.version.major = 2;
  CHECK_THROWS_AS(from_dlpack(&theirs.versioned), FormatError);
  CHECK(theirs.deleted == 0);
  CHECK_THROWS_AS(to_dlpack(DArray()), ShapeError);
}
