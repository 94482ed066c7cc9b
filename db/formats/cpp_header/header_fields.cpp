// Chooses the members of an exported header's `Config` and `Problem` from a kernel's parameters, problem and
// winners.
#include "db/formats/cpp_header/header_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "db/formats/cpp_header/header_text.h"
#include "db/formats/cpp_text.h"
#include "db/formats/exported_winners.h"

namespace warptune::db::formats::cpp_header {

namespace {

std::string integer_type(const std::vector<model::Value>& values) {
  for (const model::Value& value : values) {
    const std::int64_t number = std::get<std::int64_t>(value);
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
      return "long long";
  }
  return "int";
}

std::string config_type(const model::Parameter& parameter) {
  switch (model::type_of(parameter.values.front())) {
    case model::ValueType::kBoolean:
      return "bool";
    case model::ValueType::kInteger:
      return integer_type(parameter.values);
    case model::ValueType::kReal:
      return "double";
    case model::ValueType::kText:
      break;
  }
  return "const char*";
}

}  // namespace

HeaderFields::HeaderFields(const ExportInput& kernel) : kernel_(kernel) {
  read_config();
  read_problem();
  read_rows();
  read_recommendations();
}

void HeaderFields::read_recommendations() {
  const CppNames names = cpp_names();
  for (const ExportedRecommendation& one : kernel_.recommendations) {
    recommendations_.push_back(&one);
    if (!constraint_to_cpp(one.when, names).code) {
      first_untranslated_ = one.when;
    } else if (one.cost && !constraint_to_cpp(*one.cost, names).code) {
      first_untranslated_ = *one.cost;
    }
    if (first_untranslated_.empty()) continue;
    recommendations_.resize(group_of(recommendations_.size() - 1));
    return;
  }
}

std::size_t HeaderFields::group_of(std::size_t at) const {
  while (at > 0 && recommendations_[at]->cost && recommendations_[at - 1]->cost) --at;
  return at;
}

void HeaderFields::read_config() {
  std::set<std::string> taken;
  for (const model::Parameter& parameter : kernel_.parameters) {
    config_.push_back({parameter.name, unique_identifier(parameter.name, taken), config_type(parameter),
                       model::type_of(parameter.values.front())});
  }
}

std::string HeaderFields::problem_type(const std::string& name, model::ValueType kind) {
  switch (kind) {
    case model::ValueType::kBoolean:
      return "bool";
    case model::ValueType::kInteger:
      return "long long";
    case model::ValueType::kReal:
      return "double";
    case model::ValueType::kText:
      break;
  }
  std::string pascal = identifier(name);
  if (pascal.front() >= 'a' && pascal.front() <= 'z')
    pascal.front() = static_cast<char>(pascal.front() - 'a' + 'A');
  return unique_identifier(pascal + "Name", enumeration_names_);
}

void HeaderFields::read_problem() {
  std::set<std::string> taken;
  for (const auto& [name, value] : kernel_.problem) {
    const model::ValueType kind = model::type_of(value);
    problem_.push_back({name, unique_identifier(name, taken), problem_type(name, kind), kind});
    if (kind == model::ValueType::kText) read_enumerators(name);
  }
}

void HeaderFields::read_enumerators(const std::string& name) {
  std::set<std::string> known;
  const auto add = [&](const model::NamedValues& problem) {
    const model::Value* value = model::find(problem, name);
    if (value != nullptr && model::type_of(*value) == model::ValueType::kText)
      known.insert(std::get<std::string>(*value));
  };
  add(kernel_.problem);
  for (const Winner* winner : exportable(kernel_)) add(winner->workload.problem);
  std::set<std::string> taken = {"other"};
  for (const std::string& text : known) enumerators_[name].emplace_back(text, unique_identifier(text, taken));
}

void HeaderFields::read_rows() {
  for (const Winner* winner : exportable(kernel_)) {
    const model::NamedValues& problem = winner->workload.problem;
    const bool complete = std::all_of(problem_.begin(), problem_.end(), [&](const HeaderField& field) {
      const model::Value* value = model::find(problem, field.name);
      return value != nullptr && model::type_of(*value) == field.kind;
    });
    if (complete && problem.size() == problem_.size()) rows_.push_back(winner);
  }
}

CppNames HeaderFields::cpp_names() const {
  CppNames names;
  for (const std::string& attribute : kDeviceAttributes) names["device_" + attribute] = "device." + attribute;
  for (const HeaderField& field : problem_) {
    const bool text = field.kind == model::ValueType::kText;
    names[field.name] = text ? "text_of(problem." + field.cpp + ")" : "problem." + field.cpp;
  }
  for (const HeaderField& field : config_) names[field.name] = "config." + field.cpp;
  return names;
}

std::string HeaderFields::config_literal(const model::NamedValues& configuration) const {
  const std::vector<model::Value> values = in_order(kernel_, configuration);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < config_.size(); ++i) parts.push_back(config_value(config_[i], values[i]));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string HeaderFields::config_value(const HeaderField& field, const model::Value& value) {
  std::string text = literal(value);
  if (field.type == "int") text.resize(text.size() - 2);  // Removes LL.
  return text;
}

std::string HeaderFields::problem_value(const HeaderField& field, const model::Value& value) const {
  if (field.kind != model::ValueType::kText) return literal(value);
  for (const auto& [text, enumerator] : enumerators(field)) {
    if (text == std::get<std::string>(value)) return field.type + "::" + enumerator;
  }
  return field.type + "::other";
}

std::string HeaderFields::problem_literal(const model::NamedValues& problem) const {
  std::vector<std::string> parts;
  for (const HeaderField& field : problem_)
    parts.push_back(problem_value(field, *model::find(problem, field.name)));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::vector<std::string> namespaces(const std::vector<ExportInput>& kernels) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const ExportInput& kernel : kernels) {
    // Kernels with the same name are distinguished by their hashes, so that their namespaces do not depend on
    // the order of the export.
    const std::string hash = distinction(kernel, kernels);
    names.push_back(unique_identifier("warptune_" + kernel.kernel + (hash.empty() ? "" : "_" + hash), taken));
  }
  return names;
}

}  // namespace warptune::db::formats::cpp_header
