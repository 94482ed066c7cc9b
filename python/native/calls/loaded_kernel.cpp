#include "python/native/calls/loaded_kernel.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "kernel_templates/library.h"
#include "model/objective.h"
#include "model/outputs/reproducibility.h"
#include "profiling/gpu.h"
#include "profiling/resident_context.h"
#include "tuner/json_output/lines/output_lines.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/layered_databases.h"
#include "tuner/knowledge/reproducible_answer.h"
#include "tuner/querying/kernel_query.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

namespace {

// The number of forks that led from the process that first loaded a kernel to this one. CUDA does not work in
// a forked child of a process that uses it.
std::atomic<unsigned>& generation() {
  static std::atomic<unsigned> forks{0};
  return forks;
}

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { generation().fetch_add(1); }); });
}

void require_generation(unsigned wanted) {
  if (generation().load(std::memory_order_relaxed) == wanted) return;
  throw base::MachineError(
      "this process was forked from one that had loaded kernels, and CUDA does not work in such a process",
      "start processes with the method \"spawn\"");
}

library::OpenOptions no_database() {
  library::OpenOptions options;
  options.mode = library::Mode::kOff;
  return options;
}

struct AllCode {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<ResidentCode>> by_key;
};

// All loaded code. It is never destroyed, because the driver may have shut down before static destructors
// run.
AllCode& all_code() {
  static auto& all = *new AllCode;
  return all;
}

std::optional<model::outputs::Reproducibility> demand_of(const LoadRequest& request) {
  if (!request.reproducible) return std::nullopt;
  return model::outputs::Reproducibility::parse(*request.reproducible);
}

tuner::querying::KernelAnswer answer_to(const KernelSource& source, const LoadRequest& request, int ordinal) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(source.kernel, source.permissions());
  const kernel_templates::KernelInstance instance(definition, source.sizes, profiling::local_gpu(ordinal));
  const model::Objective objective = model::Objective::parse(request.objective);
  const std::filesystem::path database = tuner::knowledge::database_path(
      request.database ? std::optional<std::filesystem::path>(*request.database) : std::nullopt);
  // A program must run before anything was tuned, too. Another database that the caller names must exist.
  const tuner::knowledge::LayeredDatabases databases(database);
  tuner::knowledge::AnswerSource rows = databases.source(definition, objective);
  const model::CacheState cache = cache_state_of(request.cache);
  tuner::knowledge::AnswerRequest asked = {source.kernel, cache, request.strict, objective.is_time()};
  std::optional<tuner::knowledge::ReproducibleWinner> reproducible;
  if (const auto demanded = demand_of(request)) {
    asked.strict = true;
    reproducible = tuner::knowledge::keep_reproducible(
        rows, instance, asked, objective, *demanded,
        [&databases](const db::Winner& winner) -> const db::Store& { return databases.store_of(winner); });
  }
  tuner::knowledge::KnownAnswer known = tuner::knowledge::known_answer(instance, rows, asked);
  return {instance,
          {instance.gpu(), ""},
          {definition.name, definition.hash, instance.problem(), instance.gpu(), cache},
          std::move(known.match),
          std::move(known.reason),
          {},
          std::nullopt,
          std::nullopt,
          {},
          std::move(reproducible)};
}

bool has_constants(const kernel_templates::KernelDefinition& definition) {
  return std::any_of(definition.arguments.begin(), definition.arguments.end(),
                     [](const kernel_templates::Argument& one) { return !one.symbol.empty(); });
}

ResidentCode& resident_code(const KernelSource& source, const tuner::querying::KernelAnswer& answer,
                            int ordinal, bool in_background) {
  const kernel_templates::KernelInstance& instance = answer.instance;
  const model::NamedValues& configuration = answer.match.configuration;
  std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", instance.definition().name, instance.definition().hash,
                                ordinal, model::to_text(instance.problem()), model::to_text(configuration));
  AllCode& all = all_code();
  const std::lock_guard lock(all.mutex);
  // Code with `__constant__` variables can be launched on one stream only, so each load gets its own copy.
  if (has_constants(instance.definition())) key += fmt::format("\n{}", all.by_key.size());
  std::unique_ptr<ResidentCode>& place = all.by_key[key];
  if (!place) {
    place = std::make_unique<ResidentCode>(source.kernel, instance.definition(), instance.gpu(), ordinal,
                                           instance.problem(), configuration, in_background);
  }
  if (!in_background) place->code().wait();
  return *place;
}

}  // namespace

ResidentCode::ResidentCode(const std::string& name, const kernel_templates::KernelDefinition& definition,
                           const model::GpuDescription& gpu, int ordinal, const model::NamedValues& problem,
                           const model::NamedValues& configuration, bool in_background)
    : library_(no_database()), kernel_(library_, name, definition, gpu, ordinal, {}) {
  selection_.kernel = &kernel_;
  selection_.problem = problem;
  selection_.configuration = configuration;
  const profiling::PrimaryContext use(ordinal);
  code_ = std::make_unique<library::LoadedCode>(selection_, in_background);
}

LoadedKernel::LoadedKernel(Found found, ResidentCode& code)
    : found_(std::move(found)),
      code_(code),
      expected_(code.code().expected()),
      generation_(generation().load()) {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (!expected_[i].is_fixed) free_.push_back(i);
    if (expected_[i].is_buffer()) buffers_.push_back(i);
  }
}

void LoadedKernel::check_process() const { require_generation(generation_); }

LoadedKernel load(const KernelSource& source, const LoadRequest& request) {
  const nb::gil_scoped_release free;
  require_generation(0);
  watch_forks();
  library::require_no_other_outputs(demand_of(request), request.in_background);
  const int ordinal = request.device ? *request.device : profiling::current_device();
  const tuner::querying::KernelAnswer answer = answer_to(source, request, ordinal);
  ResidentCode& code = resident_code(source, answer, ordinal, request.in_background);
  return {
      {answer.instance.definition().name, answer.instance.problem(), answer.match.configuration,
       tuner::json_output::lines::query_line(answer, model::Objective::parse(request.objective)), ordinal},
      code};
}

void finish_loading() {
  if (generation().load() != 0) return;  // The compiling threads belong to the parent process.
  const nb::gil_scoped_release free;
  AllCode& all = all_code();
  const std::lock_guard lock(all.mutex);
  for (const auto& [key, code] : all.by_key) {
    try {
      if (code) code->code().wait();
    } catch (const base::Error&) {  // The default was used instead. `LoadedKernel.wait` reports the reason.
    }
  }
}

}  // namespace warptune::python::native::calls
