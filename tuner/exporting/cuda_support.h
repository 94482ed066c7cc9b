#pragma once

#include <string_view>

namespace warptune::tuner::exporting {

/// The text of the functions that all kernels of exported CUDA files share. The text of the exported header
/// precedes it. The functions are compiled only for the host. `kCudaArguments` is about arguments, workspaces
/// and devices. `kCudaLaunches` follows it directly, and is about launches and tensor maps.
extern const std::string_view kCudaArguments;
extern const std::string_view kCudaLaunches;

}  // namespace warptune::tuner::exporting
