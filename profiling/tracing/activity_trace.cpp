// CUPTI's activity records of this process. CUPTI asks for buffers, fills them, and hands them back, all by
// callbacks without an argument of the caller. So the buffers belong to the process. They are read when the
// caller asks for the records, never within a callback.
#include "profiling/tracing/activity_trace.h"

#include <cupti_activity.h>
#include <cupti_version.h>
#include <time.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "profiling/counters/cupti.h"

namespace warptune::profiling::tracing {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 8;

struct Free {
  void operator()(std::uint8_t* buffer) const { std::free(buffer); }
};

struct FilledBuffer {
  std::unique_ptr<std::uint8_t, Free> bytes;
  std::size_t valid = 0;
};

class FilledBuffers {
 public:
  void add(FilledBuffer buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.push_back(std::move(buffer));
  }
  std::vector<FilledBuffer> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(buffers_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<FilledBuffer> buffers_;
};

// It is never destroyed, because CUPTI may hand a buffer back while the process ends.
FilledBuffers& filled_buffers() {
  static auto* const buffers = new FilledBuffers;
  return *buffers;
}

std::uint64_t monotonic_ns() {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                              std::size_t valid) {
  FilledBuffer filled{std::unique_ptr<std::uint8_t, Free>(buffer), valid};
  if (valid > 0) filled_buffers().add(std::move(filled));
}

constexpr CUpti_ActivityKind kRecordedKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                 CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                                 CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

void require_same_records() {
  std::uint32_t version = 0;
  WARPTUNE_CUPTI(cuptiGetVersion, &version);
  constexpr std::uint32_t kSameRecords = CUPTI_API_VERSION / 10000 * 10000;
  if (version < kSameRecords)
    throw base::MachineError("libcupti is older than CUDA 13, and its records have other members",
                             "install CUPTI of CUDA 13 or set CUDA_HOME to the toolkit that has it");
}

TimeSpan span_of(std::uint64_t start, std::uint64_t end) {
  return {static_cast<std::int64_t>(start), static_cast<std::int64_t>(end)};
}

std::uint32_t number(std::int32_t value) { return static_cast<std::uint32_t>(value); }

TracedActivity activity_of(const CUpti_ActivityKernel10& record) {
  TracedActivity activity;
  activity.correlation = record.correlationId;
  activity.time = span_of(record.start, record.end);
  TracedKernel& kernel = activity.kernel;
  if (record.name != nullptr) kernel.name = record.name;
  kernel.grid = {number(record.gridX), number(record.gridY), number(record.gridZ)};
  kernel.block = {number(record.blockX), number(record.blockY), number(record.blockZ)};
  kernel.cluster = {record.clusterX, record.clusterY, record.clusterZ};
  kernel.registers = record.registersPerThread;
  kernel.static_shared = number(record.staticSharedMemory);
  kernel.dynamic_shared = number(record.dynamicSharedMemory);
  kernel.local_bytes = record.localMemoryPerThread;
  return activity;
}

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

void add_activity(TracedActivity activity, TraceRecords& records) {
  const bool has_times = activity.time.start_ns > 0 && activity.time.end_ns >= activity.time.start_ns;
  if (has_times)
    records.activities.push_back(std::move(activity));
  else
    ++records.dropped;
}

void add(const CUpti_Activity& record, TraceRecords& records) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_activity(activity_of(as<CUpti_ActivityKernel10>(record)), records);
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = as<CUpti_ActivityMemcpy6>(record);
      const bool both = copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
      return add_activity({StepKind::kCopy, copy.correlationId, span_of(copy.start, copy.end), copy.bytes,
                           both || copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                           both || copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH},
                          records);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = as<CUpti_ActivityMemset4>(record);
      return add_activity({StepKind::kFill, fill.correlationId, span_of(fill.start, fill.end), fill.bytes},
                          records);
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto& api = as<CUpti_ActivityAPI>(record);
      records.calls.push_back({api.correlationId, span_of(api.start, api.end)});
      return;
    }
    default:
      return;
  }
}

}  // namespace

ActivityTrace::ActivityTrace() {
  require_same_records();
  counters::check_cupti(counters::cupti().cuptiActivityRegisterCallbacks(request_buffer, complete_buffer),
                        "cuptiActivityRegisterCallbacks");
  WARPTUNE_CUPTI(cuptiActivityRegisterTimestampCallback, monotonic_ns);
  for (const CUpti_ActivityKind kind : kRecordedKinds) WARPTUNE_CUPTI(cuptiActivityEnable, kind);
}

ActivityTrace::~ActivityTrace() {
  for (const CUpti_ActivityKind kind : kRecordedKinds) counters::cupti().cuptiActivityDisable(kind);
}

TraceRecords ActivityTrace::take() {
  WARPTUNE_CUPTI(cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  TraceRecords records;
  for (const FilledBuffer& buffer : filled_buffers().take()) {
    CUpti_Activity* record = nullptr;
    while (counters::cupti().cuptiActivityGetNextRecord(buffer.bytes.get(), buffer.valid, &record) ==
           CUPTI_SUCCESS)
      add(*record, records);
  }
  std::size_t dropped = 0;
  counters::check_cupti(counters::cupti().cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped),
                        "cuptiActivityGetNumDroppedRecords");
  records.dropped += dropped;
  return records;
}

std::int64_t ActivityTrace::now() { return static_cast<std::int64_t>(monotonic_ns()); }

}  // namespace warptune::profiling::tracing
