#include "survey/injected/activity_records.h"

#include <cstring>

namespace warptune::survey::injected {

namespace {

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

template <class Record>
collecting::RawActivity common_part(const Record& record, std::uint32_t detail) {
  return {record.start,    record.end,           record.deviceId, record.contextId,
          record.streamId, record.correlationId, record.graphId,  detail};
}

std::uint32_t number(std::int32_t value) { return static_cast<std::uint32_t>(value); }

// Whether the times of a record say that it belongs to the survey.
template <class Record>
bool is_kept(const Record& record, const Window& window, RawWriter& writer) {
  if (record.start == 0 || record.end < record.start) {
    writer.add_dropped(1);
    return false;
  }
  return window.overlaps(record.start, record.end);
}

void add_kernel(const CUpti_ActivityKernel10& kernel, const Window& window, RawWriter& writer) {
  if (!is_kept(kernel, window, writer)) return;
  collecting::RawShape shape;
  shape.name = writer.name(kernel.name, NameUse::kKernel);
  shape.grid = {number(kernel.gridX), number(kernel.gridY), number(kernel.gridZ)};
  shape.block = {number(kernel.blockX), number(kernel.blockY), number(kernel.blockZ)};
  shape.cluster = {kernel.clusterX, kernel.clusterY, kernel.clusterZ};
  shape.registers = kernel.registersPerThread;
  shape.static_shared = number(kernel.staticSharedMemory);
  shape.dynamic_shared = number(kernel.dynamicSharedMemory);
  shape.local_bytes = kernel.localMemoryPerThread;
  const std::uint32_t detail = shape.name == kNoNumber ? kNoNumber : writer.shape(shape);
  writer.add(collecting::RawLaunch{common_part(kernel, detail)});
}

void add_copy(const CUpti_ActivityMemcpy6& copy, const Window& window, RawWriter& writer) {
  if (!is_kept(copy, window, writer)) return;
  collecting::RawCopy raw;
  raw.activity = common_part(copy, copy.runtimeCorrelationId);
  raw.bytes = copy.bytes;
  raw.kind = copy.copyKind;
  raw.source = copy.srcKind;
  raw.destination = copy.dstKind;
  raw.asynchronous = copy.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  writer.add(raw);
}

void add_peer_copy(const CUpti_ActivityMemcpyPtoP4& copy, const Window& window, RawWriter& writer) {
  if (!is_kept(copy, window, writer)) return;
  collecting::RawCopy raw;
  raw.activity = common_part(copy, 0);
  raw.bytes = copy.bytes;
  raw.kind = copy.copyKind;
  raw.source = copy.srcKind;
  raw.destination = copy.dstKind;
  raw.asynchronous = copy.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  writer.add(raw);
}

void add_fill(const CUpti_ActivityMemset4& fill, const Window& window, RawWriter& writer) {
  if (!is_kept(fill, window, writer)) return;
  writer.add(collecting::RawFill{common_part(fill, fill.memoryKind), fill.bytes});
}

void add_call(const CUpti_ActivityAPI& api, bool is_runtime, const Window& window, Tracing& tracing,
              RawWriter& writer) {
  TracedCall* const call = tracing.call(is_runtime, static_cast<std::uint32_t>(api.cbid));
  if (call == nullptr || !is_kept(api, window, writer)) return;
  if (call->number == kNoNumber) call->number = writer.name(call->name.data());
  writer.add(
      collecting::RawCall{api.start, api.end, api.threadId, api.correlationId, call->number, call->purpose});
}

void add_marker(const CUpti_ActivityMarker2& marker, RawWriter& writer) {
  const bool is_start = (marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
  const bool is_end = (marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0;
  if (is_start == is_end) return;  // A mark without duration.
  collecting::RawMarker raw;
  raw.time = marker.timestamp;
  raw.range = marker.id;
  raw.is_end = is_end ? 1 : 0;
  if (marker.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) raw.thread = marker.objectId.pt.threadId;
  raw.name = is_start ? writer.range_name(marker.name) : kNoNumber;
  writer.add(raw);
}

void add_device(const CUpti_ActivityDevice5& device, RawWriter& writer) {
  constexpr std::uint64_t kKilobyte = 1000;  // CUPTI's unit of bandwidth is 1000 bytes per second.
  collecting::RawDevice raw;
  raw.number = device.id;
  raw.name = writer.name(device.name);
  raw.compute_major = device.computeCapabilityMajor;
  raw.compute_minor = device.computeCapabilityMinor;
  raw.sm_count = device.numMultiprocessors;
  raw.l2_bytes = device.l2CacheSize;
  raw.memory_bytes = device.globalMemorySize;
  raw.memory_bandwidth_bytes_per_s = device.globalMemoryBandwidth * kKilobyte;
  raw.max_clock_khz = device.coreClockRate;
  raw.ecc = device.eccEnabled;
  raw.mig = device.isMigEnabled;
  raw.max_threads_per_block = device.maxThreadsPerBlock;
  raw.max_warps_per_sm = device.maxWarpsPerMultiprocessor;
  raw.max_blocks_per_sm = device.maxBlocksPerMultiprocessor;
  raw.registers_per_sm = device.maxRegistersPerMultiprocessor;
  raw.shared_bytes_per_block = device.maxSharedMemoryPerBlock;
  raw.shared_bytes_per_sm = device.maxSharedMemoryPerMultiprocessor;
  raw.warp_size = device.numThreadsPerWarp;
  std::memcpy(raw.uuid.data(), device.isMigEnabled != 0 ? &device.migUuid : &device.uuid, raw.uuid.size());
  writer.add(raw);
}

void add_context(const CUpti_ActivityContext3& context, RawWriter& writer) {
  writer.add(collecting::RawContext{context.contextId, context.deviceId, context.nullStreamId, 0});
}

}  // namespace

void add_activity(const CUpti_Activity& record, const Window& window, Tracing& tracing, RawWriter& writer) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(as<CUpti_ActivityKernel10>(record), window, writer);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add_copy(as<CUpti_ActivityMemcpy6>(record), window, writer);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return add_peer_copy(as<CUpti_ActivityMemcpyPtoP4>(record), window, writer);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add_fill(as<CUpti_ActivityMemset4>(record), window, writer);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return add_call(as<CUpti_ActivityAPI>(record), true, window, tracing, writer);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return add_call(as<CUpti_ActivityAPI>(record), false, window, tracing, writer);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return add_marker(as<CUpti_ActivityMarker2>(record), writer);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return add_device(as<CUpti_ActivityDevice5>(record), writer);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return add_context(as<CUpti_ActivityContext3>(record), writer);
    default:
      return;
  }
}

}  // namespace warptune::survey::injected
