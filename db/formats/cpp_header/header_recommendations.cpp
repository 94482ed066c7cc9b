#include "db/formats/cpp_header/header_recommendations.h"

#include <string>

#include "db/formats/constraint_to_cpp.h"
#include "db/formats/cpp_text.h"
#include "db/lookup.h"

namespace warptune::db::formats::cpp_header {

namespace {

constexpr const char* kUnused = "  static_cast<void>(problem);\n  static_cast<void>(device);";

// The end of an `if` that leaves a function where an attribute that the expression uses is unknown.
std::string any_unknown(const std::string& expression, const CppNames& names) {
  std::string unknown;
  const model::Expression parsed = model::Expression::parse(expression);
  for (const std::string& variable : parsed.variables()) {
    const std::string& member = names.at(variable);
    if (member.rfind("device.", 0) == 0) unknown += fmt::format("{} == 0 || ", member);
  }
  return unknown;
}

void write_conditions(const HeaderFields& fields, HeaderLines& out) {
  const CppNames names = fields.cpp_names();
  out.line("/// Whether the condition of recommendation `i` holds for a problem on a device.");
  out.line(
      "WARPTUNE_HD constexpr bool is_recommended(int i, const Problem& problem, const Device& device) {{");
  out.line("  static_cast<void>(i);\n{}", kUnused);
  for (std::size_t i = 0; i < fields.recommendations().size(); ++i) {
    const std::string& when = fields.recommendations()[i]->when;
    out.line("  if (i == {}) {{  // {}", i, comment_text(when));
    if (const std::string unknown = any_unknown(when, names); !unknown.empty())
      out.line("    if ({}) return false;  // unknown", unknown.substr(0, unknown.size() - 4));
    out.line("    return warptune_detail::holds({});\n  }}", *constraint_to_cpp(when, names).code);
  }
  out.line("  return false;\n}}\n");
}

void write_limits(const HeaderFields& fields, HeaderLines& out) {
  const CppNames names = fields.cpp_names();
  out.line("/// Whether launches of a configuration stay within the limits of the device that are known.");
  out.line(
      "WARPTUNE_HD constexpr bool can_launch(const Config& config, const Problem& problem, const Device& "
      "device) {{");
  out.line("  static_cast<void>(config);\n{}", kUnused);
  for (const std::string& limit : fields.kernel().launch_limits) {
    const Translation translation = constraint_to_cpp(limit, names);
    if (!translation.code) {
      out.line("  // Not checked, because this header has no {}: {}", comment_text(translation.missing),
               comment_text(limit));
      continue;
    }
    out.line("  // {}", comment_text(limit));
    out.line("  if (!({}warptune_detail::holds({}))) return false;", any_unknown(limit, names),
             *translation.code);
  }
  out.line("  return true;\n}}\n");
}

}  // namespace

void write_recommendations(const HeaderFields& fields, HeaderLines& out) {
  out.line("/// How many configurations the definition recommends for problems without a row of their own.");
  out.line("inline constexpr int recommended_count = {};\n", fields.recommendations().size());
  out.line("/// The largest `size_ratio` at which a row answers although something is recommended.");
  out.line("inline constexpr double max_ratio_beside_recommended = {:.1f};\n", kMaxRatioBesideRecommended);
  if (const ExportedRecommendation* left_out = fields.first_untranslated()) {
    out.line("// From here on, recommendations are left out, because this header has no {}: {}\n",
             comment_text(constraint_to_cpp(left_out->when, fields.cpp_names()).missing),
             comment_text(left_out->when));
  }
  write_conditions(fields, out);
  write_limits(fields, out);
}

}  // namespace warptune::db::formats::cpp_header
