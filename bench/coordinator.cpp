// Measures the CPU time of the coordinator. It runs a session over a shipped kernel's space with an evaluator
// that answers immediately, and a real database file. Prints the CPU time (user and system) of this process
// per configuration.
//
//   coordinator [REPETITIONS=5] [CONFIGURATIONS=20000]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "profiling/counters/metrics.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/tuning_session.h"
#include "tuner/text_output/progress_display.h"

namespace {

using namespace warptune;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Answers one candidate per call, as one GPU does. An answer has as many samples and counters as a real
/// measurement. Counters come in batches of 32.
class InstantEvaluator : public tuner::evaluation::Evaluator {
 public:
  explicit InstantEvaluator(std::vector<std::string> metrics) : metrics_(std::move(metrics)) {}

  std::size_t wanted() const override { return kAhead > waiting_.size() ? kAhead - waiting_.size() : 0; }
  void submit(tuner::evaluation::Candidate candidate) override { waiting_.push_back(std::move(candidate)); }
  std::size_t pending() const override { return waiting_.size(); }
  std::vector<tuner::evaluation::EvaluationEvent> wait(std::chrono::milliseconds) override {
    std::vector<tuner::evaluation::EvaluationEvent> events;
    if (waiting_.empty()) return events;
    tuner::evaluation::Candidate candidate = std::move(waiting_.front());
    waiting_.pop_front();
    elapsed_s_ += 0.01;
    const std::uint64_t id = candidate.id;
    model::Measurement measurement = answer(std::move(candidate.configuration));
    uncounted_.push_back({id, counters()});
    events.emplace_back(tuner::evaluation::MeasurementEvent{id, std::move(measurement)});
    if (uncounted_.size() < kCounterBatch) return events;
    for (tuner::evaluation::CounterEvent& event : uncounted_) events.emplace_back(std::move(event));
    uncounted_.clear();
    return events;
  }
  void drop_waiting() override { waiting_.clear(); }
  void set_incumbent(double median_ns) override { incumbent_ns_ = median_ns; }
  std::vector<tuner::evaluation::CounterEvent> close_counters() override {
    return std::exchange(uncounted_, {});
  }
  std::vector<profiling::timing::FinalistTiming> time_interleaved(
      const std::vector<model::NamedValues>& finalists, int rounds) override {
    const profiling::timing::FinalistTiming timing{std::vector<double>(static_cast<std::size_t>(rounds), 1e6),
                                                   {}};
    return std::vector<profiling::timing::FinalistTiming>(finalists.size(), timing);
  }
  const model::Roofs& roofs() const override { return roofs_; }
  const model::Environment& environment() const override { return environment_; }
  double elapsed_s() const override { return elapsed_s_; }
  std::vector<std::string> take_warnings() override { return {}; }

 private:
  static constexpr std::size_t kAhead = 36;
  static constexpr std::size_t kCounterBatch = 32;

  // A time between 0.4 and 40 ms that depends only on the configuration. A configuration far slower
  // than the best is dropped after one launch.
  model::Measurement answer(model::NamedValues configuration) {
    const std::uint64_t hash = base::hash64(model::key_of(configuration));
    const double part = static_cast<double>(hash >> 11U) * 0x1p-53;
    const double median_ns = 4e5 + 4e7 * part * part;
    model::Measurement measurement;
    measurement.configuration = std::move(configuration);
    const bool dropped = incumbent_ns_ > 0.0 && median_ns > 1.5 * incumbent_ns_;
    measurement.status = dropped ? model::Status::kDropped : model::Status::kMeasured;
    for (int i = 0; i < (dropped ? 1 : 15); ++i)
      measurement.samples_ns.push_back(median_ns * (1.0 + 1e-4 * static_cast<double>((i * 7) % 15 - 7)));
    measurement.time = model::summarise(measurement.samples_ns);
    if (dropped) measurement.reason = "slower than the best so far";
    measurement.resources = {128, 16384, 0, 0, 256, 1024, 2, 0.25};
    measurement.compile_ms = 50.0;
    measurement.measure_ms = 10.0;
    return measurement;
  }

  model::Counters counters() const {
    model::Counters counters;
    double value = 12.3456789;
    for (const std::string& metric : metrics_) counters[metric] = value *= 1.5;
    return counters;
  }

  std::vector<std::string> metrics_;
  std::deque<tuner::evaluation::Candidate> waiting_;
  std::vector<tuner::evaluation::CounterEvent> uncounted_;
  double incumbent_ns_ = 0.0;
  double elapsed_s_ = 0.0;
  model::Roofs roofs_{4.2e12, 60e12};
  model::Environment environment_{"0.1.0", 13000, 13000, 1980, 3201, "0x0"};
};

struct Cost {
  double us_each = 0.0;
  std::uint64_t evaluated = 0;
};

Cost run_once(const kernel_templates::KernelInstance& instance, const std::string& strategy,
              std::uint64_t maximum, const std::filesystem::path& database) {
  std::filesystem::remove(database);
  std::filesystem::remove(database.string() + "-wal");
  std::filesystem::remove(database.string() + "-shm");
  db::Store store(database);
  InstantEvaluator evaluator(profiling::counters::core_metrics());
  tuner::text_output::ProgressDisplay display(stderr, false, true);
  const base::Cancellation never;
  const std::string budget = std::to_string(std::min<std::uint64_t>(maximum, instance.space().size()));
  tuner::session::SearchRequest search;
  search.budget = tuner::session::Budget::parse(budget);
  search.strategy = strategy;
  const tuner::session::SessionPlan plan{
      search,
      {instance.definition().name, instance.definition().hash, instance.problem(), instance.gpu()},
      instance.space(),
      instance.default_configuration(),
      instance.work()};
  const double before_s = cpu_seconds();
  const tuner::session::SessionResult result =
      tuner::session::run_session(plan, evaluator, store, display, never);
  return {1e6 * (cpu_seconds() - before_s) / static_cast<double>(result.progress.evaluated),
          result.progress.evaluated};
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 5;
  const std::uint64_t maximum = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 20000;
  std::string folder = (std::filesystem::temp_directory_path() / "warptune-coordinator-XXXXXX").string();
  if (repetitions < 1 || ::mkdtemp(folder.data()) == nullptr) return 1;
  fmt::print("kernel     strategy      configurations  CPU us each: median  lowest to highest of {}\n",
             repetitions);
  for (const char* kernel : {"sgemm", "reduction"}) {
    const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(kernel), {},
                                                    model::fictional_gpu());
    for (const char* strategy : {"random", "exhaustive", "local_search"}) {
      std::vector<double> us;
      std::uint64_t evaluated = 0;
      for (int i = 0; i < repetitions; ++i) {
        const Cost cost =
            run_once(instance, strategy, maximum, std::filesystem::path(folder) / "warptune.db");
        us.push_back(cost.us_each);
        evaluated = cost.evaluated;
      }
      std::sort(us.begin(), us.end());
      fmt::print("{:<9}  {:<12}  {:>14}  {:>19.1f}  {:.1f} to {:.1f}\n", kernel, strategy, evaluated,
                 us[us.size() / 2], us.front(), us.back());
      std::fflush(stdout);
    }
  }
  std::filesystem::remove_all(folder);
  return 0;
}
