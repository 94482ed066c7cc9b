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

/// Energy of one launch, from launches one after another on a GPU that never runs idle between them.
struct EnergyReading {
  double joules_per_launch = 0.0;
  double watts = 0.0;                  ///< Of the board while it runs this launch and nothing else.
  double relative_error = 0.0;         ///< Of both, by the counter's ticks and the power's drift; no bound.
  double seconds = 0.0;                ///< Time between the ticks that count.
  double launches = 0.0;               ///< In that time.
  std::optional<double> sm_clock_mhz;  ///< Median during it: a power cap shows here.
  /// Launches times their own time, over `seconds`: well below 1 where the host could not launch as fast as
  /// the GPU ran, and the energy of the gaps is in the figure.
  double busy_share = 0.0;
  /// Each launch was prepared, and the energy of preparing alone, measured likewise, is taken off.
  bool preparation_subtracted = false;
};

/// What a meter measures on: a queue of work on a GPU, the GPU's energy counter, and a clock. An interface,
/// so that measuring can be tested with no GPU.
class EnergySource {
 public:
  EnergySource() = default;
  virtual ~EnergySource() = default;
  EnergySource(const EnergySource&) = delete;
  EnergySource& operator=(const EnergySource&) = delete;

  /// Seconds from any fixed moment.
  virtual double now_s() = 0;
  virtual std::optional<std::uint64_t> energy_mj() = 0;
  virtual std::optional<std::int64_t> sm_clock_mhz() = 0;
  /// Puts a chunk into the queue: `launches` times `once`.
  virtual void enqueue(const std::function<void()>& once, std::int64_t launches) = 0;
  /// When chunks ended, by `now_s`'s clock, since the last call; in order.
  virtual std::vector<double> take_ended() = 0;
  /// Lets some 0.1 ms pass.
  virtual void pause() = 0;
};

struct EnergyOptions {
  double min_seconds = 0.5;  ///< And two launches at least.
  double chunk_seconds = 2e-3;
  std::size_t chunks_queued = 3;
  double give_up_seconds = 3.0;  ///< Beyond `min_seconds`: then the counter is not one.
};

/// One reading of `once`, which takes `once_ns`. None where the source has no energy counter, or one that
/// does not move.
struct EnergyRun {
  EnergyWindow window;
  std::optional<double> sm_clock_mhz;  ///< Median during it.
};
std::optional<EnergyRun> run_for_energy(EnergySource& source, const std::function<void()>& once,
                                        double once_ns, const EnergyOptions& options);

/// Puts a reading together: of launches alone, or of prepared launches and of preparing alone. None where the
/// difference is not positive.
EnergyReading reading_of(const EnergyRun& launches, double launch_ns);
std::optional<EnergyReading> difference_of(const EnergyRun& prepared, const EnergyRun& preparing,
                                           double launch_ns);

/// Measures the energy of launches with NVML's total energy counter, which moves some 10 times a second on an
/// H200: one figure takes `min_seconds` and up to two ticks. Keeps the GPU busy with chunks of launches,
/// some milliseconds each and several queued, and polls the counter meanwhile (`EnergyTrace` says how).
class EnergyMeter {
 public:
  EnergyMeter(const driver::NvmlDevice& device, CUstream stream, const EnergyOptions& options = {});

  /// Whether the GPU has an energy counter.
  bool available() const { return device_.energy_mj().has_value(); }
  /// `prepare` and `launch` enqueue into the stream and do not wait; `prepare` may be empty. Where it is not,
  /// prepared launches and preparing alone are measured one after the other and subtracted, which takes twice
  /// the time and adds both errors. `launch_ns`, `prepare_ns`: what each takes on the GPU, to size chunks by.
  /// Waits for the stream before and after. Throws `CudaError`.
  std::optional<EnergyReading> measure(const std::function<void()>& prepare,
                                       const std::function<void()>& launch, double launch_ns,
                                       double prepare_ns);

 private:
  driver::NvmlDevice device_;
  CUstream stream_;
  EnergyOptions options_;
};

}  // namespace warptune::profiling::timing
