// Writes the types of one kernel's namespace.
#include "db/formats/cpp_header/header_types.h"

#include <algorithm>
#include <string>
#include <vector>

#include "db/formats/cpp_text.h"

namespace warptune::db::formats::cpp_header {

namespace {

void write_enumerations(const HeaderFields& fields, HeaderLines& out) {
  for (const HeaderField& field : fields.problem()) {
    if (field.kind != model::ValueType::kText) continue;
    std::vector<std::string> names;
    for (const auto& [text, enumerator] : fields.enumerators(field)) names.push_back(enumerator);
    out.line("/// The known values of the problem's entry {}. `other` has no rows.",
             comment_text(field.name));
    out.line("enum class {} {{ {}, other }};", field.type, fmt::join(names, ", "));
    out.line("WARPTUNE_HD constexpr const char* text_of({} name) {{", field.type);
    for (const auto& [text, enumerator] : fields.enumerators(field)) {
      out.line("  if (name == {}::{}) return {};", field.type, enumerator, string_literal(text));
    }
    out.line("  return \"\";\n}}");
    out.line("WARPTUNE_HD constexpr {} {}_of(const char* text) {{", field.type, field.cpp);
    for (const auto& [text, enumerator] : fields.enumerators(field)) {
      out.line("  if (warptune_detail::same_text(text, {})) return {}::{};", string_literal(text), field.type,
               enumerator);
    }
    out.line("  return {}::other;\n}}\n", field.type);
  }
}

void write_structs(const HeaderFields& fields, HeaderLines& out) {
  out.line("/// A configuration: one value for each tunable parameter.");
  out.line("struct Config {{");
  for (const HeaderField& field : fields.config()) out.line("  {} {};", field.type, field.cpp);
  out.line("}};");
  out.line("WARPTUNE_HD constexpr bool operator==(const Config& a, const Config& b) {{");
  out.line("  static_cast<void>(a);\n  static_cast<void>(b);");
  for (const HeaderField& field : fields.config()) {
    const bool text = field.kind == model::ValueType::kText;
    if (text) out.line("  if (!warptune_detail::same_text(a.{0}, b.{0})) return false;", field.cpp);
    if (!text) out.line("  if (a.{0} < b.{0} || a.{0} > b.{0}) return false;", field.cpp);
  }
  out.line("  return true;\n}}");
  out.line(
      "WARPTUNE_HD constexpr bool operator!=(const Config& a, const Config& b) {{ return !(a == b); }}\n");
  out.line("/// The sizes and types of a problem. The defaults are those of the kernel definition.");
  out.line("struct Problem {{");
  for (const HeaderField& field : fields.problem()) {
    out.line("  {} {} = {};", field.type, field.cpp,
             fields.problem_value(field, *model::find(fields.kernel().problem, field.name)));
  }
  out.line("}};\n");
}

void write_ratio(const HeaderFields& fields, HeaderLines& out) {
  std::vector<HeaderField> sorted = fields.problem();
  std::sort(sorted.begin(), sorted.end(),
            [](const HeaderField& a, const HeaderField& b) { return a.name < b.name; });
  out.line(
      "/// The distance of two problems: the product of the ratios of their sizes. It is 1 for the same "
      "problem and 0 if other entries differ.");
  out.line("WARPTUNE_HD constexpr double size_ratio(const Problem& asked, const Problem& stored) {{");
  out.line("  static_cast<void>(asked);\n  static_cast<void>(stored);\n  double ratio = 1.0;");
  for (const HeaderField& field : sorted) {
    const bool number = field.kind == model::ValueType::kInteger || field.kind == model::ValueType::kReal;
    if (number) {
      out.line(
          "  ratio *= warptune_detail::ratio_of(static_cast<double>(asked.{0}), "
          "static_cast<double>(stored.{0}));",
          field.cpp);
    } else {
      out.line("  ratio *= asked.{0} == stored.{0} ? 1.0 : 0.0;", field.cpp);
    }
  }
  out.line("  return ratio;\n}}\n");
}

}  // namespace

void write_types(const HeaderFields& fields, HeaderLines& out) {
  write_enumerations(fields, out);
  write_structs(fields, out);
  write_ratio(fields, out);
}

}  // namespace warptune::db::formats::cpp_header
