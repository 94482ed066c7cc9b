#include "profiling/captures/activity_times.h"

#include <cupti_activity.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "profiling/counters/cupti.h"

namespace warptune::profiling::captures {

using counters::check_cupti;
using counters::cupti;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr std::size_t kAlignment = 8;

// CUPTI's callbacks have no argument for them.
struct Wanted {
  std::string kernel;
  std::vector<double> times;
};
Wanted* wanted = nullptr;

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void take(const CUpti_Activity& record) {
  if (record.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || wanted == nullptr) return;
  const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
  if (kernel.name != nullptr && wanted->kernel == kernel.name && kernel.end > kernel.start)
    wanted->times.push_back(static_cast<double>(kernel.end - kernel.start));
}

void CUPTIAPI complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                              std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 && cupti().cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
    take(*record);
  std::free(buffer);
}

// Kernels are recorded while it lives.
class Recording {
 public:
  Recording() {
    check_cupti(cupti().cuptiActivityRegisterCallbacks(request_buffer, complete_buffer),
                "cuptiActivityRegisterCallbacks");
    check_cupti(cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable");
  }
  ~Recording() { cupti().cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

}  // namespace

std::vector<double> activity_times(const std::string& kernel, const std::function<void()>& work) {
  Wanted found{kernel, {}};
  {
    const Recording recording;
    wanted = &found;
    const auto forget = [](Wanted**) { wanted = nullptr; };
    const std::unique_ptr<Wanted*, decltype(forget)> guard(&wanted, forget);
    work();
    check_cupti(cupti().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  }
  return found.times;
}

}  // namespace warptune::profiling::captures
