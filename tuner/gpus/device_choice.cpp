#include "tuner/gpus/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "model/value.h"

namespace warptune::tuner::gpus {

DeviceChoice DeviceChoice::parse(const std::string& text) {
  DeviceChoice choice;
  choice.ordinals.clear();
  choice.all = text == "all";
  if (choice.all) return choice;
  for (const std::string& item : listed_items("device", text)) {
    const std::optional<model::Value> value = model::parse_value(item, model::ValueType::kInteger);
    constexpr std::int64_t kMax = 1 << 20;
    if (!value || std::get<std::int64_t>(*value) < 0 || std::get<std::int64_t>(*value) > kMax)
      throw base::InputError(
          fmt::format("--device {}: expected an integer, 0 or more, a list of them, or all", text));
    const int ordinal = static_cast<int>(std::get<std::int64_t>(*value));
    if (std::find(choice.ordinals.begin(), choice.ordinals.end(), ordinal) != choice.ordinals.end())
      throw base::InputError(fmt::format("--device {}: {} is listed twice", text, ordinal));
    choice.ordinals.push_back(ordinal);
  }
  return choice;
}

std::vector<int> DeviceChoice::resolve(std::size_t count) const {
  std::vector<int> chosen = ordinals;
  if (all) {
    chosen.resize(count);
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  for (const int ordinal : chosen) {
    if (static_cast<std::size_t>(ordinal) < count) continue;
    throw base::MachineError(
        fmt::format("there is no GPU {}; the number of GPUs in this machine is {}", ordinal, count),
        "list them with `warptune devices`");
  }
  return chosen;
}

std::vector<std::vector<int>> devices_by_model(const std::vector<model::GpuDescription>& gpus,
                                               const std::vector<int>& chosen) {
  std::vector<std::vector<int>> models;
  for (const int ordinal : chosen) {
    const std::string key = gpus.at(static_cast<std::size_t>(ordinal)).key();
    const auto same = std::find_if(models.begin(), models.end(), [&](const std::vector<int>& model) {
      return gpus.at(static_cast<std::size_t>(model.front())).key() == key;
    });
    if (same == models.end()) {
      models.push_back({ordinal});
    } else {
      same->push_back(ordinal);
    }
  }
  return models;
}

std::vector<std::string> listed_items(const std::string& option, const std::string& text) {
  std::vector<std::string> items;
  for (const std::string& item : base::split(text, ',')) {
    items.emplace_back(base::trim(item));
    if (items.back().empty()) throw base::InputError(fmt::format("--{} {}: an item is empty", option, text));
  }
  return items;
}

}  // namespace warptune::tuner::gpus
