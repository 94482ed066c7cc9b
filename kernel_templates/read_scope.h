#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates {

/// Something that a definition may do only if the user trusts its author.
struct TrustDemand {
  std::filesystem::path definition;  ///< The file, absolute and with links resolved.
  std::string purpose;               ///< What it asks for, such as "is to be compiled by nvcc".
};

/// The folders whose definitions the user trusts. A trusted definition may have its code run on the CPU, and
/// may read files outside of its folder. All members may be called by several threads.
class Trust {
 public:
  /// `decide` says whether the user trusts the definitions in the folder of `demand.definition`. It is called
  /// once for each folder, by one thread at a time.
  explicit Trust(std::function<bool(const TrustDemand& demand)> decide) : decide_(std::move(decide)) {}

  bool covers(const TrustDemand& demand);

 private:
  std::function<bool(const TrustDemand&)> decide_;
  std::mutex mutex_;
  std::map<std::filesystem::path, bool> decided_;  ///< By folder.
};

/// What the user lets the definitions of a command do, besides reading their own folders.
struct Permissions {
  std::vector<std::filesystem::path> readable{};  ///< Folders of `--allow-read`, absolute.
  std::shared_ptr<Trust> trust{};                 ///< Null if no definition is trusted.
};

/// Whether the user trusts the author of the definition. Without a `Trust` in `permissions`, nobody is asked.
bool is_trusted_by_user(const Permissions& permissions, const std::filesystem::path& definition,
                        const std::string& purpose);

/// The files that a definition may read: those in its own folder and below, warptune's shipped files, the
/// CUDA toolkit's headers, and files in folders that the user grants. If the user trusts the definition's
/// author, a folder is granted when the definition names a file in it. If a path has symbolic links, the
/// place that they point to decides. The toolkit's and the shipped files may be links themselves, because no
/// definition can change them. Copies share the folders that are granted later.
class ReadScope {
 public:
  /// Allows only the shipped files and the toolkit.
  ReadScope() : ReadScope({}, {}) {}
  /// `definition` is the file of a definition or of an experiment.
  ReadScope(const std::filesystem::path& definition, Permissions permissions);

  /// Whether a file may be read. For a missing file, the folder that it would be in decides.
  bool allows(const std::filesystem::path& path) const;
  /// Throws `base::InputError` at `where` unless the path is allowed, or the user trusts the definition's
  /// author. The message names the folder to grant.
  /// `what` is the beginning of the message, such as "the source".
  void require(const std::filesystem::path& path, std::string_view what,
               const base::SourcePosition& where) const;
  /// Whether the file belongs to the toolkit or is shipped. The author of a definition cannot have written
  /// it.
  bool is_trusted(const std::filesystem::path& path) const;
  /// Whether the user trusts the author of the definition, or it is shipped. `purpose` completes "the
  /// definition", such as "is to be compiled by nvcc".
  bool may_run_code(const std::string& purpose) const;
  /// What the user lets the definition do, with all folders that were granted so far.
  Permissions permissions() const;
  /// The definition's folder, followed by the folders that the user grants, with links resolved. Everything
  /// below them may be read.
  std::vector<std::filesystem::path> folders() const;

 private:
  struct LaterGrants;

  std::filesystem::path definition_;
  Permissions permissions_;
  std::vector<std::filesystem::path>
      trusted_;  ///< The folders as written, followed by the same folders with links resolved.
  std::vector<std::filesystem::path> folders_;  ///< Those of `folders()` that were known at the start.
  std::shared_ptr<LaterGrants> later_;
};

/// The folder that `--allow-read` names, absolute and with links resolved. Throws `base::InputError` if it is
/// not a folder.
std::filesystem::path granted_folder(const std::filesystem::path& folder);

}  // namespace warptune::kernel_templates
