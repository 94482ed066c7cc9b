// The question of `warptune query --portable`: which configuration loses least on several GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/value.h"
#include "tuner/gpus/present_machine.h"
#include "tuner/querying/kernel_query.h"
#include "tuner/querying/portable_choice.h"
#include "tuner/querying/portable_places.h"
#include "tuner/querying/row_conditions.h"

namespace warptune::tuner::querying {

struct PortableAnswer {
  std::string kernel;
  model::NamedValues problem;
  model::CacheState cache = model::CacheState::kCold;
  LossOver over = LossOver::kWorst;
  std::vector<PortablePlace> places;  ///< At least one.
  PortableChoice choice;
  /// The conditions of the rows on which the losses rest, in the order of the places.
  std::vector<std::optional<RowConditions>> conditions;
};

/// Answers from the database, and from the one of the system. `question.gpu` and `question.explain` are not
/// used. Throws as `load_kernel`, `LayeredDatabases` and `portable_gpus` do. Throws `base::WorkError` if
/// nothing is stored that fits, or if nothing of it can run on all of the GPUs.
PortableAnswer answer_portable(const KernelQuestion& question, const PortableRequest& request,
                               const gpus::MachineReader& read_machine = gpus::read_present_machine);

}  // namespace warptune::tuner::querying
