#include "emulation_program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <tuple>

#include "base/files.h"
#include "kernel_templates/argument_data.h"
#include "tests/kernel_templates/library_cases.h"

namespace warptune::emulation {

namespace fs = std::filesystem;
using kernel_templates::ArgumentKind;
using kernel_templates::CompileRequest;
using kernel_templates::KernelInstance;
using kernel_templates::LaunchPlan;
using kernel_templates::LaunchStep;
using kernel_templates::ResolvedArgument;

namespace {

std::string joined_macros(const CompileRequest& request, const char* format_of_one) {
  std::string text;
  for (const std::string& option : request.options) {
    if (option.rfind("-D", 0) != 0) continue;
    const std::size_t equal = option.find('=');
    const std::string name = option.substr(2, equal - 2);
    const std::string value = option.substr(equal + 1);
    text += fmt::format(fmt::runtime(format_of_one), name, value);
  }
  return text;
}

std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  return fmt::format("{{{}u, {}u, {}u}}", extent[0], extent[1], extent[2]);
}

const char* kind_text(const ResolvedArgument& argument) {
  switch (argument.kind) {
    case ArgumentKind::kIn:
      return "kIn";
    case ArgumentKind::kOut:
      return "kOut";
    case ArgumentKind::kInOut:
      return "kInOut";
    default:
      return argument.zeroed ? "kZeroedScratch" : "kScratch";
  }
}

template <class T>
T or_throw(model::Outcome<T> outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().reason);
  return *std::move(outcome);
}

// Runs a command and returns its output and exit code.
std::pair<int, std::string> run_command(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> chunk{};
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    output.append(chunk.data(), size);
  }
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

fs::path emulation_folder() {
  return kernel_templates::tested_sources() / "tests/kernel_templates/emulation";
}

// Replaces `#include "name"` lines by the kernel's own headers. Each header gets include guards. Each copy of
// the kernel needs its own headers, so the guards contain `copy`, the name of the copy.
std::string with_headers(const std::string& source, const fs::path& folder, const std::string& copy) {
  static const std::regex include(R"re(^#include "([\w./]+)"$)re", std::regex::multiline);
  static const std::regex not_of_a_name(R"([^\w])");
  std::string text;
  auto from = source.cbegin();
  for (std::sregex_iterator match(source.begin(), source.end(), include), end; match != end; ++match) {
    text.append(from, (*match)[0].first);
    from = (*match)[0].second;
    const std::string name = (*match)[1].str();
    std::string header = with_headers(base::read_file(folder / name), folder, copy);
    if (const std::size_t once = header.find("#pragma once"); once != std::string::npos)
      header.erase(once, 12);
    text += fmt::format("#ifndef HEADER_{0}\n#define HEADER_{0}\n{1}\n#endif",
                        std::regex_replace(copy + "_" + name, not_of_a_name, "_"), header);
  }
  return text.append(from, source.cend());
}

const char* compiler() {
  for (const char* variable : {"WARPTUNE_EMULATION_CXX", "CXX"}) {
    if (const char* named = std::getenv(variable); named != nullptr) return named;
  }
  return "c++";
}

// Compiles and runs the folder's program.cpp.
ProgramOutcome run_source(const fs::path& folder, const char* debug_option) {
  ProgramOutcome outcome;
  const std::string program = (folder / "program").string();
  const auto [compile_code, compile_output] = run_command(
      fmt::format("{0} -std=c++20 -O0 {1} -w -fno-exceptions -fno-rtti "
                  "-fsanitize=address,alignment,shift,integer-divide-by-zero -fno-sanitize-recover=all "
                  "-I'{2}' '{3}.cpp' -o '{3}'",
                  compiler(), debug_option, emulation_folder().string(), program));
  outcome.compiled = compile_code == 0;
  outcome.output = compile_output;
  if (outcome.compiled) std::tie(outcome.exit_code, outcome.output) = run_command(program);
  return outcome;
}

}  // namespace

std::string rewrite_kernel(const std::string& source) {
  static const std::regex dynamic_array(R"(extern __shared__ ([\w ]+?) (\w+)\[\];)");
  static const std::regex static_array(R"(__shared__ ([\w ]+?) (\w+)\[([^\]]+)\];)");
  const std::string once =
      std::regex_replace(source, dynamic_array, "$1* $2 = ::warptune::emulation::dynamic_shared<$1>();");
  return std::regex_replace(
      once, static_array,
      "static char $2_site; auto& $2 = ::warptune::emulation::static_shared<$1[$3]>(&$2_site);");
}

void EmulationProgram::add(const KernelInstance& instance, const model::NamedValues& configuration,
                           const model::NamedValues& scalars, bool skewed) {
  const std::string title =
      fmt::format("{} {}, {}{}{}", kernel_, model::to_text(instance.problem()), model::to_text(configuration),
                  scalars.empty() ? "" : ", ", model::to_text(scalars));
  add_run({instance, or_throw(instance.compile_request(configuration)),
           or_throw(instance.launch_plan(configuration)), configuration, title + (skewed ? ", skewed" : ""),
           scalars, skewed});
}

void EmulationProgram::add_reference(const KernelInstance& instance) {
  add_run({instance,
           or_throw(instance.reference_request()),
           or_throw(instance.reference_plan()),
           instance.default_configuration(),
           fmt::format("{} {}, reference", kernel_, model::to_text(instance.problem())),
           {},
           false});
}

void EmulationProgram::add_against_reference(const KernelInstance& instance,
                                             const model::NamedValues& configuration) {
  const std::string title = fmt::format("{} {}, {}", instance.definition().name,
                                        model::to_text(instance.problem()), model::to_text(configuration));
  const Run reference{instance,
                      or_throw(instance.reference_request()),
                      or_throw(instance.reference_plan()),
                      instance.default_configuration(),
                      title + ", reference",
                      {},
                      false};
  const std::string expected = evaluation_text(reference);
  cases_ += fmt::format(
      "static std::vector<double> expected_of_{}() {{\n{}  return run.outputs_of(evaluation);\n}}\n", runs_,
      expected);
  const Run run{instance,
                or_throw(instance.compile_request(configuration)),
                or_throw(instance.launch_plan(configuration)),
                configuration,
                title,
                {},
                false};
  add_check(run, fmt::format("expected_of_{}()", runs_));
}

void EmulationProgram::add_run(const Run& run) { add_check(run, fmt::format("expected_{}(run)", kernel_)); }

void EmulationProgram::add_check(const Run& run, const std::string& expected) {
  cases_ +=
      fmt::format("static bool run_{}() {{\n{}  return run.check(evaluation, {}, WARPTUNE_PROPERTY);\n}}\n",
                  runs_, evaluation_text(run), expected);
  ++runs_;
}

std::string EmulationProgram::copy_of(const CompileRequest& request) {
  const std::string macros = joined_macros(request, "#define {} {}\n");
  auto [copy, is_new] = copies_.try_emplace(request.source + macros, fmt::format("copy_{}", copies_.size()));
  if (is_new) {
    kernels_ += fmt::format("namespace {} {{\n{}#line 1 \"{}\"\n{}\n#line 1 \"generated\"\n}}\n{}",
                            copy->second, macros, request.program_name,
                            rewrite_kernel(with_headers(
                                request.source, fs::path(request.program_name).parent_path(), copy->second)),
                            joined_macros(request, "#undef {}\n"));
  }
  return copy->second;
}

std::string EmulationProgram::evaluation_text(const Run& run) {
  const std::string copy = copy_of(run.request);
  std::string problem;
  for (const auto& [name, value] : run.instance.problem()) {
    const std::optional<double> number = model::to_number(value);
    problem += number ? fmt::format("{{\"{}\", {}}}, ", name, *number)
                      : fmt::format("{{\"{}={}\", 1}}, ", name, model::to_text(value));
  }
  std::string buffers;
  std::string arguments;
  kernel_templates::Tolerance tolerance;
  std::size_t position = 0;
  for (const ResolvedArgument& argument : or_throw(run.instance.arguments(run.configuration))) {
    const std::string_view type = kernel_templates::info(argument.type).name;
    if (argument.kind == ArgumentKind::kTensorMap) {
      arguments += fmt::format("{}{{}}", arguments.empty() ? "" : ", ");
      continue;
    }
    if (argument.kind == ArgumentKind::kScalar) {
      const model::Value* other = model::find(run.scalars, argument.name);
      const std::string value = model::to_text(other == nullptr ? argument.scalar : *other);
      problem += fmt::format("{{\"{}\", {}}}, ", argument.name, value);
      arguments += fmt::format("{}({})({})", arguments.empty() ? "" : ", ",
                               kernel_templates::info(argument.type).cuda_name, value);
      continue;
    }
    if (argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut) {
      tolerance = run.instance.tolerance(argument.type);
    }
    if (argument.init.value &&
        (argument.kind == ArgumentKind::kIn || argument.kind == ArgumentKind::kInOut)) {
      std::string bytes;
      for (const std::byte byte : kernel_templates::generate_argument(argument, position, 1))
        bytes += fmt::format("\\{:03o}", std::to_integer<unsigned>(byte));
      buffers += fmt::format("  run.add_given(BufferKind::{}, \"{}\", {}, \"{}\", {});\n",
                             kind_text(argument), type, argument.count, bytes, run.skewed);
    } else {
      buffers += fmt::format("  run.add(BufferKind::{}, \"{}\", {}, {}, {}, {});\n", kind_text(argument),
                             type, argument.count, argument.init.first, argument.init.second, run.skewed);
    }
    arguments += fmt::format("{}run.pointer({})", arguments.empty() ? "" : ", ", position);
    ++position;
  }
  std::string launches;
  for (const kernel_templates::PlanStep& one : run.plan.steps) {
    if (one.launch() == nullptr) continue;  // Steps run one after the other, so no step has to wait.
    const LaunchStep& step = *one.launch();
    launches += fmt::format("    runner.launch({}, {}, {}, backward, [&] {{ {}::{}({}); }});\n",
                            extent_text(step.grid), extent_text(step.block), step.shared_bytes, copy,
                            step.entry, arguments);
  }
  return fmt::format(
      "  Case run(R\"({})\", {{{}}}, {}, {});\n{}"
      "  const auto evaluation = [&](bool backward) {{\n    auto& runner = BlockRunner::instance();\n{}  "
      "}};\n",
      run.title, problem, tolerance.absolute, tolerance.relative, buffers, launches);
}

std::string EmulationProgram::text() const {
  const std::string header = kernel_.empty() ? "emulated_case.h" : fmt::format("references/{}.h", kernel_);
  std::string text = fmt::format(
                         "#include \"{}\"\n#ifndef WARPTUNE_PROPERTY\n#define WARPTUNE_PROPERTY "
                         "nullptr\n#endif\n",
                         header) +
                     kernels_ + "using namespace warptune::emulation;\n" + cases_;
  text += "int main() {\n  int wrong = 0;\n";
  for (std::size_t i = 0; i < runs_; ++i) text += fmt::format("  wrong += !run_{}();\n", i);
  return text +
         fmt::format("  std::printf(\"%d of {} runs are wrong\\n\", wrong);\n  return wrong != 0;\n}}\n",
                     runs_);
}

ProgramOutcome compile_and_run(const std::string& program) {
  std::string folder_name = (fs::temp_directory_path() / "warptune-emulation-XXXXXX").string();
  if (mkdtemp(folder_name.data()) == nullptr) throw std::runtime_error("cannot make " + folder_name);
  const fs::path folder = folder_name;
  std::ofstream(folder / "program.cpp") << program;

  ProgramOutcome outcome = run_source(folder, "-g0");
  // Line numbers need a tenth of the compile time, and only a failure needs them.
  if (outcome.compiled && outcome.exit_code != 0) outcome = run_source(folder, "-g1");
  if (std::getenv("WARPTUNE_KEEP_EMULATION") == nullptr) fs::remove_all(folder);
  return outcome;
}

}  // namespace warptune::emulation
