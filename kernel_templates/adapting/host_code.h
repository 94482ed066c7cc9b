#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/adapting/declared_words.h"
#include "kernel_templates/adapting/source_tokens.h"

namespace warptune::kernel_templates::adapting {

/// A part of a source that only the host uses.
struct HostCode {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool body_only = false;  ///< It is only a function's body, and a `;` replaces it.
  /// A function that NVRTC surely refuses: it is read whatever macros are defined, and no unknown macro may
  /// put it on the GPU.
  bool surely_refused = false;
};

/// Finds what NVRTC refuses or cannot use: functions without a device word or `constexpr`, their
/// declarations, and variables that are neither constant nor on the GPU. A class stays, without such member
/// functions. The declaration of a virtual member function stays.
std::vector<HostCode> find_host_code(const SourceTokens& source, const DeviceWords& device_words);

/// Replaces host code by blanks. Line breaks stay, and so do conditions and macro definitions.
std::string without_host_code(std::string_view source, const SourceTokens& tokens,
                              const std::vector<HostCode>& host_code);

}  // namespace warptune::kernel_templates::adapting
