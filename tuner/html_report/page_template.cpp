#include "tuner/html_report/page_template.h"

#include <fmt/format.h>

#include <string_view>

#include "base/error.h"
#include "base/files.h"

namespace warptune::tuner::html_report {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

}  // namespace

std::string page_part(const fs::path& folder, const std::string& name) {
  try {
    return base::read_file(folder / name);
  } catch (const base::InputError& error) {
    throw base::MachineError(
        fmt::format("a part of the report's page cannot be read: {}", error.what()),
        "install all of warptune, or set WARPTUNE_SHARE to the folder that holds kernels/ and report/");
  }
}

std::string filled_template(const fs::path& folder, const std::string& frame, const TemplateText& given) {
  const std::string text = page_part(folder, frame);
  std::string page;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find(kOpen, at);
    page.append(text, at, open - at);
    if (open == std::string::npos) return page;
    const std::size_t close = text.find(kClose, open);
    if (close == std::string::npos) return page.append(text, open);
    const std::string name = text.substr(open + kOpen.size(), close - open - kOpen.size());
    const std::optional<std::string> own = given(name);
    page += own ? *own : page_part(folder, name);
    at = close + kClose.size();
  }
}

}  // namespace warptune::tuner::html_report
