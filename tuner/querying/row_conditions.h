// Under which conditions a stored row was measured, and whether they still hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "tuner/gpus/present_machine.h"
#include "tuner/knowledge/environment_changes.h"
#include "tuner/querying/place_rows.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::querying {

/// Who measured a row, when, and with what.
struct RowConditions {
  std::int64_t session_id = 0;
  std::int64_t time_stamp_ms = 0;        ///< In Unix time. 0: unknown, as of some imported rows.
  std::optional<double> sm_clock_mhz{};  ///< The median of the row's samples, or else that of the session.
  model::Environment environment{};      ///< That of the session.
  /// What differs from this machine, or from the newest session on the row's GPU. Empty for rows that were
  /// replayed or imported.
  knowledge::EnvironmentDifferences differences{};
  std::string note{};  ///< The same as a sentence. Empty if nothing differs.
};

/// The conditions of each row on which a loss rests, in the order of the places. Without a row there are
/// none. `kernel` is the name as the user gave it.
std::vector<std::optional<RowConditions>> conditions_of(const std::vector<PortablePlace>& places,
                                                        const std::vector<PlaceLoss>& losses,
                                                        const StoreOf& store_of, const std::string& kernel,
                                                        const gpus::PresentMachine& here);

/// A table of the conditions, and what differs from the present. Empty if no row has conditions.
std::string conditions_text(const std::vector<PortablePlace>& places,
                            const std::vector<std::optional<RowConditions>>& conditions);

}  // namespace warptune::tuner::querying
