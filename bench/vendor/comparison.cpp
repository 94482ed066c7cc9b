#include "bench/vendor/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/restricted.h"
#include "db/lookup.h"
#include "kernel_templates/library.h"
#include "profiling/kernel_runner.h"

namespace warptune::bench::vendor {

namespace {

using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using profiling::KernelRunner;
using Clock = std::chrono::steady_clock;

// A library call, and the times in which the host enqueued it.
struct TimedCall {
  Call call;
  std::shared_ptr<std::vector<double>> host_us = std::make_shared<std::vector<double>>();

  profiling::ExternalLaunch launch() const {
    return {[inner = call.launch.launch, times = host_us](void* stream,
                                                          const std::vector<std::uint64_t>& buffers) {
      const auto start = Clock::now();
      inner(stream, buffers);
      times->push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }};
  }
};

Timed timed_of(std::string name, std::vector<double> samples_ns) {
  Timed timed;
  timed.name = std::move(name);
  timed.time = model::summarise(samples_ns);
  timed.samples_ns = std::move(samples_ns);
  return timed;
}

std::optional<model::MedianInterval> ratio_of(const std::vector<double>& above,
                                              const std::vector<double>& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(above.size(), below.size()); ++i)
    ratios.push_back(above[i] / below[i]);
  return model::median_interval(ratios);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMet:
      return "yes";
    case Verdict::kTied:
      return "tied";
    case Verdict::kMissed:
      return "no";
  }
  return "";
}

std::optional<double> Comparison::roof_share() const {
  if (!best || !best->time || !roof_ns) return std::nullopt;
  return *roof_ns / best->time->median_ns;
}

std::optional<Verdict> Comparison::verdict() const {
  if (!best || (!row.goal.ratio && !row.goal.roof)) return std::nullopt;
  if (row.goal.ratio && !(ratio && ratio->median > 0.0)) return std::nullopt;
  if (row.goal.roof && roof_share() < *row.goal.roof) return Verdict::kMissed;
  if (!row.goal.ratio || ratio->median >= *row.goal.ratio) return Verdict::kMet;
  return ratio->high >= *row.goal.ratio ? Verdict::kTied : Verdict::kMissed;
}

Bench::Bench(model::GpuDescription gpu, db::Store* store, const ComparisonOptions& options)
    : gpu_(std::move(gpu)),
      store_(store),
      options_(options),
      pool_(3, std::chrono::seconds(120), options.compile_cache) {}

std::optional<model::NamedValues> Bench::best_of(const KernelInstance& instance, const Row& row) const {
  if (store_ == nullptr) return std::nullopt;
  const model::Workload workload = workload_of(row, instance);
  db::Question question;
  question.kernel = workload.kernel;
  question.kernel_hash = workload.kernel_hash;
  question.problem = workload.problem;
  question.gpu = workload.gpu;
  question.strict = true;
  const db::Match match = db::look_up(store_->winners(workload.kernel, workload.kernel_hash), question);
  if (match.tier != db::MatchTier::kExact) return std::nullopt;
  return match.configuration;
}

Comparison Bench::measure(const Row& row) {
  Comparison comparison;
  comparison.row = row;
  try {
    fill(comparison);
  } catch (const base::Error& error) {
    if (lost_) throw base::MachineError(fmt::format("{}: {}", row.name, error.what()), "");
    comparison.skipped = error.what();
  }
  return comparison;
}

void Bench::fill(Comparison& comparison) {
  const Row& row = comparison.row;
  const KernelInstance instance(kernel_templates::load_kernel(row.kernel), row.problem, gpu_);
  comparison.problem = model::to_text(instance.problem());
  comparison.work = instance.work();

  std::vector<std::pair<std::string, model::NamedValues>> configurations;
  if (const auto best = best_of(instance, row)) {
    comparison.best_configuration = *best;
    configurations.emplace_back("best", *best);
  }
  if (!instance.default_configuration().empty())
    configurations.emplace_back("default", instance.default_configuration());
  std::vector<kernel_templates::CompileRequest> requests;
  for (const auto& [name, configuration] : configurations) {
    auto request = instance.compile_request(configuration);
    if (!request) throw base::InputError(fmt::format("{}: {}", name, request.error().reason));
    requests.push_back(std::move(*request));
  }
  if (instance.has_reference()) {
    auto request = instance.reference_request();
    if (!request) throw base::InputError("reference: " + request.error().reason);
    requests.push_back(std::move(*request));
  }
  const auto compiled = pool_.compile_all(std::move(requests));
  for (const auto& outcome : compiled) {
    if (!outcome) throw base::InputError("does not compile: " + outcome.error().reason);
  }

  profiling::RunnerOptions runner_options;
  runner_options.seed = options_.seed;
  runner_options.count = false;
  runner_options.compile_cache = options_.compile_cache;
  runner_options.roofs = readings_;
  KernelRunner runner(instance, runner_options);
  readings_ = runner.roof_readings();
  roofs_ = runner.roofs();
  comparison.roof_ns = model::roof_time_ns(comparison.work, roofs_);
  try {
    if (instance.has_reference()) runner.prepare_reference(*compiled.back());
    const Workload workload(instance, runner);
    std::vector<TimedCall> calls;
    std::vector<std::string> faults;
    for (const std::string& name : row.references) {
      try {
        for (Call& call : find_reference(name).make(workload)) {
          const auto fault = call.same_result ? runner.verify(call.launch) : std::nullopt;
          faults.push_back(fault.value_or(""));
          calls.emplace_back().call = std::move(call);
        }
      } catch (const base::Error& error) {
        if (runner.context_lost()) throw;
        comparison.note += fmt::format("{}{}: {}", comparison.note.empty() ? "" : "; ", name, error.what());
      }
    }
    std::vector<KernelRunner::Finalist> finalists;
    for (std::size_t i = 0; i < configurations.size(); ++i)
      finalists.push_back({configurations[i].second, &*compiled[i]});
    std::vector<profiling::ExternalLaunch> launches;
    for (const TimedCall& watched : calls) launches.push_back(watched.launch());
    auto timings = runner.time_interleaved(finalists, launches, options_.rounds);
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      Timed timed = timed_of(configurations[i].first, std::move(timings[i].samples_ns));
      if (timed.name == "best") {
        comparison.best = std::move(timed);
      } else {
        comparison.by_default = std::move(timed);
      }
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      Timed timed = timed_of(calls[i].call.name, std::move(timings[configurations.size() + i].samples_ns));
      timed.fault = faults[i];
      timed.same_result = calls[i].call.same_result;
      timed.host_us = model::median_of(*calls[i].host_us);
      comparison.vendor.push_back(std::move(timed));
    }
  } catch (const base::Error&) {
    lost_ = runner.context_lost();
    throw;
  }
  if (!comparison.best) return;
  // A row without a reference is compared with the kernel's own default.
  const Timed& against = comparison.vendor.empty() ? comparison.by_default : comparison.vendor.front();
  const bool missing = comparison.vendor.empty() && !row.references.empty();
  if (!missing) comparison.ratio = ratio_of(against.samples_ns, comparison.best->samples_ns);
}

}  // namespace warptune::bench::vendor
