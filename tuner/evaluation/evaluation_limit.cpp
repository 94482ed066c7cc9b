#include "tuner/evaluation/evaluation_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"

namespace warptune::tuner::evaluation {

std::chrono::milliseconds EvaluationLimit::of(double best_ns,
                                              const profiling::MeasuringOptions& measuring) const {
  constexpr double kMinMs = 500.0;
  constexpr double kLaunches = 1500.0;
  constexpr double kEnergyMs = 10000.0;  // NVML's energy counter advances every 0.1 s, so this takes long.
  constexpr double kPassesMs = 4000.0;   // Each pass restores the buffers and launches again.
  if (asked) return *asked;
  if (!(best_ns > 0.0)) return maximum;
  double limit_ms = kMinMs + kLaunches * best_ns / 1e6;
  if (measuring.measure_energy) limit_ms += kEnergyMs;
  if (!measuring.metrics.empty() || measuring.measure_error) limit_ms += kPassesMs;
  const double max_ms = static_cast<double>(maximum.count());
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(limit_ms, max_ms)));
}

std::chrono::milliseconds EvaluationLimit::of_final_launch(double best_ns, double slowest_ns) const {
  constexpr double kLaunches = 10.0;  // A launch at another SM clock is repeated.
  if (asked) return *asked;
  return of(best_ns, {}) +
         std::chrono::milliseconds(std::llround(kLaunches * std::max(slowest_ns, 0.0) / 1e6));
}

std::chrono::milliseconds asked_limit(double seconds, const std::string& given) {
  constexpr double kMinSeconds = 0.1;
  constexpr double kMaxSeconds = 86400.0;
  if (!(seconds >= kMinSeconds && seconds <= kMaxSeconds))
    throw base::InputError(
        fmt::format("{}: expected seconds, {} to {:.0f}", given, kMinSeconds, kMaxSeconds));
  return std::chrono::milliseconds(std::llround(seconds * 1e3));
}

}  // namespace warptune::tuner::evaluation
