#include "db/formats/cpp_header/header_recommendations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/formats/constraint_to_cpp.h"
#include "db/formats/cpp_header/header_text.h"
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

bool has_costs(const HeaderFields& fields) {
  const std::vector<const ExportedRecommendation*>& all = fields.recommendations();
  return std::any_of(all.begin(), all.end(), [](const auto* one) { return one->cost.has_value(); });
}

void write_costs(const HeaderFields& fields, HeaderLines& out) {
  const CppNames names = fields.cpp_names();
  out.line(
      "/// The cost of recommendation `i` for a problem on a device; lower is better. It is 0 if none is "
      "written,\n"
      "/// and not a number (`warptune_detail::is_number`) if it cannot be computed.");
  out.line(
      "WARPTUNE_HD constexpr warptune_detail::Cell recommended_cost(int i, const Problem& problem,\n"
      "                                                             const Device& device) {{");
  out.line("  static_cast<void>(i);\n{}", kUnused);
  for (std::size_t i = 0; i < fields.recommendations().size(); ++i) {
    const std::optional<std::string>& cost = fields.recommendations()[i]->cost;
    if (!cost) continue;
    out.line("  if (i == {}) {{  // {}", i, comment_text(*cost));
    if (const std::string unknown = any_unknown(*cost, names); !unknown.empty())
      out.line("    if ({}) return warptune_detail::failed();  // unknown",
               unknown.substr(0, unknown.size() - 4));
    out.line("    return {};\n  }}", *constraint_to_cpp(*cost, names).code);
  }
  out.line("  return warptune_detail::cell(0);\n}}\n");
}

// Only groups of two or more need a line.
void write_groups(const HeaderFields& fields, HeaderLines& out) {
  out.line("/// The first recommendation of the group of `i`. The costs of a group are compared.");
  out.line("WARPTUNE_HD constexpr int recommended_group(int i) {{");
  const std::size_t count = fields.recommendations().size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = fields.group_of(i);
    const bool is_last = i + 1 == count || fields.group_of(i + 1) != begin;
    if (is_last && begin < i) out.line("  if (i >= {0} && i <= {1}) return {0};", begin, i);
  }
  out.line("  return i;\n}}\n");
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
    const std::string_view computed =
        fields.recommendations()[i]->cost
            ? " &&\n           warptune_detail::is_number(recommended_cost(i, problem, device))"
            : "";
    out.line("    return warptune_detail::holds({}){};\n  }}", *constraint_to_cpp(when, names).code,
             computed);
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
  if (const std::string& left_out = fields.first_untranslated(); !left_out.empty()) {
    out.line("// From here on, recommendations are left out, because this header has no {}: {}\n",
             comment_text(constraint_to_cpp(left_out, fields.cpp_names()).missing), comment_text(left_out));
  }
  if (has_costs(fields)) {
    write_costs(fields, out);
    write_groups(fields, out);
  }
  write_conditions(fields, out);
  write_limits(fields, out);
}

std::string_view recommendation_walk(const HeaderFields& fields) {
  return has_costs(fields) ? kHeaderCheapestRecommendation : kHeaderFirstRecommendation;
}

}  // namespace warptune::db::formats::cpp_header
