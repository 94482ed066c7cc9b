#pragma once

#include <filesystem>

#include "base/descriptor.h"

namespace warptune::fleet::postgresql::testing {

/// Ends a server and removes what it leaves, when this object ends or when the process of the test ends in
/// any other way, also by SIGKILL. A process that belongs to no other one waits for that. It ends the server
/// that runs in `data`, removes its shared memory, and then the folder `folder`.
class ServerCleaner {
 public:
  ServerCleaner(const std::filesystem::path& folder, const std::filesystem::path& data);
  /// Waits until everything is removed.
  ~ServerCleaner();
  ServerCleaner(const ServerCleaner&) = delete;
  ServerCleaner& operator=(const ServerCleaner&) = delete;

 private:
  base::Descriptor lives_;    // The cleaner begins when nobody has this open any more.
  base::Descriptor cleaned_;  // The cleaner closes its end when it is done.
};

}  // namespace warptune::fleet::postgresql::testing
