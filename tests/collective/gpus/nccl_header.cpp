// What the library and the fake NCCL know of NCCL's header, held against the header itself where it is installed. Compiled only.
#include <nccl.h>

#include <cstddef>
#include <type_traits>

static_assert(NCCL_VERSION_CODE >= 21400);
static_assert(ncclSuccess == 0 && ncclUnhandledCudaError == 1 && ncclInternalError == 3 && ncclInvalidArgument == 4 &&
              ncclRemoteError == 6 && ncclInProgress == 7 && ncclUint8 == 1);
static_assert(sizeof(ncclUniqueId) == 128 && std::is_trivially_copyable_v<ncclUniqueId>);
static_assert(offsetof(ncclConfig_t, size) == 0 && offsetof(ncclConfig_t, magic) == sizeof(std::size_t) &&
              offsetof(ncclConfig_t, version) == sizeof(std::size_t) + 4 &&
              offsetof(ncclConfig_t, blocking) == sizeof(std::size_t) + 8 &&
              offsetof(ncclConfig_t, cgaClusterSize) == sizeof(std::size_t) + 12);
inline constexpr ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
static_assert(config.magic == 0xcafebeef);

template <class Function, class Expected>
inline constexpr bool is = std::is_same_v<Function, Expected>;

static_assert(is<decltype(ncclGetUniqueId), ncclResult_t(ncclUniqueId*)>);
static_assert(is<decltype(ncclCommInitRankConfig), ncclResult_t(ncclComm_t*, int, ncclUniqueId, int, ncclConfig_t*)>);
static_assert(is<decltype(ncclCommGetAsyncError), ncclResult_t(ncclComm_t, ncclResult_t*)>);
static_assert(is<decltype(ncclCommAbort), ncclResult_t(ncclComm_t)>);
static_assert(is<decltype(ncclGroupStart), ncclResult_t()> && is<decltype(ncclGroupEnd), ncclResult_t()>);
static_assert(
    is<decltype(ncclSend), ncclResult_t(const void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)>);
static_assert(is<decltype(ncclRecv), ncclResult_t(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)>);
static_assert(is<decltype(ncclBroadcast),
                 ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)>);
static_assert(is<decltype(ncclAllGather),
                 ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclComm_t, cudaStream_t)>);
static_assert(is<decltype(ncclGetErrorString), const char*(ncclResult_t)>);
static_assert(is<decltype(ncclGetLastError), const char*(ncclComm_t)>);
