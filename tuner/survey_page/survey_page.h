// A survey as an HTML page in one file, with a timeline.
#pragma once

#include <filesystem>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::survey_page {

/// Writes the page. It opens offline, in any browser that can unpack gzip (all since 2023). Its parts are in
/// `share_folder()/report`, beside those of the report's page. Throws `base::MachineError` if a part is
/// missing, and what `base::write_file_atomically` throws.
void write_survey_page(const survey::records::Survey& survey,
                       const survey::analysis::SurveyAnalysis& analysis, const std::filesystem::path& path);

}  // namespace warptune::tuner::survey_page
