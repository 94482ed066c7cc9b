#pragma once

#include <cstddef>
#include <vector>

namespace warptune::profiling::timing {

/// One question that a race asks: after `samples` clean samples, may this configuration still be the fastest?
struct RaceStage {
  std::size_t samples;  ///< 0: after the first launch, which verified it.
  double ratio;         ///< Given up when the least time so far is more than this many times the incumbent
  double margin_ns;     ///< plus this.
};

/// How many launches a configuration gets. Times in milliseconds unless named otherwise.
///
/// The stages' ratios are bounds on how far a sample of this kernel's own clean median lies above it, taken
/// from series recorded on an H200 (docs/measuring.md); the least of a few samples lies far closer, so that
/// later stages are stricter.
struct RacingProtocol {
  bool drop = true;  ///< Else every configuration is sampled like one that may be the fastest.
  std::vector<RaceStage> stages = {
      {0, 1.20, 16000.0}, {1, 1.08, 1600.0}, {3, 1.04, 1000.0}, {5, 1.02, 700.0}};
  std::size_t min_samples = 5;          ///< Fewer leave a configuration dropped, not measured,
  double long_launch_ms = 10.0;         ///< but of launches longer than this
  std::size_t min_samples_of_long = 3;  ///< these suffice.
  std::size_t max_samples = 20;         ///< Of a configuration that may be the fastest.
  double sample_budget_ms = 30.0;       ///< Beyond the least, no more when launches have taken this long.
};

/// What to do with a configuration next.
enum class RaceVerdict {
  kMore,      ///< Another sample.
  kDropped,   ///< Too few samples to be measured, and no chance: what is known is a bound.
  kMeasured,  ///< Enough samples.
};

/// One configuration's race against the best time so far. Knows samples only: no GPU.
class Race {
 public:
  /// `incumbent_ns`: the best median so far, 0 for none; then nothing is dropped.
  Race(const RacingProtocol& protocol, double incumbent_ns);

  /// The launch that verified it: its code was new to the GPU and it may have run inside a counted range, so
  /// it reads up to some microseconds long.
  void add_first(double ns);
  void add(double ns);

  RaceVerdict verdict() const;
  /// Clean samples in the order taken; the first launch is not among them.
  const std::vector<double>& samples_ns() const { return samples_ns_; }
  double first_ns() const { return first_ns_; }
  /// Of a dropped configuration: what it is slower than, at least the incumbent.
  double bound_ns() const;

 private:
  const RaceStage& stage() const;
  double min_ns() const;
  bool hopeless() const;

  const RacingProtocol& protocol_;
  double incumbent_ns_;
  double first_ns_ = 0.0;
  double spent_ns_ = 0.0;
  double min_ns_ = 0.0;
  std::vector<double> samples_ns_;
};

}  // namespace warptune::profiling::timing
