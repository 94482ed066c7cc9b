#include "db/storage/running_sessions.h"

#include <chrono>

namespace warptune::db::storage {

std::int64_t running_since_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() - kInterruptedAfterMs;
}

}  // namespace warptune::db::storage
