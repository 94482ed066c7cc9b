#include "tuner/knowledge/shipped_recordings.h"

#include <algorithm>
#include <system_error>

#include "base/files.h"

namespace warptune::tuner::knowledge {

namespace fs = std::filesystem;

std::vector<fs::path> shipped_recordings(const std::string& kernel) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(base::share_folder() / "recordings", error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kernel + "-", 0) == 0 && name.find(".wtrec") != std::string::npos)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace warptune::tuner::knowledge
