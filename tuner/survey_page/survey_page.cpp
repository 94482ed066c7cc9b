#include "tuner/survey_page/survey_page.h"

#include <optional>
#include <string>

#include "base/files.h"
#include "tuner/html_report/embedded_text.h"
#include "tuner/html_report/page_template.h"
#include "tuner/html_report/report_page.h"
#include "tuner/survey_page/survey_page_data.h"

namespace warptune::tuner::survey_page {

void write_survey_page(const survey::records::Survey& survey,
                       const survey::analysis::SurveyAnalysis& analysis, const std::filesystem::path& path) {
  const PageData data = page_data(survey, analysis);
  const std::string page =
      html_report::filled_template(html_report::report_page_folder(), "survey.html",
                                   [&](const std::string& name) -> std::optional<std::string> {
                                     if (name == "data") return html_report::gzip_base64(data.json);
                                     if (name == "columns") return html_report::gzip_base64(data.columns);
                                     return std::nullopt;
                                   });
  base::write_file_atomically(path, page);
}

}  // namespace warptune::tuner::survey_page
