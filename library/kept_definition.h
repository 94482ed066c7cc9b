#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::library {

struct KeptDefinition {
  std::filesystem::path path;
  bool is_new = false;  ///< Whether this call has written the file.
};

/// Writes a definition that a program has built to a file below `folder`, so that workers and commands can
/// read it. `description` is TOML. Without it, `source` is a whole definition. The path is made from a hash
/// of the texts, so that every process finds the same file. A file at that path with other contents is
/// replaced. Throws `base::InputError` if a text cannot be stored, and `base::MachineError` if the file
/// cannot be written.
KeptDefinition keep_definition(const std::filesystem::path& folder,
                               const std::optional<std::string>& description, const std::string& source);

}  // namespace warptune::library
