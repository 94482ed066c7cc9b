// The textures and surfaces that a program has made, whose contents a capture cannot hold.
#pragma once

#include <cupti_callbacks.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace warptune::survey::injected::capturing {

/// Several threads may use it.
class KnownTextures {
 public:
  /// The identifiers, in CUPTI's callbacks, of the driver's calls that make a texture or a surface object.
  static const std::array<CUpti_CallbackId, 2>& calls();
  static bool is_call(CUpti_CallbackId callback);

  /// Takes the handle from such a call, once it has returned.
  void add(const CUpti_CallbackData& data);
  /// Whether an aligned word of a block of parameters may be a handle. Returns why nothing can be captured
  /// then, as a sentence, or null.
  const char* find(const std::uint8_t* block, std::size_t bytes) const;

 private:
  static constexpr std::size_t kMax = 1024;
  std::array<std::atomic<std::uint64_t>, kMax> handles_{};
  std::atomic<std::size_t> count_{0};
};

/// Whether a call of the driver has returned without an error.
bool has_succeeded(const CUpti_CallbackData& data);

}  // namespace warptune::survey::injected::capturing
