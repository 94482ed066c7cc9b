#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/hash.h"
#include "fleet/spool/spool_store.h"
#include "tests/fleet/store_contract.h"
#include "tests/temporary_folder.h"

namespace warptune::fleet::spool {

/// Moves the times of all leases of a spool into the past, or of those that were not renewed for `quiet_ms`.
inline void age_spool_leases(const std::filesystem::path& spool, std::int64_t ms, std::int64_t quiet_ms = 0) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  for (const auto& campaign : std::filesystem::directory_iterator(spool / "campaigns")) {
    if (!std::filesystem::exists(campaign.path() / "leased")) continue;
    for (const auto& lease : std::filesystem::directory_iterator(campaign.path() / "leased")) {
      struct stat found {};
      if (::stat(lease.path().c_str(), &found) != 0) continue;
      const std::int64_t age_ms =
          (now.tv_sec - found.st_mtim.tv_sec) * 1000 + (now.tv_nsec - found.st_mtim.tv_nsec) / 1'000'000;
      if (quiet_ms > 0 && age_ms < quiet_ms) continue;
      found.st_mtim.tv_sec -= ms / 1000;
      const timespec times[2] = {{0, UTIME_OMIT}, found.st_mtim};
      ::utimensat(AT_FDCWD, lease.path().c_str(), times, 0);
    }
  }
}

/// Where thousands of calls of fsync take no time, if there is such a place.
inline std::filesystem::path memory_folder() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

/// A spool in a temporary folder.
class SpoolUnderTest : public testing::StoreUnderTest {
 public:
  SpoolUnderTest() { make_spool_store(path()); }
  static std::string digest_of(const std::string& bytes) { return base::hash_hex(bytes); }
  std::filesystem::path path() const { return folder_ / "spool"; }
  std::unique_ptr<FleetStore> connect(Access access) override { return open_spool_store(path(), access); }
  void age_leases(std::int64_t ms) override { age_spool_leases(path(), ms); }

 private:
  tests::TemporaryFolder folder_{memory_folder()};
};

}  // namespace warptune::fleet::spool
