#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::survey_page {

/// The part of the page's data that is above and beside the timeline: how each GPU spent its time, the
/// kernels, the copies and the findings. Times are in nanoseconds.
nlohmann::ordered_json analysis_for_page(const survey::records::Survey& survey,
                                         const survey::analysis::SurveyAnalysis& analysis);

/// The kind of a copy, for people: `host to device, pinned to device, asynchronous`. `Copies` is one copy or
/// a group of copies of the same kind.
template <class Copies>
std::string kind_of_copy(const Copies& copies) {
  return std::string(to_string(copies.direction)) + ", " + std::string(to_string(copies.source)) + " to " +
         std::string(to_string(copies.destination)) + (copies.asynchronous ? ", asynchronous" : "");
}

}  // namespace warptune::tuner::survey_page
