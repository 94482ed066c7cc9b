#include "profiling/verification/new_input_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/median.h"

// A kernel that returns remembered results saves most of its work, but only on inputs that it knows. So its
// first launch on new inputs takes longer than the later ones, every time that the code is loaded again.
//
// Another process on the GPU also makes some launches longer, so that one comparison says nothing. With such
// a process, launches took either their own time or 2.5 times as long. Two properties distinguish the causes.
//
// The other process does not choose which launches it slows: among several first launches, one is almost
// certainly not slowed. So a kernel is cleared if the fastest of all first launches is about as fast as the
// later ones.
//
// A kernel cannot hide by slowing some later launches, because the lower quartile of all later ones counts. A
// kernel that slows three quarters of them is not fast any more.
namespace warptune::profiling::verification {

namespace {

// The times of honest kernels differ by a few percent.
constexpr double kMinRatio = 1.25;
constexpr double kMinExcessNs = 3000.0;
// Inputs in the host's memory may or may not be in the host's caches. Therefore the first launch of an honest
// kernel took up to 1.3 times as long as later ones.
constexpr double kMinRatioOnHost = 2.0;
// If each launch is slow with probability 1/2, an honest kernel is refused once in 2000 suspicions.
constexpr std::size_t kObservations = 10;

}  // namespace

void MemoryOfResults::add(const NewInputTimes& times) {
  first_ns_.push_back(times.first_ns);
  later_ns_.insert(later_ns_.end(), times.later_ns.begin(), times.later_ns.end());
}

double MemoryOfResults::later_ns() const {
  std::vector<double> sorted = later_ns_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 4];
}

bool MemoryOfResults::is_suspected() const {
  if (later_ns_.size() < kMinLaterTimes) return false;
  const double maximum = (on_host_ ? kMinRatioOnHost : kMinRatio) * later_ns() + kMinExcessNs;
  return *std::min_element(first_ns_.begin(), first_ns_.end()) > maximum;
}

bool MemoryOfResults::is_undecided() const { return first_ns_.size() < kObservations && is_suspected(); }

std::optional<std::string> MemoryOfResults::fault() const {
  if (first_ns_.size() < kObservations || !is_suspected()) return std::nullopt;
  const double first = model::median_of(first_ns_);
  return fmt::format("takes {:.2f} times as long on inputs that it has not seen ({} instead of {})",
                     first / later_ns(), base::format_time_ns(first), base::format_time_ns(later_ns()));
}

}  // namespace warptune::profiling::verification
