#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::tuner::html_report {

/// A report as one HTML file that needs no other: `report.html` of the folder, in which each `{{name}}` is
/// replaced by the folder's file of that name and `{{data}}` by `json`, gzipped in base64: no name or value
/// in it can end its element. Throws `base::MachineError` when a file is missing.
std::string report_page(const std::filesystem::path& folder, std::string_view json);

/// The folder of the page's parts: `share_folder()/report`.
std::filesystem::path report_page_folder();

}  // namespace warptune::tuner::html_report
