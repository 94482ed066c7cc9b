#pragma once

#include <string_view>

namespace warptune::tuner::exporting {

/// The functions that all kernels of exported CUDA files share: arguments, devices, launches. They need the
/// text of the exported header before them, and are compiled only for the host.
extern const std::string_view kCudaSupport;

}  // namespace warptune::tuner::exporting
