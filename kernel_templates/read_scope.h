#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates {

/// What a definition may read: files in its own folder and below, what is shipped with warptune, the CUDA
/// toolkit's headers, and folders that the user grants. A path counts by where its links lead; the toolkit's
/// and the shipped files, which no definition can write, may be links themselves.
class ReadScope {
 public:
  /// Nothing but what is shipped and the toolkit.
  ReadScope() : ReadScope({}, {}) {}
  /// `definition` is the file of a definition or of an experiment; `granted` are folders.
  ReadScope(const std::filesystem::path& definition, std::vector<std::filesystem::path> granted);

  /// A file that is not there is judged by the folder that it would be in.
  bool allows(const std::filesystem::path& path) const;
  /// Throws `base::InputError` at `where` that names the folder to grant, unless the path is allowed. `what`
  /// begins the message: "the source".
  void require(const std::filesystem::path& path, std::string_view what,
               const base::SourcePosition& where) const;
  /// Whether it is a file of the toolkit or a shipped one: nobody's who wrote a definition.
  bool is_trusted(const std::filesystem::path& path) const;
  /// The folders given by the user.
  const std::vector<std::filesystem::path>& granted() const { return granted_; }
  /// That of the definition, then those given by the user, with links resolved: what is below may be read.
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> granted_;
  std::vector<std::filesystem::path> trusted_;  ///< As written; then with links resolved.
  std::vector<std::filesystem::path> folders_;  ///< Of the definition and of the user, links resolved.
};

/// The folder that `--allow-read` names: absolute, links resolved. Throws `base::InputError` unless it is a
/// folder.
std::filesystem::path granted_folder(const std::filesystem::path& folder);

}  // namespace warptune::kernel_templates
