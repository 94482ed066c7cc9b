#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "search/gpu_description.h"
#include "search/roof_reading.h"

namespace warptune::profiling {

/// What a GPU is prepared with.
struct PreparationOptions {
  int ordinal = 0;
  std::filesystem::path compile_cache;     ///< For the kernels that check and measure roofs; empty: none.
  std::vector<search::RoofReading> roofs;  ///< Known of this GPU; empty: measured, less than a second.
  /// For sampling source lines: the profiler samples the context, and no roofs are measured.
  bool sample_lines = false;
};

/// A GPU with all that measuring on it needs and that does not depend on the kernel: a context, a stream, the
/// kernels that check outputs and keep the device busy, the roofs. It is prepared while the coordinator reads
/// the definition and compiles. One per process; not thread-safe.
class PreparedGpu {
 public:
  /// Throws `base::MachineError` (no GPU, no NVRTC).
  PreparedGpu(const search::GpuDescription& gpu, const PreparationOptions& options);
  ~PreparedGpu();
  PreparedGpu(PreparedGpu&&) noexcept;
  PreparedGpu& operator=(PreparedGpu&&) noexcept;

  /// Those of the options, or what was measured.
  const std::vector<search::RoofReading>& roof_readings() const;

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace warptune::profiling
