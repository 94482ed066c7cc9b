// A race decides after each launch of a configuration whether another launch is worth its time.
//
// The minimum of the samples so far is compared with the incumbent, the best median of the session. Each
// stage of the race has a ratio and a margin in nanoseconds. If the minimum exceeds ratio times incumbent
// plus margin, the configuration cannot be the fastest and gets no more launches. Otherwise it is sampled
// until it has enough samples for a median.
//
// The ratios bound how far a sample of a kernel lies above the kernel's own median. They come from
// series of samples recorded on an H200 (docs/measuring.md). The minimum of several samples is much closer to
// the median than a single sample, so later stages have smaller ratios. The first launch has a large margin,
// because its code was new to the GPU and it may have run in a counted range. It also has a surplus, because
// no spinning kernel holds it back. The host may be interrupted between the event and the launch. Then the
// time of a short kernel is several times too long.
//
// Racing means to stop evaluating candidates as soon as they are known to be worse (Maron and Moore,
// "Hoeffding Races", 1994). That paper uses statistical bounds. Here recorded bounds replace them, because
// noise only makes times longer.
#include "profiling/timing/racing.h"

#include <algorithm>

#include "base/error.h"

namespace warptune::profiling::timing {

Race::Race(const RacingProtocol& protocol, double incumbent_ns)
    : protocol_(protocol), incumbent_ns_(incumbent_ns) {
  if (protocol_.stages.empty() || protocol_.stages.front().samples != 0)
    throw base::InternalError("a race needs a stage for the first launch");
}

void Race::add_first(double ns) { first_ns_ = ns; }

void Race::add(double ns) {
  min_ns_ = samples_ns_.empty() ? ns : std::min(min_ns_, ns);
  spent_ns_ += ns;
  samples_ns_.push_back(ns);
}

double Race::min_ns() const { return samples_ns_.empty() ? first_ns_ : min_ns_; }

const RaceStage& Race::stage() const {
  const auto past = std::find_if(protocol_.stages.begin() + 1, protocol_.stages.end(),
                                 [&](const RaceStage& stage) { return stage.samples > samples_ns_.size(); });
  return *(past - 1);
}

// The longest minimum with which the configuration may still be the fastest.
double Race::longest_ns() const {
  const double longest = stage().ratio * incumbent_ns_ + stage().margin_ns;
  return samples_ns_.empty() ? std::max(longest, incumbent_ns_ + protocol_.first_surplus_ns) : longest;
}

bool Race::cannot_win() const { return protocol_.drop && incumbent_ns_ > 0.0 && min_ns() > longest_ns(); }

RaceVerdict Race::verdict() const {
  const std::size_t taken = samples_ns_.size();
  const bool is_long = first_ns_ > protocol_.long_launch_ms * 1e6;
  const std::size_t minimum = is_long ? protocol_.min_samples_of_long : protocol_.min_samples;
  if (cannot_win()) return taken < minimum ? RaceVerdict::kDropped : RaceVerdict::kMeasured;
  if (taken < minimum) return RaceVerdict::kMore;
  const bool enough = taken >= protocol_.max_samples || spent_ns_ >= protocol_.sample_budget_ms * 1e6;
  return enough ? RaceVerdict::kMeasured : RaceVerdict::kMore;
}

bool Race::is_contender() const {
  const RaceStage& first = protocol_.stages.front();
  return verdict() != RaceVerdict::kDropped || first_ns_ <= first.ratio * incumbent_ns_ + first.margin_ns;
}

double Race::bound_ns() const {
  const double bound = (min_ns() - stage().margin_ns) / stage().ratio;
  return std::max(incumbent_ns_,
                  samples_ns_.empty() ? std::min(bound, min_ns() - protocol_.first_surplus_ns) : bound);
}

}  // namespace warptune::profiling::timing
