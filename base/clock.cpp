#include "base/clock.h"

#include <chrono>

namespace warptune::base {

std::int64_t unix_time_ms() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
}

}  // namespace warptune::base
