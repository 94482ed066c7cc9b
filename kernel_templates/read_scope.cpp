#include "kernel_templates/read_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/shared_library.h"

namespace warptune::kernel_templates {

namespace fs = std::filesystem;

namespace {

// The path as an absolute one; links are resolved as far as the path exists. A link to a missing target
// stays. Empty if links refer to each other in a circle.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  fs::path found = fs::weakly_canonical(absolute, error);
  return error ? fs::path() : found;
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() || (end->empty() && std::next(end) == folder.end());
}

bool lies_below_any(const fs::path& path, const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& folder) { return lies_below(path, folder); });
}

// Whether the path contains `..`.
bool climbs(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// Whether any part of the path is a link whose target is missing. Such a link may have a target for another
// process.
bool has_dangling_link(const fs::path& path) {
  std::error_code ignored;
  fs::path part;
  for (const fs::path& name : path) {
    part /= name;
    if (fs::is_symlink(fs::symlink_status(part, ignored)) && !fs::exists(part, ignored)) return true;
  }
  return false;
}

// The toolkit's folders and the shipped ones, as written and with links resolved. Every definition needs
// them, and resolving takes about a hundred system calls. It is therefore done once for each set of folders.
std::vector<fs::path> trusted_folders() {
  std::vector<fs::path> written;
  for (const std::string& folder : base::cuda_include_folders()) written.emplace_back(folder);
  for (const char* shipped : {"kernels", "lab", "stand_ins"})
    written.push_back(base::share_folder() / shipped);
  for (fs::path& folder : written) folder = fs::absolute(folder).lexically_normal();
  static std::mutex mutex;
  static std::map<std::vector<fs::path>, std::vector<fs::path>> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(written, written);
  if (is_new) {
    for (const fs::path& one : written) {
      if (const fs::path folder = resolved(one); !folder.empty()) entry->second.push_back(folder);
    }
  }
  return entry->second;
}

}  // namespace

bool Trust::covers(const TrustDemand& demand) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = decided_.try_emplace(demand.definition.parent_path(), false);
  if (is_new) entry->second = decide_(demand);
  return entry->second;
}

bool is_trusted_by_user(const Permissions& permissions, const fs::path& definition,
                        const std::string& purpose) {
  if (permissions.trust == nullptr) return false;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(definition, error);
  return !error && permissions.trust->covers({real, purpose});
}

// The folders that a trusted definition has named, with links resolved.
struct ReadScope::LaterGrants {
  std::vector<fs::path> get() const {
    const std::lock_guard lock(mutex);
    return folders;
  }
  void add(const fs::path& folder) {
    const std::lock_guard lock(mutex);
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  }

  mutable std::mutex mutex;
  std::vector<fs::path> folders;
};

ReadScope::ReadScope(const fs::path& definition, Permissions permissions)
    : definition_(definition),
      permissions_(std::move(permissions)),
      trusted_(trusted_folders()),
      later_(std::make_shared<LaterGrants>()) {
  if (!definition.empty()) folders_.push_back(resolved(fs::absolute(definition).parent_path()));
  for (const fs::path& folder : permissions_.readable) folders_.push_back(resolved(folder));
  std::erase(folders_, fs::path());
}

std::vector<fs::path> ReadScope::folders() const {
  std::vector<fs::path> all = folders_;
  const std::vector<fs::path> later = later_->get();
  all.insert(all.end(), later.begin(), later.end());
  return all;
}

Permissions ReadScope::permissions() const {
  Permissions all = permissions_;
  const std::vector<fs::path> later = later_->get();
  all.readable.insert(all.readable.end(), later.begin(), later.end());
  return all;
}

bool ReadScope::may_run_code(const std::string& purpose) const {
  return is_trusted(definition_) || is_trusted_by_user(permissions_, definition_, purpose);
}

bool ReadScope::is_trusted(const fs::path& path) const {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  if (!climbs(absolute) && lies_below_any(absolute.lexically_normal(), trusted_)) return true;
  const fs::path real = resolved(path);
  return !real.empty() && !has_dangling_link(absolute) && lies_below_any(real, trusted_);
}

bool ReadScope::allows(const fs::path& path) const {
  if (is_trusted(path)) return true;
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  const fs::path real = resolved(path);
  return !real.empty() && !has_dangling_link(absolute) && lies_below_any(real, folders());
}

void ReadScope::require(const fs::path& path, std::string_view what,
                        const base::SourcePosition& where) const {
  if (allows(path)) return;
  const fs::path real = resolved(path);
  std::error_code ignored;
  if (real.empty() || has_dangling_link(fs::absolute(path, ignored)))
    throw base::InputError(
        fmt::format("{} {} is, or passes through, a link to a missing file", what, path.string()), where);
  const fs::path folder = real.parent_path();
  if (is_trusted_by_user(permissions_, definition_, fmt::format("reads files in {}", folder.string()))) {
    later_->add(folder);
    return;
  }
  const std::string leads = real == fs::absolute(path, ignored).lexically_normal()
                                ? ""
                                : fmt::format(" leads to {}, which", real.string());
  throw base::InputError(
      fmt::format("{} {}{} is outside of the definition's folder; to allow reading it, use "
                  "--allow-read {}; if you trust the definition's author, use --trust",
                  what, path.string(), leads, folder.string()),
      where);
}

fs::path granted_folder(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::canonical(folder, error);
  if (error || !fs::is_directory(real, error))
    throw base::InputError(fmt::format("--allow-read {}: expected a folder that exists", folder.string()));
  return real;
}

}  // namespace warptune::kernel_templates
