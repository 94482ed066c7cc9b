#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune::tuner::trust {

/// Why others than this user could change the definition, or std::nullopt if nobody else can. Others can
/// change it if they own the file, its folder or an ancestor of that folder, or if one of these is writable
/// by others. Ancestors may be root's, and may be writable by others if their sticky bit is set, as that of
/// `/tmp` is. `definition` is a file, absolute and with links resolved.
std::optional<std::string> changeable_by_others(const std::filesystem::path& definition);

/// The folders whose definitions the user trusted on a terminal. They are kept in a file of the user, one
/// path in each line. A folder's own subfolders are not trusted with it.
class TrustedFolders {
 public:
  /// Reads `file`. A missing file, or one that another user owns, holds no folders.
  explicit TrustedFolders(std::filesystem::path file);

  bool contains(const std::filesystem::path& folder) const;
  /// Adds a folder, and writes the file. Creates its folder if it is missing. Throws `base::MachineError`
  /// with the system's reason if the file cannot be written. A path with a newline is refused with
  /// `base::InputError`.
  void add(const std::filesystem::path& folder);
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::filesystem::path file_;
  std::vector<std::filesystem::path> folders_;
};

/// `base::data_folder()/trusted-folders`: the file of the folders that this user trusts. Empty if the
/// environment does not say where the user's data are.
std::filesystem::path trusted_folders_file();

}  // namespace warptune::tuner::trust
