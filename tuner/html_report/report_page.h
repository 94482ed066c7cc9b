#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::html_report {

/// Returns a report as one HTML page that needs no other file. The template is the file `report.html` of
/// `folder`. Each `{{name}}` in the template is replaced by the content of the file `name` of `folder`.
/// `{{data}}` is replaced by `json`, compressed with gzip and encoded in base64: this text cannot contain
/// `</script>`, whatever names and values the data have. Throws `base::MachineError` when a file is missing.
///
/// With `live_revision`, a running session serves the page, and `json` is the state of the session at that
/// revision. `{{live_policy}}` then becomes the part of the Content Security Policy that allows requests to
/// the page's server. `{{live_script}}` becomes the code that requests newer data. Without `live_revision`,
/// both are empty.
std::string report_page(const std::filesystem::path& folder, std::string_view json,
                        std::optional<std::uint64_t> live_revision = std::nullopt);

/// The folder with the parts of the page: `share_folder()/report`.
std::filesystem::path report_page_folder();

}  // namespace warptune::tuner::html_report
