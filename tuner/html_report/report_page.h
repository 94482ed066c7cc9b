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
/// With `live_revision`, the page is one that a running session serves, and `json` is its state of that
/// revision. `{{live_policy}}` then lets the page ask its server for newer data, and `{{live_script}}` does
/// so. Without it, both are empty.
std::string report_page(const std::filesystem::path& folder, std::string_view json,
                        std::optional<std::uint64_t> live_revision = std::nullopt);

/// The folder with the parts of the page: `share_folder()/report`.
std::filesystem::path report_page_folder();

}  // namespace warptune::tuner::html_report
