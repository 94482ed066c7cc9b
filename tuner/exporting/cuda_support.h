#pragma once

#include <string_view>

namespace warptune::tuner::exporting {

/// The functions that all kernels of exported CUDA files share. They need the text of the exported header
/// before them, and are compiled only for the host. The first text has arguments, workspaces and devices. The
/// second one follows it directly, and has launches and tensor maps.
extern const std::string_view kCudaArguments;
extern const std::string_view kCudaLaunches;

}  // namespace warptune::tuner::exporting
