#include "tuner/workers/warm/kept_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace warptune::tuner::workers::warm {

bool is_readable(int descriptor) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, 0) != 0;
}

std::vector<std::string> identities_of(const std::filesystem::path& working_directory,
                                       const std::vector<std::filesystem::path>& readable) {
  std::vector<std::string> identities;
  const auto add = [&](const std::filesystem::path& folder) {
    struct stat status {};
    const bool exists = ::stat(folder.c_str(), &status) == 0;
    identities.push_back(exists ? fmt::format("{} {}", status.st_dev, status.st_ino) : "none");
  };
  add(working_directory);
  for (const std::filesystem::path& folder : readable) add(folder);
  return identities;
}

bool KeptWorker::serves(const protocol::Borrow& question,
                        const std::vector<std::filesystem::path>& folders) const {
  return asked.definition == question.definition && asked.folder == question.folder &&
         asked.identities == question.identities && asked.environment == question.environment &&
         readable == folders;
}

bool KeptWorker::is_spoilt() {
  std::error_code ignored;
  return is_idle() && (is_readable(process.channel().descriptor()) ||
                       !std::filesystem::is_directory(scratch->path(), ignored));
}

std::uint64_t KeptWorker::resident_bytes() const {
  std::ifstream file(fmt::format("/proc/{}/statm", process.id()));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  return file >> all >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace warptune::tuner::workers::warm
