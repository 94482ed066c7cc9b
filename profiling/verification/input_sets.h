#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "profiling/driver/device_buffers.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/verification/output_check.h"

namespace warptune::profiling::verification {

/// The inputs on which launches are verified.
///
/// A kernel that remembers what it computed, or that is right only for one set of data, cannot be recognised
/// with one set of inputs. So there are two sets of inputs, each with its right outputs. Both use the same
/// buffers, one after the other, so a kernel cannot distinguish them by their addresses. Inputs that come
/// from files, or whose initial values do not depend on the seed, are the same in both sets.
class InputSets {
 public:
  /// Launches the reference on the current contents of the buffers, and waits for it.
  using RunReference = std::function<void()>;

  /// All arguments must outlive the sets.
  InputSets(driver::DeviceArguments& arguments, driver::DeviceHelpers& helpers, OutputCheck& check);

  /// Whether any input depends on the seed.
  bool vary() const;
  /// Whether there is a second set on the GPU.
  bool has_two() const { return has_two_; }
  /// Generates a second set, if the inputs depend on the seed and the GPU's memory has room, and runs the
  /// reference on it. Afterwards the new set is the current one. Returns a warning if there is no second set,
  /// or if some inputs are the same in both because they come from files. Otherwise returns an empty text.
  std::string add_second_set(std::uint64_t seed, const RunReference& run_reference);
  /// Makes the other set the current one. The exchange is enqueued. It does not change the outputs: they
  /// remain those of the previous set.
  void exchange();
  /// Whether one of the sets was generated from this seed, or is the same for all seeds.
  bool holds(std::uint64_t seed) const;
  /// Whether the current set was generated from this seed, or is the same for all seeds.
  bool has_current(std::uint64_t seed) const { return !vary() || arguments_.seed() == seed; }
  /// Replaces the current set by one from another seed, such as one that no launch has seen.
  void renew(std::uint64_t seed, const RunReference& run_reference);

 private:
  bool has_room() const;
  std::string inputs_from_files() const;

  driver::DeviceArguments& arguments_;
  driver::DeviceHelpers& helpers_;
  OutputCheck& check_;
  std::uint64_t other_seed_ = 0;
  bool has_two_ = false;
};

}  // namespace warptune::profiling::verification
