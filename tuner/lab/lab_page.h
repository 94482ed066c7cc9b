#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// A file of the lab's pages: its name and its text.
using LabFile = std::pair<std::string, std::string>;

/// An experiment's page in Markdown (`NAME.md`) with its pictures (`NAME-1.svg`, ...). The same result gives
/// the same texts on every machine.
std::vector<LabFile> lab_page(const LabResult& result, const LabJudgement& judgement);

/// `README.md`: all experiments with their verdicts.
LabFile lab_index(const std::vector<std::pair<const LabResult*, const LabJudgement*>>& experiments);

}  // namespace warptune::tuner::lab
