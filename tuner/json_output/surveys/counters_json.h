// The hardware counters of a survey as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::json_output::surveys {

/// `counted_kernels` of schemas/survey.schema.json.
nlohmann::ordered_json counted_kernels_json(const survey::records::Survey& survey,
                                            const survey::analysis::SurveyAnalysis& analysis);
/// `counted_graphs` of the same schema.
nlohmann::ordered_json counted_graphs_json(const survey::records::Survey& survey);

/// The geometry and the resources of a launch.
nlohmann::ordered_json shape_json(const survey::records::KernelShape& shape);

}  // namespace warptune::tuner::json_output::surveys
