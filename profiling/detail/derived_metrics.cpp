#include "profiling/detail/derived_metrics.h"

#include <algorithm>

namespace warptune::profiling::detail {

namespace {

struct DerivedMetric {
  const char* name;
  const char* first;
  const char* second;
  double (*compute)(double first, double second);
};

/// A wavefront is one pass of an access through the banks; each bank conflict adds one to those needed
/// anyway.
double conflicts_per_access(double conflicts, double wavefronts) {
  const double needed = wavefronts - conflicts;
  return needed > 0.0 ? conflicts / needed : 0.0;
}

constexpr DerivedMetric kDerived[] = {
    {"shared_bank_conflicts_per_access", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", conflicts_per_access},
};

}  // namespace

std::vector<std::string> expand_derived_metrics(const std::vector<std::string>& metrics) {
  std::vector<std::string> expanded;
  const auto add = [&](const std::string& name) {
    if (std::find(expanded.begin(), expanded.end(), name) == expanded.end()) expanded.push_back(name);
  };
  for (const std::string& metric : metrics) {
    const auto* derived = std::find_if(std::begin(kDerived), std::end(kDerived),
                                       [&](const DerivedMetric& row) { return row.name == metric; });
    if (derived == std::end(kDerived)) {
      add(metric);
    } else {
      add(derived->first);
      add(derived->second);
    }
  }
  return expanded;
}

void add_derived_metrics(search::Counters& counters) {
  for (const DerivedMetric& derived : kDerived) {
    const auto first = counters.find(derived.first);
    const auto second = counters.find(derived.second);
    if (first == counters.end() || second == counters.end()) continue;
    counters[derived.name] = derived.compute(first->second, second->second);
  }
}

}  // namespace warptune::profiling::detail
