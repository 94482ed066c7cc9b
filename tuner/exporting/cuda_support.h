#pragma once

#include <string_view>

namespace warptune::tuner::exporting {

/// The functions that all kernels of exported CUDA files share: arguments, devices, launches. They stand
/// behind the text of the exported header, and only where the host is compiled.
extern const std::string_view kCudaSupport;

}  // namespace warptune::tuner::exporting
