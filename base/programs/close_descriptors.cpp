#include "base/programs/close_descriptors.h"

#include <sys/resource.h>
#include <unistd.h>

namespace warptune::base::programs {

void close_descriptors_from(int first) {
  constexpr long kCloseRange = 436;  // Linux 5.9.
  if (::syscall(kCloseRange, first, ~0U, 0) == 0) return;
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536;
  const int end = known ? static_cast<int>(limit.rlim_cur) : 65536;
  for (int descriptor = first; descriptor < end; ++descriptor) ::close(descriptor);
}

}  // namespace warptune::base::programs
