// The same launch as libwarptune's, but by calls of the CUDA driver alone.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "library/include/warptune.hpp"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/launch_screening.h"

namespace warptune::bench {

/// The primary context of the first GPU, and a stream.
class BareContext {
 public:
  BareContext() : context_(0), stream_(profiling::driver::make_stream()) {}
  CUstream stream() const { return stream_.get(); }
  void synchronise() const { WARPTUNE_CUDA(cuStreamSynchronize(stream_.get())); }

 private:
  profiling::driver::Context context_;
  profiling::driver::Stream stream_;
};

/// Buffers for the arguments of loaded code. Scalars have the definition's values.
class LaunchBuffers {
 public:
  explicit LaunchBuffers(const Code& code);
  void launch(const Code& code, CUstream stream) const {
    check(warptune_launch(code.get(), stream, arguments_.data(), arguments_.size(),
                          reinterpret_cast<void*>(workspace_.get()), workspace_bytes_));
  }
  const std::vector<warptune_argument>& arguments() const { return arguments_; }

 private:
  std::vector<profiling::driver::DeviceMemory> memory_;
  std::vector<warptune_argument> arguments_;
  profiling::driver::DeviceMemory workspace_;
  std::uint64_t workspace_bytes_ = 0;
};

/// A configuration's code, loaded without libwarptune. Its kernel must have one launch, which gets all
/// arguments, and no scratch.
class BareCode {
 public:
  BareCode(const std::string& kernel, std::int64_t size, const std::string& configuration,
           const LaunchBuffers& buffers);
  void launch(CUstream stream) const;
  /// Writes what `BareFile` reads.
  void write(const std::string& path) const;

 private:
  std::string cubin_;
  std::string entry_;
  profiling::driver::Module module_;
  CUfunction function_ = nullptr;
  kernel_templates::LaunchStep step_;
  std::vector<std::vector<std::byte>> values_;  ///< The values of the parameters.
};

/// The code of a file, loaded by cuModuleLoadData and launched with buffers of its own.
class BareFile {
 public:
  explicit BareFile(const std::string& path);
  void launch(CUstream stream) const;

 private:
  profiling::driver::Module module_;
  CUfunction function_ = nullptr;
  kernel_templates::LaunchStep step_;
  std::vector<profiling::driver::DeviceMemory> memory_;
  std::vector<std::vector<std::byte>> values_;
};

}  // namespace warptune::bench
