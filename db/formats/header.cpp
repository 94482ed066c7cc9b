// Export format `header`: the best known configurations as a C++17 header that needs no other file.
//
// The same database always gives the same text. Each kernel has a namespace with these parts:
// * a constexpr table of rows, each with a comment that describes its measurement
// * `select(device, problem)`, which selects at run time and says how well the result fits
// * `Tuned`, which selects at compile time
// * `dispatch`, which turns a configuration into template arguments: it compares the configuration with all
//   exported ones
// * `static_assert`s for constraints, repeated rows and the kernel hash
// This file writes the table, `dispatch` and the `static_assert`s. The other parts are in cpp_header/:
// header_support.cpp and header_text.cpp have the text that all kernels share. header_fields.cpp chooses
// names. header_types.cpp and header_constraints.cpp write types and constraints.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "db/formats/cpp_header/header_constraints.h"
#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"
#include "db/formats/cpp_header/header_recommendations.h"
#include "db/formats/cpp_header/header_support.h"
#include "db/formats/cpp_header/header_text.h"
#include "db/formats/cpp_header/header_types.h"
#include "db/formats/cpp_text.h"
#include "db/formats/exported_winners.h"
#include "db/formats/format_list.h"

namespace warptune::db::formats {

namespace {

using cpp_header::HeaderFields;
using cpp_header::HeaderLines;

std::string device_literal(const model::GpuDescription& gpu) {
  return fmt::format("{{{}, {}, {}LL, {}LL, {}LL, {}, {}, {}LL, {}LL, {}LL, {}LL, {}LL}}",
                     gpu.compute_major * 10 + gpu.compute_minor, gpu.sm_count, gpu.l2_bytes,
                     gpu.memory_bandwidth_bytes_per_s, gpu.max_clock_khz, gpu.ecc ? 1 : 0, gpu.mig ? 1 : 0,
                     gpu.max_threads_per_block, gpu.max_threads_per_sm, gpu.registers_per_sm,
                     gpu.shared_bytes_per_block_optin, gpu.shared_bytes_per_sm);
}

void write_table(const HeaderFields& fields, HeaderLines& out) {
  out.raw(cpp_header::kHeaderRow);
  out.line("inline constexpr int row_count = {};\n", fields.rows().size());
  out.line(
      "/// The rows, followed by the default configuration and by what the definition recommends. These were "
      "not "
      "measured.");
  out.line("struct Table {{\n  Row rows[row_count + 1 + recommended_count];\n}};");
  out.line("WARPTUNE_HD constexpr Table make_table() {{\n  return {{{{");
  for (const Winner* winner : fields.rows()) {
    const model::ResourceUse& use = winner->best.resources;
    const std::optional<double> default_ns =
        winner->default_measurement ? model::median_ns_of(*winner->default_measurement) : std::nullopt;
    out.line("      // {}", comment_text(evidence(*winner, fields.kernel().has_check)));
    out.line("      {{{},\n       {},\n       {},\n       {}, {}, {}, {}, {}LL}},",
             device_literal(winner->workload.gpu), fields.problem_literal(winner->workload.problem),
             fields.config_literal(winner->best.configuration), real_literal(winner->best.time->median_ns),
             real_literal(default_ns.value_or(0.0)), use.threads_per_block, use.registers_per_thread,
             use.static_shared_bytes + use.dynamic_shared_bytes);
  }
  out.line("      // The default configuration.");
  out.line("      {{{{}}, {{}}, {}, 0.0, 0.0, 0, 0, 0LL}},",
           fields.config_literal(fields.kernel().default_configuration));
  for (const ExportedRecommendation* one : fields.recommendations()) {
    out.line("      // Recommended where {}{}", comment_text(one->when),
             one->cost ? ", at the cost " + comment_text(*one->cost) : "");
    out.line("      {{{{}}, {{}}, {}, 0.0, 0.0, 0, 0, 0LL}},", fields.config_literal(one->values));
  }
  out.line("  }}}};\n}}");
  out.line("inline constexpr Table table = make_table();\n");
}

void write_checks(const std::vector<std::string>& checks, HeaderLines& out) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    out.line("static_assert(every_row_meets(table, constraint_{}), {});", i,
             string_literal("a row violates " + checks[i]));
  }
  out.line("static_assert(rows_are_unique(table), \"two rows have the same GPU and problem\");\n");
}

std::vector<model::NamedValues> distinct_configurations(const HeaderFields& fields) {
  std::vector<model::NamedValues> distinct;
  std::set<std::string> seen;
  const auto add = [&](const model::NamedValues& configuration) {
    if (seen.insert(fields.config_literal(configuration)).second) distinct.push_back(configuration);
  };
  for (const Winner* winner : fields.rows()) add(winner->best.configuration);
  add(fields.kernel().default_configuration);
  for (const ExportedRecommendation* one : fields.recommendations()) add(one->values);
  return distinct;
}

void write_choices(const HeaderFields& fields, HeaderLines& out) {
  const std::vector<model::NamedValues> distinct = distinct_configurations(fields);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const std::vector<model::Value> values = in_order(fields.kernel(), distinct[i]);
    out.line("struct Choice{} {{", i);
    for (std::size_t j = 0; j < fields.config().size(); ++j) {
      out.line("  static constexpr {} {} = {};", fields.config()[j].type, fields.config()[j].cpp,
               HeaderFields::config_value(fields.config()[j], values[j]));
    }
    out.line("  WARPTUNE_HD static constexpr Config config() {{ return {}; }}\n}};",
             fields.config_literal(distinct[i]));
  }
  out.raw(cpp_header::kHeaderDispatchComment);
  out.line("inline constexpr int choice_count = {};", distinct.size());
  out.line("#if defined(__CUDACC__)\n#pragma nv_exec_check_disable\n#endif");
  out.line(
      "template <class Function>\nWARPTUNE_HD constexpr bool dispatch(const Config& config, Function&& "
      "function) {{");
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    out.line("  if (config == Choice{0}::config()) {{\n    function(Choice{0}{{}});\n    return true;\n  }}",
             i);
  }
  out.line("  return false;\n}}\n");
}

// The namespace of one kernel.
std::string kernel_namespace(const ExportInput& kernel, const std::string& name_space) {
  const HeaderFields fields(kernel);
  HeaderLines out;
  out.line("namespace {} {{\n", name_space);
  out.line("using Device = warptune_detail::Device;");
  out.line("using Match = warptune_detail::Match;");
  out.line("using warptune_detail::device_of;\n");
  out.line(
      "/// The results hold for this hash of the source with its includes, parameters, constraints and "
      "flags.");
  out.line("inline constexpr char kernel_hash[] = {};", string_literal(kernel.kernel_hash));
  out.line("static_assert(sizeof(kernel_hash) == {} + 1, \"the kernel hash was altered\");\n",
           kernel.kernel_hash.size());
  cpp_header::write_types(fields, out);
  const std::vector<std::string> checks = cpp_header::write_constraints(fields, out);
  cpp_header::write_recommendations(fields, out);
  write_table(fields, out);
  out.raw(cpp_header::kHeaderRowSelection);
  out.raw(cpp_header::recommendation_walk(fields));
  out.raw(cpp_header::kHeaderSelection);
  write_checks(checks, out);
  write_choices(fields, out);
  out.line("}}  // namespace {}", name_space);
  return out.take();
}

// Writes the whole header.
std::string write_header(const std::vector<ExportInput>& kernels) {
  std::string body(cpp_header::kHeaderSupport);
  const std::vector<std::string> names = cpp_header::namespaces(kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) body += "\n" + kernel_namespace(kernels[i], names[i]);
  const std::string guard = "WARPTUNE_TUNED_" + base::hash_hex(body);
  return fmt::format(
      "// Made by `warptune export`. `warptune export --check` says whether it still matches the database.\n"
      "// C++17 without dependencies, for g++, clang++, nvcc and NVRTC. See docs/header.md of warptune.\n"
      "#ifndef {0}\n#define {0}\n\n{1}\n#endif  // {0}\n",
      guard, body);
}

}  // namespace

ExportFormat header_format() {
  return {"header", "C++17 header that selects at run time or at compile time", write_header};
}

}  // namespace warptune::db::formats
