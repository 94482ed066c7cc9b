#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "kernel_templates/library.h"
#include "kernel_templates/read_scope.h"
#include "tuner/checking/architectures.h"
#include "tuner/checking/check_text.h"
#include "tuner/checking/definition_check.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/json_output/check_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/knowledge/usual_gpu.h"
#include "tuner/text_output/terminal.h"
#include "tuner/workers/compiling/compile_limits.h"

namespace warptune::tuner::commands::definitions {

namespace {

struct CheckOptions {
  std::string kernel;
  kernel_templates::Permissions permissions;
  std::vector<model::GpuDescription> gpus;  ///< Empty: this machine's GPU, otherwise a fictional one.
  checking::CheckRequest request;           ///< Its definition and GPUs are set later.
  bool strict = false;
  bool json = false;
};

Options declare_check() {
  Options options(
      "check KERNEL",
      "Says what is wrong with the definition of KERNEL, and where. It compiles the reference, the "
      "default and a sample of the configurations. With --trust, it also runs them on the CPU for small "
      "sizes, and compares their results with those of the reference.");
  declare_kernel(options, 1, 1);
  declare_sizes(options);
  declare_permissions(options)
      .value("sample", "N", "number of configurations to compile beside the default", "3")
      .flag("all", "compile all configurations")
      .value("arch", "CC,...",
             "compute capabilities to compile for, such as 80,90; default: this machine's GPU, or 90")
      .flag("strict", "warnings end with exit code 2, as errors do")
      .value("host-seconds", "N", "time limit for each program on the CPU", "60")
      .value("jobs", "N", "number of compile workers; default: one for each CPU core")
      .value("seed", "N", "seed of the sample", "1");
  declare_compile_cache(options).common();
  options.example("check saxpy.cu", "Checks a kernel of your own. No GPU is needed.")
      .example("check sgemm --arch 80,90 --sample 10", "Compiles ten configurations for two architectures.")
      .example("check saxpy.cu --trust", "Runs the kernel on the CPU, too, and compares its results.")
      .related({"new", "space", "tune"});
  return options;
}

std::vector<model::GpuDescription> read_architectures(const Options& options) {
  std::vector<model::GpuDescription> gpus;
  const std::optional<std::string> text = options.text("arch");
  if (!text) return gpus;
  for (std::string part : base::split(*text, ',')) {
    part = std::string(base::trim(part));
    const std::string digits = part.starts_with("sm_") ? part.substr(3) : part;
    int capability = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), capability);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    const auto gpu = whole ? checking::typical_gpu(capability) : std::nullopt;
    if (!gpu) {
      throw base::InputError(fmt::format("--arch {}: expected compute capabilities of {}", *text,
                                         fmt::join(checking::known_capabilities(), ", ")));
    }
    gpus.push_back(*gpu);
  }
  return gpus;
}

std::optional<CheckOptions> parse_check(const std::vector<std::string>& arguments) {
  Options options = declare_check();
  if (!options.parse(arguments)) return std::nullopt;
  if (options.has("sample") && options.is_set("all"))
    throw base::InputError("expected only one of --sample and --all");
  check_compile_cache(options);
  CheckOptions read;
  read.kernel = options.required("KERNEL");
  read.permissions = read_permissions(options);
  read.gpus = read_architectures(options);
  read.request.sizes = read_sizes(options);
  read.request.sample = options.is_set("all") ? std::nullopt : options.number("sample");
  read.request.seed = options.number("seed").value_or(read.request.seed);
  const std::size_t workers = static_cast<std::size_t>(options.positive_number("jobs").value_or(0));
  read.request.jobs = workers == 0 ? workers::compiling::default_compile_workers() : workers;
  read.request.compile_cache = read_compile_cache(options);
  read.request.host_deadline = std::chrono::seconds(options.positive_number("host-seconds").value_or(60));
  read.request.trusted = options.is_set("trust");
  read.strict = options.is_set("strict");
  read.json = options.json();
  return read;
}

int check(CheckOptions options) {
  options.request.definition = kernel_templates::load_kernel(options.kernel, options.permissions);
  options.request.gpus = options.gpus;
  if (options.gpus.empty())
    options.request.gpus = {knowledge::usual_gpu(gpus::list_local_gpus, gpus::recognise_local_gpu)};
  const checking::CheckReport report = checking::check_definition(options.request);
  for (const std::string& warning : report.warnings) base::log_warning(warning);
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::check_json(report)));
  } else {
    text_output::print_text("{}", checking::programs_text(report));
    text_output::print_text("{}", checking::host_text(report));
    text_output::print_text("{}{}", checking::findings_text(report.findings), checking::verdict_text(report));
  }
  const bool bad = report.errors() > 0 || (options.strict && !report.findings.empty());
  return static_cast<int>(bad ? base::ExitCode::kBadInput : base::ExitCode::kDone);
}

int run_check(const std::vector<std::string>& arguments) {
  std::optional<CheckOptions> options = parse_check(arguments);
  return options ? check(std::move(*options)) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::definitions

warptune::tuner::commands::Command warptune::tuner::commands::check_command() {
  return {"check", "say what is wrong with a kernel's definition", definitions::run_check,
          [] { return definitions::declare_check().description(); }};
}
