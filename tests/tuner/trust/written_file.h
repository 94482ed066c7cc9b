#pragma once

#include <filesystem>
#include <fstream>

namespace warptune::tuner::trust {

/// Writes a file of one empty line, and creates its folder. Returns `path`.
inline std::filesystem::path written(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path).put('\n');
  return path;
}

}  // namespace warptune::tuner::trust
