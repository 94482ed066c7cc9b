// The members of an exported header's `Config` and `Problem`: their names, types and literals.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/formats/constraint_to_cpp.h"
#include "db/header_export.h"

namespace warptune::db::formats::cpp_header {

/// A member of `Config` or `Problem`.
struct HeaderField {
  std::string name;  ///< The name in the definition.
  std::string cpp;   ///< The name in the header.
  std::string type;  ///< The C++ type in the header.
  model::ValueType kind = model::ValueType::kInteger;
};

/// The members of one kernel's structures, and the winners that have values for all of them.
class HeaderFields {
 public:
  /// `kernel` is borrowed.
  explicit HeaderFields(const ExportInput& kernel);

  const ExportInput& kernel() const { return kernel_; }
  const std::vector<HeaderField>& config() const { return config_; }
  const std::vector<HeaderField>& problem() const { return problem_; }
  /// Returns the known texts of a text entry of the problem, and their enumerators. The enumerator `other`,
  /// which stands for all other texts, is not among them.
  const std::vector<std::pair<std::string, std::string>>& enumerators(const HeaderField& field) const {
    return enumerators_.at(field.name);
  }
  /// The winners whose problem has exactly the entries of the definition. Others would not fit into
  /// `Problem`.
  const std::vector<const Winner*>& rows() const { return rows_; }
  /// What the definition recommends, up to the first condition or cost that the header cannot have. Those
  /// after it, and those of its group, are left out: whether they answer depends on it.
  const std::vector<const ExportedRecommendation*>& recommendations() const { return recommendations_; }
  /// The place in `recommendations()` where the group of one begins. One without a cost is its own group.
  std::size_t group_of(std::size_t at) const;
  /// The first condition or cost that the header cannot have; empty if all can be exported.
  const std::string& first_untranslated() const { return first_untranslated_; }
  /// Maps the names that constraints may use to C++ code, such as `config.BLOCK`.
  CppNames cpp_names() const;

  std::string config_literal(const model::NamedValues& configuration) const;
  std::string problem_literal(const model::NamedValues& problem) const;
  /// The literal of a member of `Config`.
  static std::string config_value(const HeaderField& field, const model::Value& value);
  std::string problem_value(const HeaderField& field, const model::Value& value) const;

 private:
  std::string problem_type(const std::string& name, model::ValueType kind);
  void read_config();
  void read_problem();
  void read_enumerators(const std::string& name);
  void read_rows();
  void read_recommendations();

  const ExportInput& kernel_;
  std::vector<HeaderField> config_;
  std::vector<HeaderField> problem_;
  std::set<std::string> enumeration_names_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> enumerators_;  // Text, enumerator.
  std::vector<const Winner*> rows_;
  std::vector<const ExportedRecommendation*> recommendations_;
  std::string first_untranslated_;
};

/// The namespace of each kernel of an export.
std::vector<std::string> namespaces(const std::vector<ExportInput>& kernels);

}  // namespace warptune::db::formats::cpp_header
