#include "tuner/html_report/report_page.h"

#include <fmt/format.h>

#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "tuner/html_report/embedded_text.h"

namespace warptune::tuner::html_report {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

std::string part(const fs::path& folder, const std::string& name) {
  try {
    return base::read_file(folder / name);
  } catch (const base::InputError& error) {
    throw base::MachineError(
        fmt::format("a part of the report's page cannot be read: {}", error.what()),
        "install all of warptune, or set WARPTUNE_SHARE to the folder that holds kernels/ and report/");
  }
}

}  // namespace

fs::path report_page_folder() { return base::share_folder() / "report"; }

std::string report_page(const fs::path& folder, std::string_view json,
                        std::optional<std::uint64_t> live_revision) {
  const auto content = [&](const std::string& name) -> std::string {
    if (name == "data") return gzip_base64(json);
    if (name == "live_policy") return live_revision ? "; connect-src 'self'" : "";
    if (name != "live_script") return part(folder, name);
    return live_revision ? fmt::format("{}\nLive.start({});\n", part(folder, "live.js"), *live_revision) : "";
  };
  const std::string frame = part(folder, "report.html");
  std::string page;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = frame.find(kOpen, at);
    page.append(frame, at, open - at);
    if (open == std::string::npos) return page;
    const std::size_t close = frame.find(kClose, open);
    if (close == std::string::npos) return page.append(frame, open);
    page += content(frame.substr(open + kOpen.size(), close - open - kOpen.size()));
    at = close + kClose.size();
  }
}

}  // namespace warptune::tuner::html_report
