// Measures the energy of a launch with an energy counter of the board that is updated only some times per
// second.
//
// One launch is too short for the counter. Therefore launches run one after another until the counter has
// been updated often enough. The launches are queued in chunks. An event after each chunk shows when it
// ended. While chunks run, the host polls the counter. energy_trace.cpp computes the energy per launch from
// the polls and the ends of chunks.
//
// If launches must be prepared (restored arguments, a flushed L2 cache), preparing takes energy, too. A
// second run measures this energy alone, and it is subtracted. The errors of both runs are independent, so
// the square of the error is the sum of their squares.
#include "profiling/timing/energy_meter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <thread>
#include <utility>

#include "model/median.h"

namespace warptune::profiling::timing {

namespace {

constexpr double kClockPeriodS = 0.02;  ///< The time between readings of the SM clock.

/// A queue of work on a stream of this process. Events mark the ends of the chunks. The times of events are
/// converted to the host's clock with the event `base_`, whose time is known on both clocks.
class StreamSource : public EnergySource {
 public:
  StreamSource(const driver::NvmlDevice& device, CUstream stream)
      : device_(device), stream_(stream), base_(driver::make_event()) {
    WARPTUNE_CUDA(cuStreamSynchronize(stream_));
    WARPTUNE_CUDA(cuEventRecord(base_.get(), stream_));
    WARPTUNE_CUDA(cuEventSynchronize(base_.get()));
    base_s_ = now_s();
  }

  double now_s() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::optional<std::uint64_t> energy_mj() override { return device_.energy_mj(); }
  std::optional<std::int64_t> sm_clock_mhz() override {
    const std::int64_t clock = device_.sm_clock_mhz();
    return clock > 0 ? std::optional(clock) : std::nullopt;
  }

  void enqueue(const std::function<void()>& once, std::int64_t launches) override {
    for (std::int64_t i = 0; i < launches; ++i) once();
    if (spare_.empty()) spare_.push_back(driver::make_event());
    WARPTUNE_CUDA(cuEventRecord(spare_.back().get(), stream_));
    queued_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }

  std::vector<double> take_ended() override {
    std::vector<double> ended_s;
    while (!queued_.empty()) {
      const CUresult code = driver::cuda().cuEventQuery(queued_.front().get());
      if (code == CUDA_ERROR_NOT_READY) break;
      driver::check_cuda(code, "cuEventQuery");
      float milliseconds = 0.0F;
      WARPTUNE_CUDA(cuEventElapsedTime(&milliseconds, base_.get(), queued_.front().get()));
      ended_s.push_back(base_s_ + static_cast<double>(milliseconds) * 1e-3);
      spare_.push_back(std::move(queued_.front()));
      queued_.pop_front();
    }
    return ended_s;
  }

  void pause() override { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

 private:
  const driver::NvmlDevice& device_;
  CUstream stream_;
  driver::Event base_;
  double base_s_ = 0.0;
  std::deque<driver::Event> queued_;
  std::vector<driver::Event> spare_;
};

}  // namespace

std::optional<EnergyRun> run_for_energy(EnergySource& source, const std::function<void()>& once,
                                        double once_ns, const EnergyOptions& options) {
  if (!source.energy_mj()) return std::nullopt;
  const double once_s = std::max(once_ns * 1e-9, 1e-9);
  const auto chunk =
      static_cast<std::int64_t>(std::clamp(std::ceil(options.chunk_seconds / once_s), 1.0, 1e5));
  const double min_s = std::max(options.min_seconds, 2.0 * once_s);
  EnergyTrace trace;
  std::vector<double> clocks_mhz;
  std::size_t queued = 0;
  double ended = 0.0;
  const auto collect = [&] {
    for (const double time_s : source.take_ended()) {
      --queued;
      ended += static_cast<double>(chunk);
      trace.note_launches(time_s, ended);
    }
  };
  const double started_s = source.now_s();
  double next_clock_s = started_s;
  trace.note_launches(started_s, 0.0);
  while (!trace.covers(min_s)) {
    for (; queued < options.chunks_queued; ++queued) source.enqueue(once, chunk);
    const double before_s = source.now_s();
    const auto energy = source.energy_mj();
    const double after_s = source.now_s();
    if (!energy || after_s - started_s > min_s + options.give_up_seconds) break;
    trace.poll(0.5 * (before_s + after_s), *energy);
    if (after_s >= next_clock_s) {
      if (const std::optional<std::int64_t> clock = source.sm_clock_mhz())
        clocks_mhz.push_back(static_cast<double>(*clock));
      next_clock_s = after_s + kClockPeriodS;
    }
    source.pause();
    collect();
  }
  while (queued > 0) {
    source.pause();
    collect();
  }
  const auto window = trace.window(min_s);
  if (!window) return std::nullopt;
  EnergyRun run{*window, std::nullopt};
  run.sm_clock_mhz = model::median_of(clocks_mhz);
  return run;
}

EnergyReading reading_of(const EnergyRun& launches, double launch_ns) {
  const EnergyWindow& window = launches.window;
  EnergyReading reading;
  reading.joules_per_launch = window.joules_per_launch();
  reading.watts = window.watts();
  reading.relative_error = window.relative_error;
  reading.seconds = window.seconds;
  reading.launches = window.launches;
  reading.sm_clock_mhz = launches.sm_clock_mhz;
  reading.busy_share = window.launches * launch_ns * 1e-9 / window.seconds;
  return reading;
}

std::optional<EnergyReading> difference_of(const EnergyRun& prepared, const EnergyRun& preparing,
                                           double launch_ns) {
  const EnergyWindow& both = prepared.window;
  const EnergyWindow& alone = preparing.window;
  const double joules = both.joules_per_launch() - alone.joules_per_launch();
  const double seconds = both.seconds / both.launches - alone.seconds / alone.launches;
  if (joules <= 0.0 || seconds <= 0.0) return std::nullopt;
  EnergyReading reading = reading_of(prepared, launch_ns);
  reading.joules_per_launch = joules;
  reading.watts = joules / seconds;
  const double both_error = both.joules_per_launch() * both.relative_error;
  const double alone_error = alone.joules_per_launch() * alone.relative_error;
  reading.relative_error = std::sqrt(both_error * both_error + alone_error * alone_error) / joules;
  reading.busy_share = launch_ns * 1e-9 / seconds;
  reading.preparation_subtracted = true;
  return reading;
}

EnergyMeter::EnergyMeter(const driver::NvmlDevice& device, CUstream stream, const EnergyOptions& options)
    : device_(device), stream_(stream), options_(options) {}

std::optional<EnergyReading> EnergyMeter::measure(const std::function<void()>& prepare,
                                                  const std::function<void()>& launch, double launch_ns,
                                                  double prepare_ns) {
  if (!available()) return std::nullopt;
  StreamSource source(device_, stream_);
  if (!prepare) {
    const auto run = run_for_energy(source, launch, launch_ns, options_);
    if (!run) return std::nullopt;
    return reading_of(*run, launch_ns);
  }
  const auto both = [&] {
    prepare();
    launch();
  };
  const auto prepared = run_for_energy(source, both, prepare_ns + launch_ns, options_);
  if (!prepared) return std::nullopt;
  const auto preparing = run_for_energy(source, prepare, prepare_ns, options_);
  if (!preparing) return std::nullopt;
  return difference_of(*prepared, *preparing, launch_ns);
}

}  // namespace warptune::profiling::timing
