#pragma once

#include <cstddef>
#include <vector>

namespace warptune::profiling::timing {

/// A stage of a race: after `samples` samples, may this configuration still be the fastest?
struct RaceStage {
  std::size_t samples;  ///< 0 for the stage after the first launch, which is not a sample.
  /// The configuration is dropped when its minimum time exceeds `ratio` times the incumbent plus `margin_ns`.
  double ratio;
  double margin_ns;
};

/// How many launches a configuration gets. racing.cpp explains the protocol and its numbers.
struct RacingProtocol {
  /// If false, no configuration is dropped: each gets as many samples as one that may be the fastest.
  bool drop = true;
  std::vector<RaceStage> stages = {
      {0, 1.20, 16000.0}, {1, 1.08, 1600.0}, {3, 1.04, 1000.0}, {5, 1.02, 700.0}};
  /// After the first launch, a configuration is dropped only if it is also slower than the incumbent by more
  /// than this. The host may be interrupted between the event and the first launch, which is not held back.
  double first_surplus_ns = 100000.0;
  /// The minimum number of samples of a measured configuration. One that cannot be the fastest and has fewer
  /// gets the status `dropped`.
  std::size_t min_samples = 5;
  /// Launches longer than this, in milliseconds, need only `min_samples_of_long` samples.
  double long_launch_ms = 10.0;
  std::size_t min_samples_of_long = 3;
  /// The maximum number of samples of a configuration that may be the fastest.
  std::size_t max_samples = 20;
  /// If a configuration has the minimum number of samples, sampling ends when they have taken this long
  /// together.
  double sample_budget_ms = 30.0;
};

/// What to do next with a configuration.
enum class RaceVerdict {
  kMore,  ///< Take another sample.
  /// It cannot be the fastest, and has too few samples for a median. Only a lower bound of its time is known.
  kDropped,
  kMeasured,  ///< It has enough samples.
};

/// The race of one configuration against the best time so far. It knows only samples and uses no GPU.
class Race {
 public:
  /// `incumbent_ns` is the best median so far, or 0 when there is none. With 0 nothing is dropped.
  Race(const RacingProtocol& protocol, double incumbent_ns);

  /// Adds the time of the launch that verified the configuration. It is up to some microseconds too long,
  /// because its code was new to the GPU and it may have run inside a counted range.
  void add_first(double ns);
  /// Adds the time of a later launch.
  void add(double ns);

  RaceVerdict verdict() const;
  /// Whether the configuration is worth counting: it was not dropped, or its first launch was within the
  /// ratio and the margin of the first stage. The surplus of the first launch does not count here.
  bool is_contender() const;
  /// The samples in the order in which they were taken. The first launch is not among them.
  const std::vector<double>& samples_ns() const { return samples_ns_; }
  double first_ns() const { return first_ns_; }
  /// A lower bound of the time of a dropped configuration. It is at least the incumbent's time.
  double bound_ns() const;

 private:
  const RaceStage& stage() const;
  double min_ns() const;
  double longest_ns() const;
  bool cannot_win() const;

  const RacingProtocol& protocol_;
  double incumbent_ns_;
  double first_ns_ = 0.0;
  double spent_ns_ = 0.0;
  double min_ns_ = 0.0;
  std::vector<double> samples_ns_;
};

}  // namespace warptune::profiling::timing
