#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates {

/// The files that a definition may read: those in its own folder and below, warptune's shipped files, the
/// CUDA toolkit's headers, and files in folders that the user grants. If a path has symbolic links, the place
/// that they point to decides. The toolkit's and the shipped files may be links themselves, because no
/// definition can change them.
class ReadScope {
 public:
  /// Allows only the shipped files and the toolkit.
  ReadScope() : ReadScope({}, {}) {}
  /// `definition` is the file of a definition or of an experiment; `granted` are folders.
  ReadScope(const std::filesystem::path& definition, std::vector<std::filesystem::path> granted);

  /// Whether a file may be read. For a missing file, the folder that it would be in decides.
  bool allows(const std::filesystem::path& path) const;
  /// Throws `base::InputError` at `where` unless the path is allowed. The message names the folder to grant.
  /// `what` is the beginning of the message, such as "the source".
  void require(const std::filesystem::path& path, std::string_view what,
               const base::SourcePosition& where) const;
  /// Whether the file belongs to the toolkit or is shipped. The author of a definition cannot have written
  /// it.
  bool is_trusted(const std::filesystem::path& path) const;
  /// The folders that the user grants.
  const std::vector<std::filesystem::path>& granted() const { return granted_; }
  /// The definition's folder, followed by the folders that the user grants, with links resolved. Everything
  /// below them may be read.
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> granted_;
  std::vector<std::filesystem::path>
      trusted_;  ///< The folders as written, followed by the same folders with links resolved.
  std::vector<std::filesystem::path> folders_;  ///< The folders of `folders()`.
};

/// The folder that `--allow-read` names, absolute and with links resolved. Throws `base::InputError` if it is
/// not a folder.
std::filesystem::path granted_folder(const std::filesystem::path& folder);

}  // namespace warptune::kernel_templates
