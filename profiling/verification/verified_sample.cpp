#include "profiling/verification/verified_sample.h"

namespace warptune::profiling::verification {

VerifiedSample take_verified(const std::function<timing::Sample()>& time,
                             const std::function<std::optional<std::string>()>& verify) {
  VerifiedSample taken;
  for (int repeat = 0; repeat <= timing::kMaxRepeats; ++repeat) {
    taken.sample = time();
    taken.fault = verify();
    if (repeat == 0) taken.first_ns = taken.sample.ns;
    if (taken.fault || !taken.sample.off_clock) break;
  }
  return taken;
}

}  // namespace warptune::profiling::verification
