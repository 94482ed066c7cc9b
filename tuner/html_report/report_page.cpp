#include "tuner/html_report/report_page.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/files.h"
#include "tuner/html_report/embedded_text.h"
#include "tuner/html_report/page_template.h"

namespace warptune::tuner::html_report {

namespace fs = std::filesystem;

fs::path report_page_folder() { return base::share_folder() / "report"; }

std::string report_page(const fs::path& folder, std::string_view json,
                        std::optional<std::uint64_t> live_revision) {
  return filled_template(folder, "report.html", [&](const std::string& name) -> std::optional<std::string> {
    if (name == "data") return gzip_base64(json);
    if (name == "live_policy") return live_revision ? "; connect-src 'self'" : "";
    if (name != "live_script") return std::nullopt;
    return live_revision ? fmt::format("{}\nLive.start({});\n", page_part(folder, "live.js"), *live_revision)
                         : "";
  });
}

}  // namespace warptune::tuner::html_report
