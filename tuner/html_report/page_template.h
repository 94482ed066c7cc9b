#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace warptune::tuner::html_report {

/// The content of the file `name` of `folder`. Throws `base::MachineError` when it is missing.
std::string page_part(const std::filesystem::path& folder, const std::string& name);

/// The text for `{{name}}` in a template, or `std::nullopt` if it is the content of the file `name`.
using TemplateText = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns the file `frame` of `folder`, in which each `{{name}}` is replaced by the text that `given`
/// returns, or by the content of the file `name` of `folder`. Throws `base::MachineError` when a file is
/// missing.
std::string filled_template(const std::filesystem::path& folder, const std::string& frame,
                            const TemplateText& given);

}  // namespace warptune::tuner::html_report
