#include "model/renaming.h"

#include <algorithm>
#include <utility>

namespace warptune::model {

namespace {

const RenamedName* find_name(const std::vector<RenamedName>& names, const std::string& before) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const RenamedName& name) { return name.before == before; });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace

NamedValues Renaming::renamed(NamedValues values) const {
  for (auto& [name, value] : values) {
    const RenamedName* change = find_name(names, name);
    if (change == nullptr) continue;
    name = change->after;
    auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) continue;
    const auto found = std::find_if(change->values.begin(), change->values.end(),
                                    [&](const auto& pair) { return pair.first == *text; });
    if (found != change->values.end()) *text = found->second;
  }
  return values;
}

NamedValues Renaming::renamed_configuration(NamedValues values) const {
  values = renamed(std::move(values));
  for (const auto& one : added) {
    if (find(values, one.first) == nullptr) values.push_back(one);
  }
  return values;
}

std::string Renaming::renamed(const std::string& name) const {
  const RenamedName* change = find_name(names, name);
  return change == nullptr ? name : change->after;
}

bool Renaming::is_identical(const NamedValues& problem) const {
  return identical && identical->evaluate(problem).and_then(to_truth).value_or(false);
}

Renaming Renaming::reversed() const {
  Renaming back{kernel, after, before, names, std::nullopt};
  for (RenamedName& name : back.names) {
    std::swap(name.before, name.after);
    for (auto& [first, second] : name.values) std::swap(first, second);
  }
  return back;
}

const Renaming* find_renaming(const std::vector<Renaming>& renamings, std::string_view hash) {
  const auto found = std::find_if(renamings.begin(), renamings.end(),
                                  [&](const Renaming& renaming) { return renaming.before == hash; });
  return found == renamings.end() ? nullptr : &*found;
}

}  // namespace warptune::model
