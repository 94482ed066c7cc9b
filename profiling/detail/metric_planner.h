#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/detail/cupti.h"

namespace warptune::profiling::detail {

/// CUPTI's host-side view of one chip: which metrics it has and what a set costs. One set of metrics an
/// object: CUPTI keeps what was added, and one unknown name spoils the object for good.
class ProfilerHost {
 public:
  /// Throws `base::InputError` on a chip that CUPTI does not know.
  explicit ProfilerHost(const std::string& chip);
  ~ProfilerHost();
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }
  /// Schedules metrics, all known to the chip, and returns CUPTI's configuration image.
  std::vector<std::uint8_t> configure(const std::vector<std::string>& metrics);

 private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// Chips that CUPTI's host interface knows.
std::vector<std::string> supported_chips();

/// Whether a chip has a metric.
bool has_metric(const std::string& chip, const std::string& metric);

/// Passes that metrics, all known to the chip, take together.
std::size_t count_passes(const std::string& chip, const std::vector<std::string>& metrics);

/// Of `metrics` in their order: each that the chip has and that still fits into one pass with those before
/// it.
std::vector<std::string> fit_one_pass(const std::string& chip, const std::vector<std::string>& metrics);

/// Pointers into `names` for CUPTI's calls.
std::vector<const char*> as_pointers(const std::vector<std::string>& names);

}  // namespace warptune::profiling::detail
