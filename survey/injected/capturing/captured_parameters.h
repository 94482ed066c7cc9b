// The parameters of a launch that is captured.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/capturing/captured_stream.h"
#include "survey/injected/capturing/captured_call.h"
#include "survey/injected/capturing/capturing_functions.h"

namespace warptune::survey::injected::capturing {

/// The block of all parameters, and where each of them is in it. The object is large, so it is allocated
/// once.
class CapturedParameters {
 public:
  /// Copies the parameters of a call that launches `function`. Returns why they cannot be captured, as a
  /// sentence, or null.
  const char* read(const CapturedCall& call, CUfunction function, const CapturingFunctions& functions);

  const collecting::capturing::RawCapturedParameter* list() const { return list_.data(); }
  std::uint32_t count() const { return count_; }
  const std::uint8_t* block() const { return block_.data(); }
  /// The size of the block.
  std::uint32_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kMax = 4096;

  std::array<collecting::capturing::RawCapturedParameter, kMax> list_{};
  std::uint32_t count_ = 0;
  alignas(8) std::array<std::uint8_t, collecting::capturing::kMaxParameterBytes> block_{};
  std::uint32_t bytes_ = 0;
};

}  // namespace warptune::survey::injected::capturing
