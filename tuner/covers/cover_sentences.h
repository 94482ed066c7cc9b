// Sentences about a cover that the output of `warptune cover` and the comments of `[[recommended]]` tables
// share.
#pragma once

#include <string>

#include "tuner/covers/size_cover.h"

namespace warptune::tuner::covers {

/// A loss in percent, such as `4.2 %`, or `unknown` if it is not finite.
std::string loss_text(double loss_share);

/// The measured sizes for which the other figures hold: `20 measured sizes`, or `18 of 20 measured sizes (the
/// cover answers none of the others)`.
std::string answered_text(const CoverTable& table, const SizeCover& cover);

/// The losses at the measured sizes: `within 5 % of the best at 60 of 79 measured sizes (mean loss 2.1 %,
/// worst 12.0 %)`. If an answer has no time at some of them, it says at how many.
std::string losses_text(const CoverTable& table, const SizeCover& cover, double limit_share);

/// What is known of the outputs of the configurations, such as `reproducible (bits): each configuration gives
/// the bits of the default in each launch, at all 20 sizes that were measured`. The table must have a demand.
std::string outputs_text(const CoverTable& table, const SizeCover& cover);

/// The losses against the best of all configurations, whatever their outputs are.
std::string against_all_text(const SizeCover& cover);

}  // namespace warptune::tuner::covers
