// The counting plan of this process, and which kernels it names.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "survey/collecting/counting/counting_plan.h"

namespace warptune::survey::injected::counting {

/// The number that stands for a kernel that is not in the plan.
constexpr std::uint32_t kNotPlanned = 0xFFFF'FFFF;

/// What CUPTI needs to count on one kind of chip. The members point into the plan.
struct PlannedConfig {
  const char* chip = nullptr;
  std::array<const char*, 512> metrics{};
  std::uint32_t metric_count = 0;
  const std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
};

/// FNV-1a (Fowler, Noll, Vo) of a name, without the value 0.
std::uint64_t name_hash(const char* name);

/// The object is large, so it is allocated once.
class PlannedLaunches {
 public:
  PlannedLaunches() = default;
  ~PlannedLaunches();
  PlannedLaunches(const PlannedLaunches&) = delete;
  PlannedLaunches& operator=(const PlannedLaunches&) = delete;

  /// Reads the plan from a file. Returns false if it is not a plan. It must be called once only.
  bool read(const char* path);

  const collecting::counting::RawPlan& plan() const { return plan_; }
  const collecting::counting::RawPlannedKernel& kernel(std::uint32_t number) const {
    return *kernels_[number].form;
  }
  const PlannedConfig& config(std::uint32_t number) const { return configs_[number]; }
  /// The number of the configuration for a chip, or `kNotPlanned`.
  std::uint32_t config_of(const char* chip) const;
  /// The number of the kernel with a mangled name, or `kNotPlanned`. Each name is demangled once. Several
  /// threads may call it.
  std::uint32_t kernel_of(const char* mangled);
  /// The same for names that are looked at once, such as those of all code that is loaded. It keeps nothing.
  std::uint32_t find(const char* mangled) const;

 private:
  struct Kernel {
    const collecting::counting::RawPlannedKernel* form = nullptr;
    const char* name = nullptr;
    std::string_view word;  ///< A word that its mangled name has, or an empty text.
  };
  struct KnownName {
    std::uint64_t hash = 0;  ///< 0: this place is free.
    std::uint32_t kernel = kNotPlanned;
  };
  // Half of the places are used. Names are added at their first launch. Those that come later are demangled
  // at each launch.
  static constexpr std::size_t kMaxNames = 8192;

  bool take_kernels(const std::uint8_t*& at, const std::uint8_t* end);
  bool take_configs(const std::uint8_t*& at, const std::uint8_t* end);

  std::uint8_t* bytes_ = nullptr;  ///< The file, into which kernels and configurations point.
  collecting::counting::RawPlan plan_;
  std::array<Kernel, collecting::counting::kMaxPlannedKernels> kernels_{};
  std::array<PlannedConfig, collecting::counting::kMaxPlannedConfigs> configs_{};
  pthread_mutex_t names_lock_ = PTHREAD_MUTEX_INITIALIZER;
  std::array<KnownName, kMaxNames> names_{};
  std::size_t name_count_ = 0;
};

}  // namespace warptune::survey::injected::counting
