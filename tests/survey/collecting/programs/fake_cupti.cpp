#include "tests/survey/collecting/programs/fake_cupti.h"

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_version.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "tests/survey/collecting/programs/fake_cupti_state.h"

namespace fake {

State& state() {
  static State* const only = new State;
  return *only;
}

bool has_callback(CUpti_CallbackId callback) {
  const std::lock_guard guard(state().lock);
  return state().called_back.contains(callback);
}

}  // namespace fake

namespace {

using fake::State;
using fake::state;

struct FakeCall {
  const char* name;
  bool is_runtime;
};
// A call's number is its place, counted from 1, in both domains.
constexpr FakeCall kCalls[] = {{"cudaLaunchKernel_v7000", true},
                               {"cuLaunchKernel", false},
                               {"cudaGetLastError_v3020", true},
                               {"cudaMemcpyAsync_ptsz_v7000", true},
                               {"cuMemAlloc_v2", false},
                               {"cudaDeviceSynchronize_v3020", true},
                               {"__cudaLaunchKernel_v13000", true},
                               {"cudaGraphLaunch_v10000", true}};
constexpr std::size_t kRecordBytes = 256;  // At least as many as the largest record has.

// Gives the current buffer to the client. The lock is not held, because the client calls back.
void complete_buffer() {
  State& fake = state();
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0;
  std::size_t used = 0;
  {
    const std::lock_guard guard(fake.lock);
    std::swap(buffer, fake.buffer);
    bytes = fake.bytes;
    std::swap(used, fake.used);
  }
  if (buffer != nullptr) fake.complete(nullptr, 0, buffer, bytes, used);
}

template <class Record>
void add(Record record, CUpti_ActivityKind kind) {
  static_assert(sizeof(Record) <= kRecordBytes);
  State& fake = state();
  record.kind = kind;
  if (fake.used + kRecordBytes > fake.bytes) complete_buffer();
  const std::lock_guard guard(fake.lock);
  if (fake.buffer == nullptr) {
    std::size_t most = 0;
    fake.request(&fake.buffer, &fake.bytes, &most);
  }
  if (fake.buffer == nullptr) {
    ++fake.dropped;
    return;
  }
  std::memcpy(fake.buffer + fake.used, &record, sizeof(record));
  fake.used += kRecordBytes;
}

bool has(CUpti_ActivityKind kind) {
  const std::lock_guard guard(state().lock);
  return state().kinds.contains(kind);
}

CUptiResult set_call(std::set<std::uint32_t>& calls, std::uint32_t callback, bool on) {
  const std::lock_guard guard(state().lock);
  if (on) {
    calls.insert(callback);
  } else {
    calls.erase(callback);
  }
  return CUPTI_SUCCESS;
}

// The record of the GPU or of its context. CUPTI emits it once, when CUDA is initialised or the context is
// created, and again only if it is asked to.
void add_resource(CUpti_ActivityKind kind) {
  if (state().device == nullptr || !has(kind)) return;
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
    CUpti_ActivityDevice5 device{};
    device.name = state().device;
    device.computeCapabilityMajor = 9;
    device.numMultiprocessors = 132;
    device.numThreadsPerWarp = 32;
    device.maxWarpsPerMultiprocessor = 64;
    device.uuid.bytes[0] = 0x12;
    add(device, kind);
  } else if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
    CUpti_ActivityContext3 context{};
    context.contextId = 1;
    context.nullStreamId = 7;
    add(context, kind);
  }
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  const std::lock_guard guard(state().lock);
  if (std::getenv("FAKE_CUPTI_REFUSES_KERNELS") != nullptr && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    return CUPTI_ERROR_NOT_COMPATIBLE;
  state().kinds.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  if (std::getenv("FAKE_CUPTI_CANNOT_DUMP") != nullptr) return CUPTI_ERROR_NOT_COMPATIBLE;
  const CUptiResult result = cuptiActivityEnable(kind);
  if (result == CUPTI_SUCCESS) add_resource(kind);
  return result;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard guard(state().lock);
  state().kinds.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId callback, std::uint8_t on) {
  return set_call(state().driver_calls, callback, on != 0);
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId callback, std::uint8_t on) {
  return set_call(state().runtime_calls, callback, on != 0);
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  complete_buffer();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  auto* next = *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + kRecordBytes;
  if (next + kRecordBytes > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard guard(state().lock);
  *dropped = std::exchange(state().dropped, 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (std::getenv("FAKE_CUPTI_IS_USED") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (state().clock != nullptr) std::abort();  // A second registration spoils times in the real CUPTI.
  state().clock = clock;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, std::size_t*, void*) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t callback, const char** name) {
  if (callback == 0 || callback > std::size(kCalls)) return CUPTI_ERROR_INVALID_PARAMETER;
  const FakeCall& call = kCalls[callback - 1];
  if (call.is_runtime != (domain == CUPTI_CB_DOMAIN_RUNTIME_API)) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = call.name;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = std::getenv("FAKE_CUPTI_IS_OLD") != nullptr ? 18 : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void* data) {
  if (std::getenv("FAKE_CUPTI_IS_USED") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state().subscriber = callback;
  state().subscriber_data = data;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId callback) {
  return set_call(state().called_back, callback, on != 0);
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
int InitializeInjectionNvtx2(void*) { return 1; }

std::uint64_t fake_now() { return state().clock == nullptr ? 0 : state().clock(); }

void fake_kernel(const char* name, std::uint32_t blocks, std::uint64_t start, std::uint64_t end,
                 std::uint32_t correlation) {
  if (!has(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  CUpti_ActivityKernel10 kernel{};
  kernel.name = name;
  kernel.start = start;
  kernel.end = end;
  kernel.contextId = 1;
  kernel.streamId = 7;
  kernel.gridX = static_cast<std::int32_t>(blocks);
  kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
  kernel.blockX = 256;
  kernel.registersPerThread = 32;
  kernel.correlationId = correlation;
  kernel.graphId = state().graph;
  add(kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

void fake_copy(std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  if (!has(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  CUpti_ActivityMemcpy6 copy{};
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  copy.bytes = bytes;
  copy.start = start;
  copy.end = end;
  copy.contextId = 1;
  copy.streamId = 7;
  copy.correlationId = correlation;
  add(copy, CUPTI_ACTIVITY_KIND_MEMCPY);
}

void fake_fill(std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  if (!has(CUPTI_ACTIVITY_KIND_MEMSET)) return;
  CUpti_ActivityMemset4 fill{};
  fill.bytes = bytes;
  fill.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  fill.start = start;
  fill.end = end;
  fill.contextId = 1;
  fill.streamId = 13;
  fill.correlationId = correlation;
  add(fill, CUPTI_ACTIVITY_KIND_MEMSET);
}

void fake_call(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  std::uint32_t callback = 0;
  while (callback < std::size(kCalls) && std::string_view(kCalls[callback].name) != name) ++callback;
  if (callback == std::size(kCalls)) std::abort();
  const bool is_runtime = kCalls[callback].is_runtime;
  ++callback;
  {
    const std::lock_guard guard(state().lock);
    if (!(is_runtime ? state().runtime_calls : state().driver_calls).contains(callback)) return;
  }
  CUpti_ActivityAPI api{};
  api.cbid = callback;
  api.start = start;
  api.end = end;
  api.threadId = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  api.correlationId = correlation;
  add(api, is_runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER);
}

void fake_range(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t number) {
  if (!has(CUPTI_ACTIVITY_KIND_MARKER)) return;
  CUpti_ActivityMarker2 marker{};
  marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
  marker.timestamp = start;
  marker.id = number;
  marker.name = name;
  marker.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  marker.objectId.pt.threadId = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  add(marker, CUPTI_ACTIVITY_KIND_MARKER);
  marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
  marker.timestamp = end;
  marker.name = nullptr;
  add(marker, CUPTI_ACTIVITY_KIND_MARKER);
}

void fake_device(const char* name) {
  state().device = name;
  add_resource(CUPTI_ACTIVITY_KIND_DEVICE);
  add_resource(CUPTI_ACTIVITY_KIND_CONTEXT);
}

void fake_drop(std::uint64_t records) {
  const std::lock_guard guard(state().lock);
  state().dropped += records;
}

std::uint64_t fake_dropped() {
  const std::lock_guard guard(state().lock);
  return state().dropped;
}

void fake_flush() { complete_buffer(); }

int fake_takes_kernels() { return has(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ? 1 : 0; }

}  // extern "C"
