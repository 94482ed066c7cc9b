// Repeats a captured launch.
//
// The first launch is compared with what was captured. Then the launch is timed as `tune` times the
// configuration that may be the fastest: from a cold L2 cache, with as many samples. In the application, a
// launch finds in L2 what earlier work left there. So it is also timed after a launch of itself, and
// after the copies that restore its buffers. Then launches and such copies follow each other, and CUPTI
// records their times, as it does in a survey. Lines that earlier work changed leave L2 during such a launch.
// A launch alone does not pay for that. At last, one launch is counted. The roofs come last: they heat the
// GPU.
#include "profiling/captures/launch_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "model/roof_reading.h"
#include "profiling/captures/activity_times.h"
#include "profiling/captures/resident_capture.h"
#include "profiling/counters/counter_collector.h"
#include "profiling/counters/cupti.h"
#include "profiling/gpu_parts.h"
#include "profiling/kernel_runner.h"
#include "profiling/prepared_gpu.h"
#include "profiling/timing/launch_timer.h"
#include "profiling/timing/racing.h"

namespace warptune::profiling::captures {

namespace {

void require_same_architecture(const CapturedLaunch& launch, const model::GpuDescription& gpu) {
  if (gpu.compute_major == launch.compute_major && gpu.compute_minor >= launch.compute_minor) return;
  throw base::InputError(
      fmt::format("the launch was captured on {} (compute capability {}.{}), and its code does not run on {} "
                  "(compute capability {}.{})",
                  launch.gpu_name.empty() ? "another GPU" : launch.gpu_name, launch.compute_major,
                  launch.compute_minor, gpu.name, gpu.compute_major, gpu.compute_minor));
}

class LaunchReplay {
 public:
  LaunchReplay(const CapturedLaunch& launch, const model::GpuDescription& gpu, const ReplayOptions& options)
      : launch_(launch),
        options_(options),
        description_(gpu),
        prepared_(gpu, {options.ordinal, options.measuring, {}, false}),
        gpu_(prepared_.parts()),
        flush_bytes_(static_cast<std::size_t>(2 * gpu.l2_bytes)) {
    resident_.emplace(launch, gpu, gpu_.stream.get());
  }

  Replay run() {
    Replay result;
    result.warnings = resident_->warnings();
    result.measurement.resources = resident_->resources();
    resident_->restore();
    resident_->launch();
    synchronise();
    result.differences = resident_->differences();
    time_cold(result);
    time_warm(result);
    time_in_a_row(result);
    if (options_.measuring.count) count(result);
    result.measurement.status = model::Status::kMeasured;
    result.measurement.time_stamp_ms = base::unix_time_ms();
    prepared_.measure_roofs();
    result.roofs = model::roofs_of(gpu_.roof_readings, description_);
    for (std::string& warning : gpu_.watch.look()) result.warnings.push_back(std::move(warning));
    for (std::string& warning : std::exchange(gpu_.warnings, {}))
      result.warnings.push_back(std::move(warning));
    return result;
  }

 private:
  std::vector<double> samples(timing::LaunchTimer& timer, const std::function<void()>& prepare) {
    timing::Race race(protocol_, 0.0);
    race.add_first(timer.time(prepare, [&] { resident_->launch(); }).ns);
    while (race.verdict() == timing::RaceVerdict::kMore)
      race.add(timer.time(prepare, [&] { resident_->launch(); }).ns);
    return race.samples_ns();
  }

  void time_cold(Replay& result) {
    timing::LaunchTimer timer(gpu_.stream.get(), gpu_.helpers, flush_bytes_, true);
    result.measurement.samples_ns = samples(timer, [&] { resident_->restore(); });
    result.measurement.time = model::summarise(result.measurement.samples_ns);
  }

  void time_warm(Replay& result) {
    timing::LaunchTimer timer(gpu_.stream.get(), gpu_.helpers, 0, false);
    result.warm_samples_ns = samples(timer, [&] {
      resident_->launch();
      resident_->restore();
    });
    result.warm = model::summarise(result.warm_samples_ns);
  }

  void time_in_a_row(Replay& result) {
    constexpr double kLongestNs = 200e6;
    constexpr double kMaxLaunches = 50.0;
    const double launches = std::clamp(kLongestNs / result.warm->median_ns, 3.0, kMaxLaunches);
    try {
      result.in_a_row_samples_ns = activity_times(launch_.kernel, [&] {
        gpu_.helpers.keep_busy(timing::LaunchTimer::kLongHoldCycles, nullptr);
        for (int i = 0; i < static_cast<int>(launches); ++i) {
          resident_->restore();
          resident_->launch();
        }
        synchronise();
      });
      result.in_a_row = model::summarise(result.in_a_row_samples_ns);
    } catch (const counters::CuptiError& error) {
      result.warnings.push_back(fmt::format("launches in a row were not timed: {}", error.what()));
    }
  }

  // A launch that something disturbed is counted again.
  void count(Replay& result) {
    constexpr std::uint64_t kTries = 3;
    RunnerOptions options;
    static_cast<MeasuringOptions&>(options) = options_.measuring;
    options.ordinal = options_.ordinal;
    timing::LaunchTimer timer(gpu_.stream.get(), gpu_.helpers, flush_bytes_, false);
    counters::CounterCollector collector(gpu_.context, description_.chip, options, [this] {
      gpu_.helpers.spin(1000);
      synchronise();
    });
    collector.start();
    const auto prepare = [&] {
      resident_->restore();
      timer.flush();
      synchronise();
    };
    const auto counted = [&] {
      resident_->launch();
      synchronise();
    };
    for (std::uint64_t i = 0; i < kTries && collector.active(); ++i) {
      if (!collector.count(i, prepare, counted)) break;
      collector.set_expected_time_of_last(result.measurement.time->median_ns);
      const std::vector<CounterReading> readings = collector.take(true);
      if (readings.empty()) break;
      result.measurement.counters = readings.back().counters;
      if (!readings.back().disturbed) break;
    }
    result.counter_problem = collector.problem();
    for (std::string& warning : collector.take_warnings()) result.warnings.push_back(std::move(warning));
  }

  void synchronise() { WARPTUNE_CUDA(cuStreamSynchronize(gpu_.stream.get())); }

  const CapturedLaunch& launch_;
  const ReplayOptions& options_;
  const model::GpuDescription& description_;
  timing::RacingProtocol protocol_;
  PreparedGpu prepared_;
  PreparedGpu::Parts& gpu_;
  std::size_t flush_bytes_;
  std::optional<ResidentCapture> resident_;  ///< Destroyed before the context.
};

}  // namespace

Replay replay(const CapturedLaunch& launch, const model::GpuDescription& gpu, const ReplayOptions& options) {
  require_same_architecture(launch, gpu);
  return LaunchReplay(launch, gpu, options).run();
}

}  // namespace warptune::profiling::captures
