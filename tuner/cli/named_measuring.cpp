#include "tuner/cli/named_measuring.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/tune_stage.h"
#include "tuner/interrupt.h"
#include "tuner/known_gpus.h"

namespace warptune::tuner::cli {

Options& measuring_options(Options& options) { return declare_measuring(options); }

void check_measuring_options(const Options& options) { read_measuring(options); }

std::optional<int> measuring_device(const Options& options, const search::GpuDescription& wanted) {
  const profiling::GpuList census = list_local_gpus();
  if (const std::optional<std::string> device = options.text("device")) {
    const int chosen = chosen_devices(*device, census.gpus.size()).front();
    if (census.gpus[static_cast<std::size_t>(chosen)].key() == wanted.key()) return chosen;
    throw base::InputError(
        fmt::format("--device {}: that is no {}; name its model with --gpu, too", chosen, wanted.name));
  }
  for (std::size_t i = 0; i < census.gpus.size(); ++i) {
    if (census.gpus[i].key() == wanted.key()) return static_cast<int>(i);
  }
  return std::nullopt;
}

NamedMeasuring::NamedMeasuring(const Options& options, const MeasuringPlan& plan, int ordinal) {
  ProcessEvaluatorOptions evaluator;
  evaluator.compile_workers = options.number("jobs").value_or(0);
  evaluator.ordinals = {ordinal};
  evaluator.seed = options.number("seed").value_or(1);
  evaluator.cache = plan.cache;
  evaluator.compile_cache = read_compile_cache(options);
  evaluator.thorough = true;
  evaluator.roofs = stored_roofs(read_database(options), plan.instance->gpu());
  evaluator.metrics = plan.metrics;
  evaluator.measure_energy = plan.measure_energy;
  evaluator.measure_error = plan.measure_error;
  evaluator_ = std::make_unique<ProcessEvaluator>(*plan.instance, evaluator);
  store_ = std::make_unique<db::Store>(read_database(options));
  db::Session session;
  const kernel_templates::KernelInstance& instance = *plan.instance;
  session.subject = {instance.definition().name, instance.definition().hash, instance.problem(),
                     instance.gpu(), plan.cache};
  session.work = instance.work();
  session.strategy = plan.strategy;
  session.seed = evaluator.seed;
  session.space_size = instance.space().size();
  session.default_configuration = instance.default_configuration();
  rows_ = std::make_unique<StoredMeasuring>(std::move(session), plan.budget, *evaluator_, *store_,
                                            InterruptGuard::flag());
  rows_->on_warning = [](const std::string& warning) { base::log_warning(warning); };
}

}  // namespace warptune::tuner::cli
