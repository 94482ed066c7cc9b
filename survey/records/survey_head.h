#pragma once

#include <nlohmann/json.hpp>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// The members of a survey's file that are not tables of numbers: the run, names, devices,
/// processes and counters.
/// Bytes that are not valid UTF-8 become U+FFFD when the result is written as text.
nlohmann::ordered_json head_to_json(const Survey& survey);

/// Reads what `head_to_json` wrote, into `survey`. A member that is missing has its default. Throws
/// `nlohmann::json::exception` or `base::InputError` for a member of another type, and for a value that is
/// out of range.
void head_from_json(const nlohmann::json& head, Survey& survey);

}  // namespace warptune::survey::records
