#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/measurement.h"

namespace warptune::profiling::verification {

/// Which bits the launches of one configuration gave in the final rounds.
class OutputBits {
 public:
  /// The number of launches with other bits on the same inputs whose errors are measured. More would take
  /// long if almost every launch differs.
  static constexpr std::uint64_t kMaxMeasured = 8;

  /// Adds a launch whose outputs are right. `inputs` and `outputs` are checksums of all inputs and outputs.
  /// `are_first_inputs`: these are the inputs with which the session began, which other sessions have, too.
  /// Returns whether the errors of the launch are to be measured. They are if it is the first one on these
  /// inputs, or one of the first `kMaxMeasured` with other bits than that one.
  bool note(std::uint64_t inputs, std::uint64_t outputs, bool are_first_inputs);

  /// `compared_launches` and `differing_launches`. After a launch on the session's first inputs also
  /// `input_digest` and `output_digest`. Empty before the first launch.
  model::Counters counters() const;

 private:
  struct Bits {
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
  };

  std::map<std::uint64_t, std::uint64_t> first_;  ///< The first outputs by their inputs.
  std::map<std::uint64_t, std::uint64_t> differing_by_inputs_;
  std::optional<Bits> on_first_inputs_;
  std::uint64_t compared_ = 0;
  std::uint64_t differing_ = 0;
};

}  // namespace warptune::profiling::verification
