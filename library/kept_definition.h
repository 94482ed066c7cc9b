#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::library {

struct KeptDefinition {
  std::filesystem::path path;
  bool is_new = false;  ///< This call has written it.
};

/// Keeps a definition that a program has built as a file below `folder`, so that workers and commands can
/// read it. `description` is TOML; without one, `source` is a whole file. The name of the file follows from
/// the texts, so that every process finds the same. A file with other contents at that place is replaced.
/// Throws `base::InputError` if a text cannot be kept, and `base::MachineError` if the file
/// cannot be written.
KeptDefinition keep_definition(const std::filesystem::path& folder,
                               const std::optional<std::string>& description, const std::string& source);

}  // namespace warptune::library
