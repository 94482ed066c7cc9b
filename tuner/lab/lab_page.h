#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// A file of the lab's pages: its name, then its text.
using LabFile = std::pair<std::string, std::string>;

/// The page of an experiment in Markdown (`NAME.md`) and its pictures (`NAME-1.svg`, ...). The same result
/// gives the same texts on every machine.
std::vector<LabFile> lab_page(const LabResult& result, const LabJudgement& judgement);

/// The file `README.md`, which lists all experiments with their verdicts. `unrecorded` are the names of those
/// that have no recorded run, and therefore no page.
LabFile lab_index(const std::vector<std::pair<const LabResult*, const LabJudgement*>>& experiments,
                  const std::vector<std::string>& unrecorded);

}  // namespace warptune::tuner::lab
