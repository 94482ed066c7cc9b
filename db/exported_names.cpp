#include "db/exported_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "db/formats/constraint_to_cpp.h"
#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_text.h"
#include "db/formats/exported_winners.h"

namespace warptune::db {

std::vector<ExportedNames> exported_names(const std::vector<ExportInput>& kernels) {
  const std::vector<std::string> name_spaces = formats::cpp_header::namespaces(kernels);
  std::vector<ExportedNames> all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const formats::cpp_header::HeaderFields fields(kernels[i]);
    ExportedNames names{name_spaces[i], fields.rows(), fields.cpp_names(), {}, fields.recommendations()};
    for (const auto* members : {&fields.config(), &fields.problem()}) {
      for (const formats::cpp_header::HeaderField& field : *members) names.fields.push_back(field.cpp);
    }
    all.push_back(std::move(names));
  }
  return all;
}

std::string cell_text(const std::string& expression, const std::map<std::string, std::string>& members) {
  formats::Translation translation = formats::constraint_to_cpp(expression, members);
  if (translation.code) return std::move(*translation.code);
  throw base::InputError(
      fmt::format("cannot export '{}', because an exported file has no {}", expression, translation.missing));
}

std::string cpp_string(std::string_view text) { return formats::string_literal(text); }

std::string cpp_comment(std::string_view text) { return formats::comment_text(text); }

std::string row_evidence(const Winner& winner, bool has_check) {
  return formats::evidence(winner, has_check);
}

std::size_t count_unconfirmed(const ExportInput& kernel) {
  if (!kernel.has_check) return 0;
  const std::vector<const Winner*> rows = formats::exportable(kernel);
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const Winner* winner) { return formats::is_unconfirmed(winner->best); }));
}

}  // namespace warptune::db
