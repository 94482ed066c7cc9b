#pragma once

#include <memory>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"
#include "profiling/measuring_options.h"

namespace warptune::profiling {

/// The options for preparing a GPU.
struct PreparationOptions {
  int ordinal = 0;
  /// Two of the options are used: `compile_cache`, for the kernels that check outputs and measure roofs, and
  /// the counters to read (`count`, `metrics`).
  MeasuringOptions measuring;
  std::vector<model::RoofReading> roofs;  ///< The known roofs of this GPU. May be empty.
  bool sample_lines = false;              ///< Whether the profiler will sample the program counter.
};

/// Everything on a GPU that measuring needs for any kernel: a context, a stream, roofs, and the kernels that
/// check outputs and keep the device busy. A worker makes it while the coordinator reads the definition and
/// compiles. There is one for each process, and it is not thread-safe.
class PreparedGpu {
 public:
  /// Throws `base::MachineError` when there is no GPU or no NVRTC.
  PreparedGpu(const model::GpuDescription& gpu, const PreparationOptions& options);
  ~PreparedGpu();
  PreparedGpu(PreparedGpu&&) noexcept;
  PreparedGpu& operator=(PreparedGpu&&) noexcept;

  /// Measures the roofs if none are known. It takes less than a second and temporarily up to 2 GiB of the
  /// GPU's memory.
  void measure_roofs();
  /// The roofs of the options, or the measured ones. Empty before they are measured.
  const std::vector<model::RoofReading>& roof_readings() const;

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace warptune::profiling
