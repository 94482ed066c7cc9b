#include "base/random.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace warptune::base {

// `std::random_device` would bind programs to a newer version of the C++ and C libraries. A request of 8
// bytes is never answered in part.
std::uint64_t unforeseen_seed() {
  std::uint64_t seed = 0;
  while (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    if (errno != EINTR)
      throw MachineError(fmt::format("the system gives no random numbers: {}", std::strerror(errno)), "");
  }
  return seed;
}

}  // namespace warptune::base
