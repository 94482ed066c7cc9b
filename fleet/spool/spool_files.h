// What belongs to a spool as a whole: its version, its clock, its permissions.
#pragma once

#include <cstdint>
#include <filesystem>

#include "fleet/spool/folder.h"

namespace warptune::fleet::spool {

inline constexpr const char* kCampaignsFolder = "campaigns";
inline constexpr const char* kFilesFolder = "files";
inline constexpr const char* kNodesFolder = "nodes";

/// Makes a spool in a folder, which is made if it is missing, for this user alone. Completes one that was not
/// made to the end. Throws `base::InputError` if the folder has other files or a spool of another version,
/// and `base::MachineError` if the file system lacks what a spool needs.
void make_spool(const std::filesystem::path& folder);
/// Throws `base::InputError` if the folder is missing, is not a spool, or has another version.
void require_spool(const std::filesystem::path& folder);
/// Throws `base::InputError` if this user may not write into the spool. A node without permissions would wait
/// for ever. A connection that has lost them later tries again.
void require_writable_spool(const std::filesystem::path& folder);

/// Unix time in ms by the clock of the file system: the time that it gives to a file that is touched now.
std::int64_t written_clock(const Folder& spool);
/// The newest time that others have given to the clock or to a node, without writing. Earlier than now.
std::int64_t newest_time(const Folder& spool);

/// Whether nobody but this user and root can write into the spool, or put another folder at its place. Its
/// folders belong to the user then, and neither their group nor others may write into them. The folders above
/// it belong to the user or root, and others cannot rename what is in them.
bool is_private_spool(const Folder& spool);

}  // namespace warptune::fleet::spool
