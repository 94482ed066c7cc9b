#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/hash.h"
#include "db/formats/constraint_to_cpp.h"
#include "db/formats/cpp_text.h"
#include "db/formats/formats.h"
#include "db/formats/header_support.h"
#include "db/formats/header_text.h"

namespace warptune::db::formats {

namespace {

struct Field {
  std::string name;  // As in the definition.
  std::string cpp;   // As in the header.
  std::string type;
  model::ValueType kind = model::ValueType::kInteger;
};

// Writes one kernel's namespace.
class KernelWriter {
 public:
  KernelWriter(const ExportInput& kernel, std::string name_space)
      : kernel_(kernel), name_space_(std::move(name_space)) {
    read_config_fields();
    read_problem_fields();
    read_rows();
  }

  std::string run() {
    line("namespace {} {{\n", name_space_);
    line("using Device = warptune_detail::Device;");
    line("using Match = warptune_detail::Match;");
    line("using warptune_detail::device_of;\n");
    line(
        "/// Hash of what these results hold for: source with its includes, parameters, constraints and "
        "flags.");
    line("inline constexpr char kernel_hash[] = {};", string_literal(kernel_.kernel_hash));
    line("static_assert(sizeof(kernel_hash) == {} + 1, \"the kernel hash was altered\");\n",
         kernel_.kernel_hash.size());
    write_enumerations();
    write_structs();
    write_ratio();
    write_constraints();
    write_table();
    text_ += kHeaderSelection;
    write_checks();
    write_choices();
    line("}}  // namespace {}", name_space_);
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  static std::string integer_type(const std::vector<model::Value>& values) {
    for (const model::Value& value : values) {
      const std::int64_t number = std::get<std::int64_t>(value);
      if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
        return "long long";
    }
    return "int";
  }

  static std::string config_type(const model::Parameter& parameter) {
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

  void read_config_fields() {
    std::set<std::string> taken;
    for (const model::Parameter& parameter : kernel_.parameters) {
      config_.push_back({parameter.name, unique_identifier(parameter.name, taken), config_type(parameter),
                         model::type_of(parameter.values.front())});
    }
  }

  std::string problem_type(const std::string& name, model::ValueType kind) {
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

  void read_problem_fields() {
    std::set<std::string> taken;
    for (const auto& [name, value] : kernel_.problem) {
      const model::ValueType kind = model::type_of(value);
      problem_.push_back({name, unique_identifier(name, taken), problem_type(name, kind), kind});
      if (kind == model::ValueType::kText) read_enumerators(name);
    }
  }

  // The names known of a text entry: the default's and the winners', sorted.
  void read_enumerators(const std::string& name) {
    std::set<std::string> known;
    const auto add = [&](const model::NamedValues& problem) {
      const model::Value* value = model::find(problem, name);
      if (value != nullptr && model::type_of(*value) == model::ValueType::kText)
        known.insert(std::get<std::string>(*value));
    };
    add(kernel_.problem);
    for (const Winner* winner : exportable(kernel_)) add(winner->subject.problem);
    std::set<std::string> taken = {"other"};
    for (const std::string& text : known)
      enumerators_[name].emplace_back(text, unique_identifier(text, taken));
  }

  // Winners whose problem has the definition's entries; others cannot be told apart by them.
  void read_rows() {
    for (const Winner* winner : exportable(kernel_)) {
      const model::NamedValues& problem = winner->subject.problem;
      const bool complete = std::all_of(problem_.begin(), problem_.end(), [&](const Field& field) {
        const model::Value* value = model::find(problem, field.name);
        return value != nullptr && model::type_of(*value) == field.kind;
      });
      if (complete && problem.size() == problem_.size()) rows_.push_back(winner);
    }
  }

  std::string config_literal(const model::NamedValues& configuration) const {
    const std::vector<model::Value> values = in_order(kernel_, configuration);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < config_.size(); ++i) parts.push_back(field_literal(config_[i], values[i]));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }

  static std::string field_literal(const Field& field, const model::Value& value) {
    std::string text = literal(value);
    if (field.type == "int") text.resize(text.size() - 2);  // Without LL.
    return text;
  }

  std::string problem_value(const Field& field, const model::Value& value) const {
    if (field.kind != model::ValueType::kText) return literal(value);
    for (const auto& [text, enumerator] : enumerators_.at(field.name)) {
      if (text == std::get<std::string>(value)) return field.type + "::" + enumerator;
    }
    return field.type + "::other";
  }

  std::string problem_literal(const model::NamedValues& problem) const {
    std::vector<std::string> parts;
    for (const Field& field : problem_)
      parts.push_back(problem_value(field, *model::find(problem, field.name)));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }

  void write_enumerations() {
    for (const Field& field : problem_) {
      if (field.kind != model::ValueType::kText) continue;
      std::vector<std::string> names;
      for (const auto& [text, enumerator] : enumerators_.at(field.name)) names.push_back(enumerator);
      line("/// What problem entry {} can be; `other` has no rows.", comment_text(field.name));
      line("enum class {} {{ {}, other }};", field.type, fmt::join(names, ", "));
      line("WARPTUNE_HD constexpr const char* text_of({} name) {{", field.type);
      for (const auto& [text, enumerator] : enumerators_.at(field.name)) {
        line("  if (name == {}::{}) return {};", field.type, enumerator, string_literal(text));
      }
      line("  return \"\";\n}}");
      line("WARPTUNE_HD constexpr {} {}_of(const char* text) {{", field.type, field.cpp);
      for (const auto& [text, enumerator] : enumerators_.at(field.name)) {
        line("  if (warptune_detail::same_text(text, {})) return {}::{};", string_literal(text), field.type,
             enumerator);
      }
      line("  return {}::other;\n}}\n", field.type);
    }
  }

  void write_structs() {
    line("/// One choice of the tunable parameters.");
    line("struct Config {{");
    for (const Field& field : config_) line("  {} {};", field.type, field.cpp);
    line("}};");
    line("WARPTUNE_HD constexpr bool operator==(const Config& a, const Config& b) {{");
    line("  static_cast<void>(a);\n  static_cast<void>(b);");
    for (const Field& field : config_) {
      const bool text = field.kind == model::ValueType::kText;
      if (text) line("  if (!warptune_detail::same_text(a.{0}, b.{0})) return false;", field.cpp);
      if (!text) line("  if (a.{0} < b.{0} || a.{0} > b.{0}) return false;", field.cpp);
    }
    line("  return true;\n}}");
    line("WARPTUNE_HD constexpr bool operator!=(const Config& a, const Config& b) {{ return !(a == b); }}\n");
    line("/// The sizes and types that are asked for; as they stand, the definition's own.");
    line("struct Problem {{");
    for (const Field& field : problem_) {
      line("  {} {} = {};", field.type, field.cpp,
           problem_value(field, *model::find(kernel_.problem, field.name)));
    }
    line("}};\n");
  }

  void write_ratio() {
    std::vector<Field> sorted = problem_;
    std::sort(sorted.begin(), sorted.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
    line(
        "/// How far two problems are apart: the product of the size ratios, 1 when they are the same, 0 "
        "when other types part them.");
    line("WARPTUNE_HD constexpr double size_ratio(const Problem& asked, const Problem& stored) {{");
    line("  static_cast<void>(asked);\n  static_cast<void>(stored);\n  double ratio = 1.0;");
    for (const Field& field : sorted) {
      const bool number = field.kind == model::ValueType::kInteger || field.kind == model::ValueType::kReal;
      if (number) {
        line(
            "  ratio *= warptune_detail::ratio_of(static_cast<double>(asked.{0}), "
            "static_cast<double>(stored.{0}));",
            field.cpp);
      } else {
        line("  ratio *= asked.{0} == stored.{0} ? 1.0 : 0.0;", field.cpp);
      }
    }
    line("  return ratio;\n}}\n");
  }

  CppNames cpp_names() const {
    CppNames names;
    for (const std::string& attribute : kDeviceAttributes)
      names["device_" + attribute] = "device." + attribute;
    for (const Field& field : problem_) {
      const bool text = field.kind == model::ValueType::kText;
      names[field.name] = text ? "text_of(problem." + field.cpp + ")" : "problem." + field.cpp;
    }
    for (const Field& field : config_) names[field.name] = "config." + field.cpp;
    return names;
  }

  void write_constraints() {
    const CppNames names = cpp_names();
    for (const model::Constraint& constraint : kernel_.constraints) {
      const std::string& expression = constraint.expression.text();
      const Translation translation = constraint_to_cpp(expression, names);
      if (!translation.code) {
        line("// Not checked, for {} is not known here: {}\n", comment_text(translation.missing),
             comment_text(expression));
        continue;
      }
      const std::string reason = constraint.reason.empty() ? "" : ": " + constraint.reason;
      line("/// {}{}", comment_text(expression), comment_text(reason));
      line(
          "WARPTUNE_HD constexpr bool constraint_{}(const Config& config, const Problem& problem, const "
          "Device& device) {{",
          checks_.size());
      line("  static_cast<void>(config);\n  static_cast<void>(problem);\n  static_cast<void>(device);");
      for (const std::string& variable : constraint.expression.variables()) {
        const auto found = names.find(variable);
        if (found->second.rfind("device.", 0) == 0)
          line("  if ({} == 0) return true;  // unknown", found->second);
      }
      line("  return warptune_detail::holds({});\n}}\n", *translation.code);
      checks_.push_back(expression + reason);
    }
    line("/// Whether a configuration meets every constraint above for a problem on a device.");
    line(
        "WARPTUNE_HD constexpr bool is_valid(const Config& config, const Problem& problem, const Device& "
        "device) {{");
    line("  static_cast<void>(config);\n  static_cast<void>(problem);\n  static_cast<void>(device);");
    for (std::size_t i = 0; i < checks_.size(); ++i)
      line("  if (!constraint_{}(config, problem, device)) return false;", i);
    line("  return true;\n}}\n");
  }

  static std::string device_literal(const model::GpuDescription& gpu) {
    return fmt::format("{{{}, {}, {}LL, {}LL, {}LL, {}, {}, {}LL, {}LL, {}LL, {}LL, {}LL}}",
                       gpu.compute_major * 10 + gpu.compute_minor, gpu.sm_count, gpu.l2_bytes,
                       gpu.memory_bandwidth_bytes_per_s, gpu.max_clock_khz, gpu.ecc ? 1 : 0, gpu.mig ? 1 : 0,
                       gpu.max_threads_per_block, gpu.max_threads_per_sm, gpu.registers_per_sm,
                       gpu.shared_bytes_per_block_optin, gpu.shared_bytes_per_sm);
  }

  void write_table() {
    text_ += kHeaderRow;
    line("inline constexpr int row_count = {};\n", rows_.size());
    line("/// The rows, then the default configuration.");
    line("struct Table {{\n  Row rows[row_count + 1];\n}};");
    line("WARPTUNE_HD constexpr Table make_table() {{\n  return {{{{");
    for (const Winner* winner : rows_) {
      const model::ResourceUse& use = winner->best.resources;
      const double default_ns =
          winner->default_measurement ? winner->default_measurement->time.median_ns : 0.0;
      line("      // {}", comment_text(evidence(*winner)));
      line("      {{{},\n       {},\n       {},\n       {}, {}, {}, {}, {}LL}},",
           device_literal(winner->subject.gpu), problem_literal(winner->subject.problem),
           config_literal(winner->best.configuration), real_literal(winner->best.time.median_ns),
           real_literal(default_ns), use.threads_per_block, use.registers_per_thread,
           use.static_shared_bytes + use.dynamic_shared_bytes);
    }
    line("      // The default configuration.");
    line("      {{{{}}, {{}}, {}, 0.0, 0.0, 0, 0, 0LL}},", config_literal(kernel_.default_configuration));
    line("  }}}};\n}}");
    line("inline constexpr Table table = make_table();\n");
  }

  void write_checks() {
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      line("static_assert(every_row_meets(table, constraint_{}), {});", i,
           string_literal("a row breaks " + checks_[i]));
    }
    line("static_assert(rows_are_unique(table), \"two rows have the same GPU and problem\");\n");
  }

  std::vector<model::NamedValues> distinct_configurations() const {
    std::vector<model::NamedValues> distinct;
    std::set<std::string> seen;
    const auto add = [&](const model::NamedValues& configuration) {
      if (seen.insert(config_literal(configuration)).second) distinct.push_back(configuration);
    };
    for (const Winner* winner : rows_) add(winner->best.configuration);
    add(kernel_.default_configuration);
    return distinct;
  }

  void write_choices() {
    const std::vector<model::NamedValues> distinct = distinct_configurations();
    for (std::size_t i = 0; i < distinct.size(); ++i) {
      const std::vector<model::Value> values = in_order(kernel_, distinct[i]);
      line("struct Choice{} {{", i);
      for (std::size_t j = 0; j < config_.size(); ++j) {
        line("  static constexpr {} {} = {};", config_[j].type, config_[j].cpp,
             field_literal(config_[j], values[j]));
      }
      line("  WARPTUNE_HD static constexpr Config config() {{ return {}; }}\n}};",
           config_literal(distinct[i]));
    }
    text_ += kHeaderDispatchComment;
    line("inline constexpr int choice_count = {};", distinct.size());
    line("#if defined(__CUDACC__)\n#pragma nv_exec_check_disable\n#endif");
    line(
        "template <class Function>\nWARPTUNE_HD constexpr bool dispatch(const Config& config, Function&& "
        "function) {{");
    for (std::size_t i = 0; i < distinct.size(); ++i) {
      line("  if (config == Choice{0}::config()) {{\n    function(Choice{0}{{}});\n    return true;\n  }}",
           i);
    }
    line("  return false;\n}}\n");
  }

  const ExportInput& kernel_;
  std::string name_space_;
  std::vector<Field> config_;
  std::vector<Field> problem_;
  std::set<std::string> enumeration_names_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> enumerators_;  // Text, enumerator.
  std::vector<const Winner*> rows_;
  std::vector<std::string> checks_;
  std::string text_;
};

}  // namespace

std::string write_header(const std::vector<ExportInput>& kernels) {
  std::string body(kHeaderSupport);
  std::set<std::string> names;
  for (const ExportInput& kernel : kernels) {
    body += "\n" + KernelWriter(kernel, unique_identifier("warptune_" + kernel.kernel, names)).run();
  }
  const std::string guard = "WARPTUNE_TUNED_" + base::hash_hex(body);
  return fmt::format(
      "// Made by `warptune export`; `warptune export --check` tells whether it still matches the database.\n"
      "// C++17 with no dependency: g++, clang++, nvcc and NVRTC take it. See docs/header.md.\n"
      "#ifndef {0}\n#define {0}\n\n{1}\n#endif  // {0}\n",
      guard, body);
}

}  // namespace warptune::db::formats
