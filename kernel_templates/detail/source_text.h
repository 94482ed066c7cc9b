#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::kernel_templates::detail {

/// A `.cu` split into its tuning description and the rest; line numbers hold in both, blank lines fill the
/// gaps.
struct SplitSource {
  std::string description;  ///< TOML; empty when the file's first comment is none of ours.
  std::string code;         ///< The source with the description blanked.
};
/// The description is the comment that starts with `/* warptune` before any code. Throws `base::InputError`
/// when it is not closed.
SplitSource split_source(const std::string& text, const std::string& file);

/// The text of every file that `#include` reaches from `source`, found as NVRTC finds it with our options:
/// beside the including file (quoted ones), beside `source`, in `folders`. Each once, in order of discovery,
/// `source` itself left out, and so are includes found nowhere there (system headers).
std::vector<std::string> include_closure(const std::filesystem::path& source, const std::string& code,
                                         const std::vector<std::filesystem::path>& folders);

}  // namespace warptune::kernel_templates::detail
