// Writes each constraint as a function, and `is_valid`, which calls all of them.
#include "db/formats/cpp_header/header_constraints.h"

#include "db/formats/constraint_to_cpp.h"
#include "db/formats/cpp_text.h"

namespace warptune::db::formats::cpp_header {

std::vector<std::string> write_constraints(const HeaderFields& fields, HeaderLines& out) {
  std::vector<std::string> checks;
  const CppNames names = fields.cpp_names();
  for (const model::Constraint& constraint : fields.kernel().constraints) {
    const std::string& expression = constraint.expression.text();
    const Translation translation = constraint_to_cpp(expression, names);
    if (!translation.code) {
      out.line("// Not checked, because this header has no {}: {}\n", comment_text(translation.missing),
               comment_text(expression));
      continue;
    }
    const std::string reason = constraint.reason.empty() ? "" : ": " + constraint.reason;
    out.line("/// {}{}", comment_text(expression), comment_text(reason));
    out.line(
        "WARPTUNE_HD constexpr bool constraint_{}(const Config& config, const Problem& problem, const "
        "Device& device) {{",
        checks.size());
    out.line("  static_cast<void>(config);\n  static_cast<void>(problem);\n  static_cast<void>(device);");
    for (const std::string& variable : constraint.expression.variables()) {
      const auto found = names.find(variable);
      if (found->second.rfind("device.", 0) == 0)
        out.line("  if ({} == 0) return true;  // unknown, so not checked", found->second);
    }
    out.line("  return warptune_detail::holds({});\n}}\n", *translation.code);
    checks.push_back(expression + reason);
  }
  out.line("/// Whether a configuration meets all constraints above for a problem on a device.");
  out.line(
      "WARPTUNE_HD constexpr bool is_valid(const Config& config, const Problem& problem, const Device& "
      "device) {{");
  out.line("  static_cast<void>(config);\n  static_cast<void>(problem);\n  static_cast<void>(device);");
  for (std::size_t i = 0; i < checks.size(); ++i)
    out.line("  if (!constraint_{}(config, problem, device)) return false;", i);
  out.line("  return true;\n}}\n");
  return checks;
}

}  // namespace warptune::db::formats::cpp_header
