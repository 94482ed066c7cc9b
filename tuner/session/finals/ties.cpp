#include "tuner/session/finals/ties.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "model/median.h"

namespace warptune::tuner::session::finals {

bool are_tied(const std::vector<double>& a_ns, const std::vector<double>& b_ns) {
  if (a_ns.size() != b_ns.size()) {
    const std::optional<model::MedianInterval> a = model::median_interval(a_ns);
    const std::optional<model::MedianInterval> b = model::median_interval(b_ns);
    return a && b && a->low <= b->high && b->low <= a->high;
  }
  std::vector<double> differences;
  differences.reserve(a_ns.size());
  for (std::size_t i = 0; i < a_ns.size(); ++i) differences.push_back(a_ns[i] - b_ns[i]);
  const std::optional<model::MedianInterval> difference = model::median_interval(std::move(differences));
  return difference && difference->low <= 0.0 && difference->high >= 0.0;
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
                      use.static_shared_bytes + use.dynamic_shared_bytes, model::median_ns_of(measurement));
  };
  return complexity(a) < complexity(b);
}

}  // namespace warptune::tuner::session::finals
