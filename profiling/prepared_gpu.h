#pragma once

#include <memory>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"
#include "profiling/measuring_options.h"

namespace warptune::profiling {

/// What a GPU is prepared with.
struct PreparationOptions {
  int ordinal = 0;
  /// Of them `compile_cache`, for the kernels that check and measure roofs, and what is counted.
  MeasuringOptions measuring;
  std::vector<model::RoofReading> roofs;  ///< Known of this GPU; may be empty.
  bool sample_lines = false;              ///< The profiler samples the context.
};

/// A GPU with all that measuring on it needs and that does not depend on the kernel: a context, a stream, the
/// kernels that check outputs and keep the device busy, and its roofs. It is prepared while the coordinator
/// reads the definition and compiles. One per process; not thread-safe.
class PreparedGpu {
 public:
  /// Throws `base::MachineError` (no GPU, no NVRTC).
  PreparedGpu(const model::GpuDescription& gpu, const PreparationOptions& options);
  ~PreparedGpu();
  PreparedGpu(PreparedGpu&&) noexcept;
  PreparedGpu& operator=(PreparedGpu&&) noexcept;

  /// Measures the roofs where none are known: less than a second, and up to 2 GiB of the GPU's memory while
  /// it lasts.
  void measure_roofs();
  /// Those of the options, or what was measured; empty before.
  const std::vector<model::RoofReading>& roof_readings() const;

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace warptune::profiling
