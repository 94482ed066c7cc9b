// A captured launch whose code and buffers are on the GPU.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"
#include "profiling/captures/captured_launch.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::captures {

/// It must be made and used while a context is current. `launch` must outlive it.
class ResidentCapture {
 public:
  /// Loads the code, and allocates and fills the buffers. Throws `CudaError` or `base::MachineError`.
  ResidentCapture(const CapturedLaunch& launch, const model::GpuDescription& gpu, CUstream stream);
  ResidentCapture(const ResidentCapture&) = delete;
  ResidentCapture& operator=(const ResidentCapture&) = delete;

  /// Enqueues copies that restore the buffers which the launch changes.
  void restore() const;
  /// Enqueues the launch.
  void launch() const;
  /// Reads all buffers, and returns those that differ from what was captured. All work must have ended.
  std::vector<BufferDifference> differences() const;
  const model::ResourceUse& resources() const { return use_; }
  /// Sentences on what could not be restored.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Buffer {
    driver::DeviceMemory memory;  ///< Null for a variable.
    CUdeviceptr address = 0;      ///< 0 for a variable that the code lacks.
    driver::DeviceMemory backup;  ///< Its contents before the launch, if the launch changes them.
  };
  void load();
  void add_buffer(const CapturedBuffer& captured);
  void adapt_pointers();
  void configure(CUstream stream);
  void find_resources(const model::GpuDescription& gpu);

  const CapturedLaunch& launch_;
  CUstream stream_;
  driver::Module module_;
  CUfunction function_ = nullptr;
  std::vector<Buffer> buffers_;
  std::string block_;
  std::size_t block_bytes_ = 0;
  std::vector<void*> extra_;
  CUlaunchConfig config_{};
  std::vector<CUlaunchAttribute> attributes_;
  model::ResourceUse use_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::profiling::captures
