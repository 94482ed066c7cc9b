#include "fleet/spool/warnings.h"

#include <cstddef>
#include <mutex>
#include <set>

#include "base/log.h"

namespace warptune::fleet::spool {

void warn_once(const std::string& text) {
  constexpr std::size_t kMaxKnown = 10'000;  // Then all may be said again, so that memory is bounded.
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard guard(mutex);
  if (known.size() >= kMaxKnown) known.clear();
  if (known.insert(text).second) base::log_warning(text);
}

}  // namespace warptune::fleet::spool
