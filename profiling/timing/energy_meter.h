#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/nvml.h"
#include "profiling/timing/energy_trace.h"

namespace warptune::profiling::timing {

/// The energy of one launch, measured with launches in sequence on a GPU that is never idle between them.
struct EnergyReading {
  double joules_per_launch = 0.0;
  /// The power of the board while it runs only this launch.
  double watts = 0.0;
  /// The relative error of `joules_per_launch` and `watts`. It is an estimate, not a bound, from the times of
  /// the counter's ticks (updates) and the drift of the power.
  double relative_error = 0.0;
  /// The time between the first and the last tick.
  double seconds = 0.0;
  double launches = 0.0;  ///< The number of launches during `seconds`.
  /// The median of the SM clock during `seconds`, if it is known. A power cap lowers it.
  std::optional<double> sm_clock_mhz;
  /// The share of `seconds` in which the GPU ran launches, from the time of one launch. If it is well below
  /// 1, the host launched more slowly than the GPU ran. Then the result contains the energy of the gaps.
  double busy_share = 0.0;
  /// Whether each launch was prepared. If so, the energy of preparing was measured in the same way and
  /// subtracted.
  bool preparation_subtracted = false;
};

/// What a meter needs: a queue of work on a GPU, the GPU's energy counter, and a clock. It is an interface,
/// so that measuring can be tested without a GPU.
class EnergySource {
 public:
  EnergySource() = default;
  virtual ~EnergySource() = default;
  EnergySource(const EnergySource&) = delete;
  EnergySource& operator=(const EnergySource&) = delete;

  /// Seconds since a fixed moment.
  virtual double now_s() = 0;
  /// The counter in millijoules, or std::nullopt if there is none.
  virtual std::optional<std::uint64_t> energy_mj() = 0;
  /// The present clock, or std::nullopt if it is unknown.
  virtual std::optional<std::int64_t> sm_clock_mhz() = 0;
  /// Enqueues a chunk of work: `launches` calls of `once`.
  virtual void enqueue(const std::function<void()>& once, std::int64_t launches) = 0;
  /// Returns the ends of the chunks that have ended since the last call, in order. They are times as `now_s`
  /// returns them.
  virtual std::vector<double> take_ended() = 0;
  /// Waits for about 0.1 ms.
  virtual void pause() = 0;
};

struct EnergyOptions {
  double min_seconds = 0.5;       ///< A run takes at least this long, and has at least two launches.
  double chunk_seconds = 2e-3;    ///< The time of one chunk of launches.
  std::size_t chunks_queued = 3;  ///< So many chunks are always queued, so that the GPU is never idle.
  /// If the counter has had too few ticks this long after `min_seconds`, the run is given up.
  double give_up_seconds = 3.0;
};

/// The measurement of a run, in which a source repeats the same work.
struct EnergyRun {
  EnergyWindow window;
  std::optional<double> sm_clock_mhz;  ///< The median clock during the run.
};
/// Measures `once`, which takes `once_ns` nanoseconds. Returns std::nullopt when the source has no energy
/// counter, or its counter does not move.
std::optional<EnergyRun> run_for_energy(EnergySource& source, const std::function<void()>& once,
                                        double once_ns, const EnergyOptions& options);

/// Computes a reading from a run of launches, or from a run of prepared launches and a run of preparing
/// alone. The second form returns std::nullopt when the difference is not positive.
EnergyReading reading_of(const EnergyRun& launches, double launch_ns);
std::optional<EnergyReading> difference_of(const EnergyRun& prepared, const EnergyRun& preparing,
                                           double launch_ns);

/// Measures the energy of launches with NVML's total energy counter. On an H200 the counter has about 10
/// ticks per second. A measurement takes `min_seconds` and up to two ticks. The meter keeps the GPU busy with
/// chunks of launches. A chunk takes some milliseconds, and several are queued. Meanwhile it polls the
/// counter. energy_trace.cpp explains how the energy is computed.
class EnergyMeter {
 public:
  EnergyMeter(const driver::NvmlDevice& device, CUstream stream, const EnergyOptions& options = {});

  /// Whether the GPU has an energy counter.
  bool available() const { return device_.energy_mj().has_value(); }
  /// Measures `launch`. `prepare` and `launch` enqueue work into the stream and must not wait. `launch_ns`
  /// and `prepare_ns` are their times on the GPU, from which the size of the chunks is computed.
  ///
  /// `prepare` may be empty. Otherwise prepared launches are measured first, and preparing alone after them.
  /// The result is the difference. This takes twice the time, and the result has the errors of both runs. The
  /// function waits for the stream before and after. Throws `CudaError`.
  std::optional<EnergyReading> measure(const std::function<void()>& prepare,
                                       const std::function<void()>& launch, double launch_ns,
                                       double prepare_ns);

 private:
  driver::NvmlDevice device_;
  CUstream stream_;
  EnergyOptions options_;
};

}  // namespace warptune::profiling::timing
