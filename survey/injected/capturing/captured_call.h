// All that a call of the driver says about a launch.
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <array>
#include <cstdint>
#include <optional>

namespace warptune::survey::injected::capturing {

/// A launch with its parameters, as the program gave them to the driver.
struct CapturedCall {
  CUfunction function = nullptr;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> cluster{};
  std::uint32_t shared_bytes = 0;
  CUstream stream = nullptr;
  bool cooperative = false;
  std::uint32_t left_out_attributes = 0;  ///< Attributes that a replay does not repeat.
  void** parameters = nullptr;            ///< One pointer for each parameter, or null.
  void** extra = nullptr;                 ///< A block of all parameters (`CU_LAUNCH_PARAM_*`), or null.
};

/// Reads the parameters of a call of kind `kLaunch`. Returns std::nullopt if they are missing.
std::optional<CapturedCall> captured_call(CUpti_CallbackId callback, const void* parameters);

}  // namespace warptune::survey::injected::capturing
