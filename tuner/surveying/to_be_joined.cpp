// TO BE DELETED when the branches of the survey are joined, with to_be_joined.h. Other branches define these
// functions. What is here lets this branch build and be tested.
#include "tuner/surveying/to_be_joined.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "base/text.h"
#include "survey/collecting/surveyed_run.h"
#include "tuner/json_output/json_form.h"

namespace warptune::survey::collecting {

records::Survey run_surveyed(const SurveyRequest& request) {
  throw base::MachineError("programs cannot be run yet: " + request.command.front(), "join the branches");
}

}  // namespace warptune::survey::collecting

namespace warptune::survey::analysis {

SurveyAnalysis analyse(const records::Survey& survey) {
  SurveyAnalysis analysis;
  std::map<records::Index, KernelTime> kernels;
  for (const records::Launch& launch : survey.launches) {
    KernelTime& kernel = kernels[survey.shapes[launch.shape].name];
    kernel.name = survey.shapes[launch.shape].name;
    kernel.launches += 1;
    kernel.duration += launch.time.duration();
    analysis.launches += 1;
  }
  for (const auto& [name, kernel] : kernels) analysis.kernels.push_back(kernel);
  return analysis;
}

SurveyComparison compare(const records::Survey& before, const SurveyAnalysis&, const records::Survey& after,
                         const SurveyAnalysis&) {
  return {before.launches.size(), after.launches.size()};
}

}  // namespace warptune::survey::analysis

namespace warptune::tuner::text_output::surveys {

std::string survey_report(const survey::records::Survey& survey,
                          const survey::analysis::SurveyAnalysis& analysis) {
  return fmt::format("{}, {}\n",
                     base::counted(static_cast<std::uint64_t>(analysis.launches), "launch", "launches"),
                     base::counted(survey.names.size(), "name"));
}

std::string survey_comparison_report(const survey::analysis::SurveyComparison& comparison) {
  return fmt::format("launches before: {}, after: {}\n", comparison.before, comparison.after);
}

}  // namespace warptune::tuner::text_output::surveys

namespace warptune::tuner::json_output::surveys {

nlohmann::ordered_json survey_json(const survey::records::Survey& survey,
                                   const survey::analysis::SurveyAnalysis& analysis) {
  nlohmann::ordered_json output = json_head("survey");
  output["launches"] = analysis.launches;
  output["names"] = survey.names.size();
  return output;
}

nlohmann::ordered_json survey_comparison_json(const survey::analysis::SurveyComparison& comparison) {
  nlohmann::ordered_json output = json_head("survey-comparison");
  output["launches"] = {comparison.before, comparison.after};
  return output;
}

}  // namespace warptune::tuner::json_output::surveys
