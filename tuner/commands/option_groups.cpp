#include "tuner/commands/option_groups.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "base/environment.h"
#include "base/error.h"
#include "base/files.h"
#include "fleet/fleet_store.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/library.h"
#include "kernel_templates/read_scope.h"
#include "model/objective.h"
#include "model/value.h"
#include "profiling/counters/metrics.h"
#include "search/strategy.h"
#include "tuner/evaluation/evaluation_limit.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/trust/trust_question.h"
#include "tuner/trust/trusted_folders.h"

namespace warptune::tuner::commands {

namespace fs = std::filesystem;

namespace {

// The largest number that `--device` accepts. No machine has so many GPUs.
constexpr std::uint64_t kMaxDevice = 1 << 20;

std::optional<int> read_device(const Options& options) {
  const std::optional<std::uint64_t> number = options.number("device");
  if (!number) return std::nullopt;
  if (*number > kMaxDevice) {
    throw base::InputError(
        fmt::format("--device {}: expected an integer from 0 to {}", *options.text("device"), kMaxDevice));
  }
  return static_cast<int>(*number);
}

// A path or a store's address. The folder of a path must exist.
// All users of the machine see the arguments of a program.
void check_password(const Options& options, const std::string& name) {
  if (!fleet::has_password(options.text(name).value_or(""))) return;
  throw base::InputError(
      fmt::format("--{}: the address has a password, which other users could read; put it into "
                  "~/.pgpass, the file of PGPASSFILE, or a service file",
                  name));
}

}  // namespace

Options& declare_kernel(Options& options, int minimum, int maximum) {
  return options.positional("KERNEL", minimum, maximum).known_words(kernel_templates::shipped_kernels);
}

std::vector<std::string> strategy_words() {
  std::vector<std::string> words;
  for (const search::StrategyInfo& strategy : search::strategy_table()) words.emplace_back(strategy.name);
  return words;
}

std::vector<std::string> metric_words() {
  std::vector<std::string> words;
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue())
    words.emplace_back(metric.name);
  return words;
}

std::vector<std::string> objective_words() {
  std::vector<std::string> words = model::objective_names();
  for (std::string& metric : metric_words()) words.push_back(std::move(metric));
  return words;
}

Options& declare_database(Options& options) {
  return options.value(
      "db", "FILE",
      fmt::format("database, or for reading also a store of campaigns; default: {}", kUsualDatabase));
}

std::optional<fs::path> read_named_database(const Options& options) {
  check_password(options, "db");
  std::optional<fs::path> named = options.path("db");
  if (named && !knowledge::names_store(named)) base::require_folder_of(*named);
  return named;
}

fs::path read_database(const Options& options) {
  return knowledge::database_path(read_named_database(options));
}

fs::path read_written_database(const Options& options) {
  return knowledge::written_database_path(read_named_database(options));
}

Options& declare_store(Options& options) {
  return options.value("store", "ADDRESS",
                       fmt::format("store of campaigns: spool:FOLDER or postgresql://USER@HOST/DATABASE; "
                                   "default: ${}",
                                   base::name_of(base::Variable::kFleetStore)));
}

std::string read_store(const Options& options) {
  check_password(options, "store");
  std::string address = options.text("store").value_or(base::environment_text(base::Variable::kFleetStore));
  if (!address.empty()) return address;
  throw base::InputError(
      fmt::format("--store is missing: give the address of the store of campaigns, spool:FOLDER or "
                  "postgresql://USER@HOST/DATABASE, or set {}",
                  base::name_of(base::Variable::kFleetStore)));
}

std::optional<std::uint16_t> read_port(const Options& options, const std::string& name) {
  if (!options.is_set(name) || options.text(name)->empty()) return std::nullopt;
  const std::uint64_t port = *options.number(name);
  if (port == 0 || port > UINT16_MAX)
    throw base::InputError(fmt::format("--{}={}: a port is a number from 1 to {}", name, port, UINT16_MAX));
  return static_cast<std::uint16_t>(port);
}

double read_real(const Options& options, const std::string& name, double minimum, double maximum) {
  const std::string text = *options.text(name);
  const std::optional<model::Value> value = model::parse_value(text, model::ValueType::kReal);
  if (value) {
    const double number = std::get<double>(*value);
    if (number >= minimum && number <= maximum) return number;
  }
  throw base::InputError(
      fmt::format("--{} {}: expected a number from {} to {}", name, text, minimum, maximum));
}

double read_pace(const Options& options) {
  constexpr double kMaxPace = 1000.0;
  if (options.has("pace") && !options.has("replay")) throw base::InputError("--pace needs --replay");
  return read_real(options, "pace", 0.0, kMaxPace);
}

Options& declare_sizes(Options& options) {
  return options.values("size", "NAME=VALUE", "a size or type of the problem, e.g. N=4096; may be repeated");
}

model::NamedValues read_sizes(const Options& options) { return options.assignments("size"); }

Options& declare_gpu(Options& options) {
  return options.value(
      "gpu", "NAME|cc=80,sms=108",
      "a GPU of the database, or any GPU by compute capability and SMs; default: the GPU of this machine, "
      "otherwise of the newest session");
}

std::optional<std::string> read_gpu(const Options& options) { return options.text("gpu"); }

Options& declare_cache_state(Options& options) {
  return options.value("cache", "cold|warm|unknown", "state of the L2 cache before each timed launch",
                       "cold");
}

Options& declare_measured_cache_state(Options& options) {
  return options.value("cache", "cold|warm", "state of the L2 cache before each timed launch", "cold");
}

model::CacheState read_cache_state(const Options& options) {
  const std::string given = options.text("cache").value_or("cold");
  const std::optional<model::CacheState> state = model::parse_cache_state(given);
  if (!state) throw base::InputError(fmt::format("--cache {}: expected cold, warm or unknown", given));
  return *state;
}

model::CacheState read_measured_cache_state(const Options& options) {
  const std::string given = options.text("cache").value_or("cold");
  const std::optional<model::CacheState> state = model::parse_cache_state(given);
  if (!state || *state == model::CacheState::kUnknown)
    throw base::InputError(fmt::format("--cache {}: expected cold or warm", given));
  return *state;
}

Options& declare_permissions(Options& options) {
  return options
      .values("allow-read", "DIR", "let the definition read this folder besides its own; may be repeated")
      .flag(
          "trust",
          "trust the definition's author: its code may run on the CPU, and it may read files outside of its "
          "folder. Without it, a person is asked once for each folder");
}

kernel_templates::Permissions read_permissions(const Options& options) {
  kernel_templates::Permissions permissions;
  for (const std::string& folder : options.texts("allow-read"))
    permissions.readable.push_back(kernel_templates::granted_folder(folder));
  permissions.trust = options.has("trust") ? trust::trust_all_definitions()
                                           : trust::trust_by_question(trust::trusted_folders_file(),
                                                                      trust::process_terminal());
  return permissions;
}

Options& declare_workload(Options& options) {
  declare_sizes(options);
  declare_gpu(options);
  declare_cache_state(options);
  declare_database(options);
  return declare_permissions(options);
}

knowledge::WorkloadSelection read_workload(const Options& options) {
  knowledge::WorkloadSelection selection;
  selection.sizes = read_sizes(options);
  selection.gpu = read_gpu(options);
  if (options.has("cache")) selection.cache = read_cache_state(options);
  selection.database = options.path("db");
  if (knowledge::names_store(selection.database)) selection.database = read_database(options);
  selection.permissions = read_permissions(options);
  return selection;
}

Options& declare_compile_cache(Options& options) {
  return options.value("compile-cache", "DIR|none",
                       fmt::format("folder that keeps compiled code; default: {}", kUsualCompileCache));
}

fs::path read_compile_cache(const Options& options) {
  const std::optional<std::string> given = options.text("compile-cache");
  if (!given) return kernel_templates::default_compile_cache();
  return *given == "none" ? fs::path() : fs::path(*given);
}

void check_compile_cache(const Options& options) {
  if (options.text("compile-cache") == "")
    throw base::InputError("--compile-cache is empty: expected a folder, or none");
}

Options& declare_timeout(Options& options) {
  return options.value(
      "timeout", "SECONDS",
      "stop an evaluation that takes longer. Default: 30 s until a configuration was measured. Then it is "
      "half a second plus 1500 times the best time, at most 30 s");
}

std::optional<std::chrono::milliseconds> read_timeout(const Options& options) {
  const std::optional<std::string> given = options.text("timeout");
  if (!given) return std::nullopt;
  double seconds = 0.0;
  const char* const end = given->data() + given->size();
  const auto [rest, error] = std::from_chars(given->data(), end, seconds);
  if (error != std::errc() || rest != end) seconds = 0.0;  // `asked_limit` rejects it.
  return evaluation::asked_limit(seconds, fmt::format("--timeout {}", *given));
}

double read_within(const Options& options, bool may_be_zero) {
  const std::string text = *options.text("within");
  double per_cent = -1.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, per_cent);
  const bool is_number = error == std::errc{} && std::string_view(rest, end) == "%";
  const bool is_enough = may_be_zero ? per_cent >= 0.0 : per_cent > 0.0;
  if (!is_number || !is_enough || !(per_cent <= 100.0)) {
    throw base::InputError(fmt::format("--within {}: expected a share {}, for example 5%", text,
                                       may_be_zero ? "from 0% to 100%" : "above 0%, at most 100%"));
  }
  return per_cent / 100.0;
}

Options& declare_measuring(Options& options) {
  options.value("device", "N", "number of the GPU that measures; default: the first one of the right model")
      .value("jobs", "N", "number of compile workers; default: one for each CPU core");
  declare_compile_cache(options);
  return declare_timeout(options).value("seed", "N", "seed of the random input data", "1");
}

session::MeasurementRequest read_measurement(const Options& options, bool writes) {
  session::MeasurementRequest request;
  request.compile_workers = static_cast<std::size_t>(options.number("jobs").value_or(0));
  request.measuring.seed = options.number("seed").value_or(1);
  request.device = read_device(options);
  request.timeout = read_timeout(options);
  check_compile_cache(options);
  request.measuring.compile_cache = read_compile_cache(options);
  if (writes || !knowledge::names_store(options.path("db")))
    request.database = read_written_database(options);
  return request;
}

}  // namespace warptune::tuner::commands
