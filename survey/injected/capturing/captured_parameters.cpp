#include "survey/injected/capturing/captured_parameters.h"

#include <algorithm>
#include <cstring>

namespace warptune::survey::injected::capturing {

namespace {

// The block of all parameters, if the program gave one.
const std::uint8_t* block_of(void** extra, std::size_t& bytes) {
  const std::uint8_t* block = nullptr;
  bytes = 0;
  for (void** at = extra; at != nullptr && *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<const std::uint8_t*>(at[1]);
    if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(at[1]);
  }
  return block;
}

}  // namespace

const char* CapturedParameters::read(const CapturedCall& call, CUfunction function,
                                     const CapturingFunctions& functions) {
  std::size_t given_bytes = 0;
  const std::uint8_t* const given = block_of(call.extra, given_bytes);
  if (given != nullptr) std::memcpy(block_.data(), given, std::min(given_bytes, block_.size()));
  std::size_t offset = 0;
  std::size_t bytes = 0;
  while (true) {
    const CUresult result = functions.parameter_info(function, count_, &offset, &bytes);
    if (result == CUDA_ERROR_INVALID_VALUE) return nullptr;  // There are no more.
    if (result != CUDA_SUCCESS)
      return "The driver does not say what parameters the kernel has, so nothing was captured.";
    if (count_ == list_.size())
      return "The kernel has more parameters than a capture can hold, so nothing was captured.";
    if (offset > block_.size() || bytes > block_.size() - offset)
      return "The parameters of the kernel are too large, so nothing was captured.";
    if (given == nullptr) {
      if (call.parameters == nullptr || call.parameters[count_] == nullptr)
        return "The launch lacks a parameter of the kernel, so nothing was captured.";
      std::memcpy(block_.data() + offset, call.parameters[count_], bytes);
    }
    list_[count_++] = {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)};
    bytes_ = std::max(bytes_, static_cast<std::uint32_t>(offset + bytes));
  }
}

}  // namespace warptune::survey::injected::capturing
