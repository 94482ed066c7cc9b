#include "profiling/verification/new_input_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/median.h"

// A kernel that returns remembered results saves most of its work, but only on inputs that it knows. So its
// first launch on new inputs takes longer than the later ones, every time that the code is loaded again.
//
// Other causes also make some launches longer, so that one comparison says nothing. With another process on
// the GPU, launches took either their own time or 2.5 times as long. A program that is timed by the host's
// clock took 27 us instead of 15 us when the host had slept before. Three properties distinguish the causes.
//
// First, launches must have been prepared in the same way to be compared. In a race they are not. So the
// times of a race only raise a suspicion, and separate observations decide.
//
// Second, the other causes slow launches at random. So a kernel is accepted if the fastest of all first
// launches is about as fast as the later ones. If all first launches are slow, this may still be chance. The
// kernel is refused only if the probability of that is small (Fisher's exact test; Conover, Practical
// Nonparametric Statistics, 3rd edition, 4.1).
//
// Third, the lower quartile of all later launches is compared. So a kernel cannot hide by slowing some of
// them: it would have to slow three quarters of them, and would not be fast any more.
//
// An observation has these steps. The code is loaded again, so that its variables remember nothing. A first
// launch, on one set of inputs, is not compared, because the code is new to the GPU. It finds poisoned
// outputs and scratch, so these remember nothing either. Then all launches are on the other set, and are
// prepared in the same way. None finds poison: scratch holds what the launch before left there, as in
// launches that are only timed. So code that keeps results in scratch is fast on inputs that it knows, and
// slow or wrong on others. Before each of these launches the inputs are exchanged twice, so that they are
// newly written.
//
// All these launches follow the same pause, so that what happened before it does not matter. Without it, a
// launch after an exchange of inputs would be longer on a shared GPU, because the exchange has used up the
// time slice of this process. After a pause the host and the GPU are slower, so a launch after a pause can
// only be compared with other such launches.
namespace warptune::profiling::verification {

namespace {

// The times of kernels that remember nothing differ by a few percent.
constexpr double kMinRatio = 1.25;
constexpr double kMinExcessNs = 3000.0;
// Inputs in the host's memory may or may not be in the host's caches. Therefore the first launch of a kernel
// that remembers nothing took up to 1.3 times as long as later ones.
constexpr double kMinRatioOnHost = 2.0;
constexpr std::size_t kMinObservations = 9;
// The first launch on new inputs, and the later ones.
constexpr std::size_t kComparedLaunches = 2 + MemoryOfResults::kMinLaterTimes;
// An observation takes about 20 ms. This many fit into the shortest time limit of an evaluation.
constexpr std::size_t kMaxObservations = 15;
// The maximum probability that one suspicion leads to the refusal of a kernel whose launches are slow at
// random.
constexpr double kMaxChance = 0.002;

double lower_quartile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 4];
}

}  // namespace

double MemoryOfResults::max_ns(double later_ns) const {
  return (on_host_ ? kMinRatioOnHost : kMinRatio) * later_ns + kMinExcessNs;
}

bool MemoryOfResults::are_suspicious(const NewInputTimes& times) const {
  if (times.later_ns.size() < kMinLaterTimes) return false;
  return times.first_ns > max_ns(lower_quartile(times.later_ns));
}

void MemoryOfResults::add(const NewInputTimes& times) {
  first_ns_.push_back(times.first_ns);
  later_ns_.insert(later_ns_.end(), times.later_ns.begin(), times.later_ns.end());
}

bool MemoryOfResults::is_suspected() const {
  if (later_ns_.size() < kMinLaterTimes) return false;
  return *std::min_element(first_ns_.begin(), first_ns_.end()) > max_ns(lower_quartile(later_ns_));
}

// All first launches are slow. Is that chance? The probability is computed for a kernel whose fast launches
// are spread at random over all launches. It is the probability that no fast launch is a first one.
bool MemoryOfResults::is_convicted() const {
  if (first_ns_.size() < kMinObservations || !is_suspected()) return false;
  const double limit_ns = max_ns(lower_quartile(later_ns_));
  const auto is_fast = [&](double ns) { return ns <= limit_ns; };
  const auto fast = std::count_if(later_ns_.begin(), later_ns_.end(), is_fast);
  const auto later = static_cast<double>(later_ns_.size());
  const double all = later + static_cast<double>(first_ns_.size());
  double chance = 1.0;
  for (std::ptrdiff_t i = 0; i < fast; ++i)
    chance *= (later - static_cast<double>(i)) / (all - static_cast<double>(i));
  return chance <= kMaxChance;
}

bool MemoryOfResults::is_undecided() const {
  if (first_ns_.empty()) return true;
  return first_ns_.size() < kMaxObservations && is_suspected() && !is_convicted();
}

std::optional<std::string> MemoryOfResults::fault() const {
  if (!is_convicted()) return std::nullopt;
  const double first = model::median_of(first_ns_).value();
  const double later = lower_quartile(later_ns_);
  return fmt::format("takes {:.2f} times as long on inputs that it has not seen ({} instead of {})",
                     first / later, base::format_time_ns(first), base::format_time_ns(later));
}

model::Outcome<NewInputTimes> observe(ObservedCode& code) {
  const auto rejection = [](const std::string& fault) {
    return base::failure(
        model::Rejection{model::Status::kWrongResult,
                         "right in its first launch, wrong on inputs that it has not seen: " + fault});
  };
  code.poison();
  code.launch_ns();
  if (const auto fault = code.verify()) return rejection(*fault);
  code.exchange_inputs();
  std::vector<double> times_ns;
  for (std::size_t i = 0; i < kComparedLaunches; ++i) {
    code.exchange_inputs();
    code.exchange_inputs();
    code.prepare();
    times_ns.push_back(code.launch_ns());
    if (const auto fault = code.verify()) return rejection(*fault);
  }
  return NewInputTimes{times_ns.front(), {times_ns.begin() + 1, times_ns.end()}};
}

std::optional<model::Rejection> examine(bool on_host,
                                        const std::function<model::Outcome<NewInputTimes>()>& observe) {
  MemoryOfResults memory(on_host);
  while (memory.is_undecided()) {
    const model::Outcome<NewInputTimes> times = observe();
    if (!times) return times.error();
    memory.add(*times);
  }
  if (const auto fault = memory.fault()) return model::Rejection{model::Status::kImplausible, *fault};
  return std::nullopt;
}

}  // namespace warptune::profiling::verification
