#include "base/random.h"

#include <random>

namespace warptune::base {

std::uint64_t unforeseen_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace warptune::base
