#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::profiling::verification {

/// The times of launches of the same loaded code on the same inputs.
struct NewInputTimes {
  double first_ns = 0.0;  ///< The first launch on these inputs.
  std::vector<double> later_ns;
};

/// Decides whether a kernel remembers results: its first launch on new inputs always takes much longer than
/// the later launches on the same inputs. new_input_times.cpp describes the method. Needs no GPU.
class MemoryOfResults {
 public:
  /// With fewer later times, a kernel is neither suspected nor refused.
  static constexpr std::size_t kMinLaterTimes = 2;

  /// `on_host` says whether an argument is in the host's memory. Then times may differ more, because of the
  /// host's caches.
  explicit MemoryOfResults(bool on_host) : on_host_(on_host) {}

  /// Whether these times of a race are a reason to observe the kernel. They decide nothing, because the
  /// launches of a race are prepared in different ways.
  bool are_suspicious(const NewInputTimes& times) const;

  /// Adds an observation. Its code was loaded again, and all its launches were prepared in the same way.
  void add(const NewInputTimes& times);
  /// Whether another observation is needed. The first one always is.
  bool is_undecided() const;
  /// Returns why the kernel is refused, or std::nullopt.
  std::optional<std::string> fault() const;

 private:
  bool is_suspected() const;
  bool is_convicted() const;
  double max_ns(double later_ns) const;

  bool on_host_;
  std::vector<double> first_ns_;
  std::vector<double> later_ns_;
};

/// The newly loaded code of a configuration, and two sets of inputs. A runner takes these steps on a GPU.
class ObservedCode {
 public:
  virtual ~ObservedCode() = default;
  /// Prepares a launch that finds poisoned outputs and scratch.
  virtual void poison() = 0;
  /// Makes the other set of inputs the current one.
  virtual void exchange_inputs() = 0;
  /// Prepares a launch that finds what the launch before left in outputs and scratch, as launches do that are
  /// only timed. Then lets the GPU be idle for a few milliseconds.
  virtual void prepare() = 0;
  /// Times one launch, which is not repeated, ns.
  virtual double launch_ns() = 0;
  /// Returns why the last launch was wrong, or std::nullopt.
  virtual std::optional<std::string> verify() = 0;
};

/// Times the first launch of the code on inputs that it has not seen, and later launches on the same inputs.
/// Returns why a launch was wrong.
model::Outcome<NewInputTimes> observe(ObservedCode& code);

/// Observes a configuration as often as is needed. Each call of `observe` loads the code again, and returns
/// times, or why the configuration failed: that is then the verdict. Returns why the configuration is
/// rejected, or std::nullopt. `on_host` is that of `MemoryOfResults`.
std::optional<model::Rejection> examine(bool on_host,
                                        const std::function<model::Outcome<NewInputTimes>()>& observe);

}  // namespace warptune::profiling::verification
