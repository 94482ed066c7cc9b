// The configuration that loses least on several GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/objective.h"
#include "model/outputs/reproducibility.h"
#include "model/value.h"
#include "tuner/querying/place_rows.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::querying {

/// The losses of one configuration on all GPUs together.
struct LossSummary {
  double worst = 0.0;       ///< The largest known loss.
  double mean = 0.0;        ///< The mean of the known losses.
  bool is_exact = false;    ///< Each GPU has measured the configuration. Otherwise `worst` is a lower bound.
  std::size_t unknown = 0;  ///< The number of GPUs with an unknown loss.
};
LossSummary summarise(const std::vector<PlaceLoss>& losses);

/// Another configuration, to compare with.
struct PortableRival {
  std::string name;  ///< `the default`, or `the best of NVIDIA H200`.
  model::NamedValues configuration;
  std::vector<PlaceLoss> losses;  ///< In the order of the places.
};

struct PortableChoice {
  model::NamedValues configuration;
  std::vector<PlaceLoss> losses;               ///< In the order of the places.
  std::vector<std::optional<PlaceBest>> best;  ///< The same. Absent where nothing can be compared.
  std::uint64_t shared = 0;    ///< The number of configurations that each GPU with rows has measured.
  std::uint64_t measured = 0;  ///< The number of configurations that at least one GPU has measured.
  std::vector<PortableRival> rivals;
  std::uint64_t passed_over = 0;   ///< Configurations that rank before the choice and cannot run on some GPU.
  std::string passed_over_reason;  ///< Why the first of them cannot.
};

/// Chooses the configuration with the smallest loss. A configuration that each GPU has measured comes before
/// one that only some of them have measured, whatever the losses. Among the latter, an unknown loss counts as
/// 0, and that of a dropped row as its lower bound. The configuration must be able to run for the problem on
/// each of the GPUs, and must have failed on none that has values. On each GPU only rows of its winner's
/// source are compared. With `demanded`, its outputs must be known to meet that on each GPU with rows.
/// If bits are demanded, they must be the same on all of them. Equal losses are decided by their
/// sum, then by the text of the configuration. Returns std::nullopt if there is no such configuration.
/// `store_of` returns the database of a winner.
std::optional<PortableChoice> choose_portable(
    const std::vector<PortablePlace>& places, const model::Objective& objective, LossOver over,
    const StoreOf& store_of, const std::optional<model::outputs::Reproducibility>& demanded = {});

}  // namespace warptune::tuner::querying
