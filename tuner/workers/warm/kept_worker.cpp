#include "tuner/workers/warm/kept_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <fstream>

namespace warptune::tuner::workers::warm {

bool is_readable(int descriptor) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, 0) != 0;
}

bool KeptWorker::has_stirred() { return is_readable(process.channel().descriptor()); }

std::uint64_t KeptWorker::resident_bytes() const {
  std::ifstream file(fmt::format("/proc/{}/statm", process.id()));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  return file >> all >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace warptune::tuner::workers::warm
