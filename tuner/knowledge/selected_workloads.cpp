#include "tuner/knowledge/selected_workloads.h"

#include <algorithm>
#include <set>

#include "model/size_text.h"
#include "tuner/gpus/known_gpus.h"

namespace warptune::tuner::knowledge {

bool fits_selection(const model::Workload& workload, const WorkloadSelection& wanted) {
  const bool sizes_fit = std::all_of(wanted.sizes.begin(), wanted.sizes.end(), [&](const auto& size) {
    const model::Value* value = model::find(workload.problem, size.first);
    return value != nullptr && model::is_size(size.second, *value);
  });
  const bool gpu_fits = !wanted.gpu || gpus::is_named(workload.gpu, *wanted.gpu);
  return sizes_fit && gpu_fits && (!wanted.cache || workload.cache == *wanted.cache);
}

std::vector<model::Parameter> occurring_parameters(const std::vector<model::Measurement>& rows) {
  std::vector<model::Parameter> known;
  std::vector<std::set<model::Value>> values;
  for (const model::Measurement& row : rows) {
    for (const auto& [name, value] : row.configuration) {
      const std::string& wanted = name;
      const auto place = std::find_if(known.begin(), known.end(), [&](const model::Parameter& parameter) {
        return parameter.name == wanted;
      });
      const auto p = static_cast<std::size_t>(place - known.begin());
      if (place == known.end()) {
        known.push_back({name, {}, "", {}});
        values.emplace_back();
      }
      values[p].insert(value);
    }
  }
  for (std::size_t p = 0; p < known.size(); ++p) known[p].values.assign(values[p].begin(), values[p].end());
  return known;
}

}  // namespace warptune::tuner::knowledge
