#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::tuner::html_report {

/// A report as one HTML file that needs no other file. It is `report.html` of the folder. Each `{{name}}` in
/// it is replaced by the folder's file of that name. `{{data}}` is replaced by `json` as gzip in base64, so
/// that no name or value in the data can end its HTML element. Throws `base::MachineError` when a file is
/// missing.
std::string report_page(const std::filesystem::path& folder, std::string_view json);

/// The folder with the parts of the page: `share_folder()/report`.
std::filesystem::path report_page_folder();

}  // namespace warptune::tuner::html_report
