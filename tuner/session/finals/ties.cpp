#include "tuner/session/finals/ties.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace warptune::tuner::session::finals {

bool are_tied(const std::vector<double>& a_ns, const std::vector<double>& b_ns) {
  if (a_ns.size() != b_ns.size()) {
    const model::TimeSummary a = model::summarise(a_ns);
    const model::TimeSummary b = model::summarise(b_ns);
    return a.low_ns <= b.high_ns && b.low_ns <= a.high_ns;
  }
  std::vector<double> differences;
  differences.reserve(a_ns.size());
  for (std::size_t i = 0; i < a_ns.size(); ++i) differences.push_back(a_ns[i] - b_ns[i]);
  const model::TimeSummary difference = model::summarise(differences);
  return difference.low_ns <= 0.0 && difference.high_ns >= 0.0;
}

bool is_simpler(const model::Measurement& a, const model::Measurement& b,
                const model::NamedValues& default_configuration) {
  const auto complexity = [&](const model::Measurement& measurement) {
    const auto differs = [&](const auto& entry) {
      const model::Value* usual = model::find(default_configuration, entry.first);
      return usual != nullptr && *usual != entry.second;
    };
    const model::NamedValues& values = measurement.configuration;
    const model::ResourceUse& use = measurement.resources;
    return std::tuple(std::count_if(values.begin(), values.end(), differs), use.registers_per_thread,
                      use.static_shared_bytes + use.dynamic_shared_bytes, measurement.time.median_ns);
  };
  return complexity(a) < complexity(b);
}

}  // namespace warptune::tuner::session::finals
