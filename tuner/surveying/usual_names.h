// The usual names of warptune's files.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner::surveying {

/// What a file is by its name, and which command takes it, as the end of a message:
/// `; its name is that of a captured launch, for warptune bench`. Empty if the name says nothing, or if it
/// says that the file is for `command`.
std::string command_by_name(const std::filesystem::path& path, const std::string& command);

}  // namespace warptune::tuner::surveying
