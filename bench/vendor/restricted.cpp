#include "bench/vendor/restricted.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "bench/warning_listener.h"
#include "kernel_templates/library.h"
#include "tuner/session/tuning_session.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::bench::vendor {

namespace {

model::Space part_of(const model::Space& space, const Row& row, const model::NamedValues& constants) {
  std::vector<model::Constraint> constraints = space.constraints();
  constraints.push_back({*row.restrict_to, "what the row asks for"});
  model::Space part(space.parameters(), std::move(constraints), constants);
  if (part.size() == 0)
    throw base::InputError(fmt::format("{}: nothing meets {}", row.name, row.restrict_text));
  return part;
}

}  // namespace

model::Workload workload_of(const Row& row, const kernel_templates::KernelInstance& instance) {
  model::Workload workload = {instance.definition().name, instance.definition().hash, instance.problem(),
                              instance.gpu(), model::CacheState::kCold};
  if (row.restrict_to) {
    workload.kernel += fmt::format(" [{}]", row.restrict_text);
    workload.kernel_hash = base::hash_hex(workload.kernel_hash + row.restrict_text);
  }
  return workload;
}

std::string tune_restricted(const Row& row, const model::GpuDescription& gpu, db::Store& store,
                            const std::string& budget, const std::filesystem::path& compile_cache) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(row.kernel), row.problem,
                                                  gpu);
  tuner::session::SearchRequest search;
  search.budget = tuner::session::Budget::parse(budget);
  tuner::session::SessionPlan plan{search, workload_of(row, instance),
                                   part_of(instance.space(), row, instance.constants()),
                                   instance.default_configuration(), instance.work()};
  tuner::workers::ProcessEvaluatorOptions options;
  options.measuring.compile_cache = compile_cache;
  options.roofs = store.roofs(gpu);
  tuner::workers::ProcessEvaluator evaluator(instance, options);
  WarningListener listener;
  const base::Cancellation never;
  const tuner::session::SessionResult result =
      tuner::session::run_session(plan, evaluator, store, listener, never);
  if (!result.best) throw base::WorkError(row.name + ": nothing could be measured");
  return fmt::format("{}: {} of {:.0f} configurations evaluated in {:.1f} s, best {:.2f} us: {}", row.name,
                     result.progress.evaluated, plan.space.estimated_size(), result.progress.elapsed_s,
                     result.best->time->median_ns * 1e-3, model::to_text(result.best->configuration));
}

}  // namespace warptune::bench::vendor
