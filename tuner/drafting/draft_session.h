// Writing a first definition with the contents of a captured launch, without the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune::tuner::drafting {

/// What to write.
struct DraftRequest {
  std::filesystem::path source;
  std::optional<std::string> entry;  ///< The kernel. The capture names it, too.
  std::filesystem::path output;      ///< The definition, beside the source. It does not exist yet.
  std::filesystem::path capture;
  std::uint64_t limit_mib = 1024;  ///< The most bytes of all contents, in MiB.
};

/// What was written.
struct Draft {
  std::filesystem::path folder;  ///< With the contents. It exists only if there are files.
  std::size_t files = 0;
  std::uint64_t bytes = 0;         ///< The size of all contents.
  std::vector<std::string> notes;  ///< What a person has to know, as sentences.
};

/// Writes the definition, and the contents into a folder beside it: `scale.data` for `scale.toml`. Throws
/// `base::InputError` if the file is not a capture, if it does not fit the source (`captured_definition`), if
/// the contents exceed the limit, and if the folder exists. Throws `base::MachineError` if a file cannot be
/// written. Nothing is left behind then.
Draft write_draft(const DraftRequest& request);

}  // namespace warptune::tuner::drafting
