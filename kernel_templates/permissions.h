#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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

/// Whether the user trusts the author of the definition. The demand is asked about only if there is a
/// `Trust`.
bool is_trusted_by_user(const Permissions& permissions, const std::filesystem::path& definition,
                        const std::string& purpose);

}  // namespace warptune::kernel_templates
