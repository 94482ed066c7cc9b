// The buffers of a definition from a captured launch: one for each allocation to which the launch points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/data_type.h"
#include "profiling/captures/captured_launch.h"
#include "tuner/drafting/matched_parameters.h"

namespace warptune::tuner::drafting {

/// A whole allocation. All pointers into it become addresses within one buffer, so they share elements as in
/// the program.
struct DraftedBuffer {
  std::size_t buffer = 0;  ///< Among those of the launch.
  std::string name;        ///< That of the first parameter that points into it.
  /// That of the elements of all pointers, if it is the same, and if they point to whole elements. Else it is
  /// u8.
  kernel_templates::DataType type = kernel_templates::DataType::kU8;
  std::string template_type;  ///< As in `MatchedParameter`.
  /// If the type is u8: what the elements are, in words. Empty if it is the type of the elements.
  std::string bytes_of;
  bool is_constant = true;  ///< All pointers are to constants.
  std::int64_t elements = 0;
  std::vector<std::string> pointers;  ///< The names of all parameters and members that point into it.
};

/// In the order of the first pointers.
std::vector<DraftedBuffer> drafted_buffers(const std::vector<MatchedParameter>& parameters,
                                           const profiling::captures::CapturedLaunch& launch);
/// The one with a buffer of the launch, to which a parameter points.
const DraftedBuffer& drafted_buffer(const std::vector<DraftedBuffer>& buffers, std::size_t buffer);

/// The position of the first aligned 8-byte word of a captured buffer that is the address of captured memory,
/// or its size if there is none.
std::size_t first_address_in(const profiling::captures::CapturedLaunch& launch, std::size_t buffer);

}  // namespace warptune::tuner::drafting
