#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::knowledge {

/// The recordings that are shipped for a kernel, sorted by name:
/// `share_folder()/recordings/NAME-*.wtrec.zst`.
std::vector<std::filesystem::path> shipped_recordings(const std::string& kernel);

}  // namespace warptune::tuner::knowledge
