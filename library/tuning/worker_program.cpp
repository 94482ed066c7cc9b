#include "library/tuning/worker_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/code_folder.h"
#include "base/environment.h"
#include "base/error.h"

namespace warptune::library::tuning {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> places(const std::string& named) {
  if (!named.empty()) return {named};
  if (const std::string worker = base::environment_text(base::Variable::kWorker); !worker.empty())
    return {worker};
  const fs::path folder = base::code_folder();
  std::vector<fs::path> found = {folder / "warptune", folder.parent_path() / "bin" / "warptune"};
  const std::string path = base::environment_text(base::Variable::kProgramPath);
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (end > at) found.push_back(fs::path(path.substr(at, end - at)) / "warptune");
    at = end + 1;
  }
  return found;
}

}  // namespace

std::string worker_program_for(const std::string& named) {
  std::vector<std::string> looked_at;
  for (const fs::path& place : places(named)) {
    if (is_program(place)) return fs::absolute(place).string();
    looked_at.push_back(place.string());
  }
  throw base::MachineError(
      fmt::format("the program warptune, which compiles and measures for a tuning, is not at {}",
                  fmt::join(looked_at, ", ")),
      "install it beside libwarptune, or name it in the member `program` of the options");
}

}  // namespace warptune::library::tuning
