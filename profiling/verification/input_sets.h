#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "profiling/driver/device_buffers.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/verification/output_check.h"

namespace warptune::profiling::verification {

/// The inputs that launches are verified on.
///
/// A kernel that remembers what it computed, or that fits one set of data alone, is right on the inputs that
/// it was made for. So there are two sets, with what is right for each. Both use the same buffers, one after
/// the other: a kernel cannot tell them apart by their addresses. Inputs that come from files, or whose
/// initial values depend on no seed, are the same in both.
class InputSets {
 public:
  /// Launches the reference on what the buffers hold, and waits for it.
  using RunReference = std::function<void()>;

  /// All must outlive the sets.
  InputSets(driver::DeviceArguments& arguments, driver::DeviceHelpers& helpers, OutputCheck& check);
  ~InputSets();

  /// Whether any input depends on the seed.
  bool vary() const;
  /// Whether a second set is held.
  bool has_two() const { return has_two_; }
  /// Begins to generate a second set on the host's cores, where inputs vary and the GPU's memory has room for
  /// it; else says why not. `hold` makes it available.
  std::string generate(std::uint64_t seed);
  /// Whether that has ended.
  bool is_generated() const;
  /// Waits for what is generated, uploads it, and has the reference run on it. The new set is then the one
  /// that is used. Does nothing without `generate`.
  void hold(const RunReference& run_reference);
  /// The other set is used from now on; enqueued. Outputs stay as they are: right for the set before.
  void exchange();
  /// The set that is used is replaced by one that no launch has seen.
  void renew(std::uint64_t seed, const RunReference& run_reference);

 private:
  using Contents = std::vector<std::pair<std::size_t, std::vector<std::byte>>>;  // By the argument's place.

  bool has_room() const;

  driver::DeviceArguments& arguments_;
  driver::DeviceHelpers& helpers_;
  OutputCheck& check_;
  std::future<Contents> generated_;
  std::uint64_t other_seed_ = 0;
  bool has_two_ = false;
};

}  // namespace warptune::profiling::verification
