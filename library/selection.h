#pragma once

#include <string>

#include "db/lookup.h"
#include "model/value.h"

namespace warptune::library {

class TunedKernel;

/// The answer for one problem. It never changes.
struct Selection {
  const TunedKernel* kernel = nullptr;  ///< The kernel owns the selection.
  db::MatchTier tier = db::MatchTier::kNone;
  double distance_log2 = 0.0;        ///< The sum of |log2(asked / measured)| over all sizes.
  double median_ns = 0.0;            ///< Where it was measured; NaN for the default.
  double default_median_ns = 0.0;    ///< NaN if unknown.
  model::NamedValues problem;        ///< All entries.
  model::NamedValues configuration;  ///< It can run for the problem on the kernel's GPU.
  std::string reason;                ///< Why it is not a winner; empty for a winner.
  std::string problem_text;
  std::string configuration_text;
};

}  // namespace warptune::library
