#pragma once

#include <optional>
#include <string>

#include "db/lookup.h"
#include "model/value.h"

namespace warptune::library {

class TunedKernel;

/// The configuration that was selected for one problem. It never changes.
struct Selection {
  const TunedKernel* kernel = nullptr;  ///< The kernel owns the selection.
  db::MatchTier tier = db::MatchTier::kNone;
  double distance_log2 = 0.0;  ///< The sum of |log2(asked / measured)| over all sizes of the problem.
  std::optional<double> median_ns = {};          ///< The time where it was measured; none if it was not.
  std::optional<double> default_median_ns = {};  ///< The default's time in that session.
  model::NamedValues problem;                    ///< All entries.
  model::NamedValues configuration;              ///< It can run for the problem on the kernel's GPU.
  std::string reason;  ///< Why the configuration did not win a session; empty for a winner.
  std::string problem_text;
  std::string configuration_text;
  bool is_confirmed = false;  ///< Whether its row is (`db::is_confirmed`); false if it was not measured.
};

}  // namespace warptune::library
