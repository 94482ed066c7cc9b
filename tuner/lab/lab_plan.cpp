// Turns the tables of an experiment into sessions for one GPU.
//
// Rows with the same kernel, problem and cache state share a session, so that one GPU worker measures them. A
// row names values; the rest of its configuration comes from the kernel's default. A row that tunes
// parameters has a candidate for each combination of their values. Candidates that break a constraint on this
// GPU are left out. A session measures each configuration once, although several rows may use it.
//
// A session reads the full set of counters, and every further counter that an expression names.
#include "tuner/lab/lab_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/library.h"
#include "profiling/counters/metrics.h"
#include "tuner/lab/lab_names.h"
#include "tuner/session/named_configuration.h"

namespace warptune::tuner::lab {

using kernel_templates::Experiment;
using kernel_templates::ExperimentRow;
using kernel_templates::ExperimentTable;
using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using model::NamedValues;

namespace {

class Planner {
 public:
  Planner(const Experiment& experiment, const model::GpuDescription& gpu) {
    plan_.experiment = experiment;
    plan_.gpu = gpu;
  }

  LabPlan make() {
    const std::set<std::string> named = metrics_named_in(plan_.experiment);
    for (const ExperimentTable& table : plan_.experiment.tables) {
      std::vector<PlannedRow>& rows = plan_.rows.emplace_back();
      for (const ExperimentRow& row : table.rows) {
        try {
          rows.push_back(plan_row(table, row));
        } catch (const base::InputError& error) {
          if (error.position().line > 0) throw;
          throw base::InputError(fmt::format("row {} of table {}: {}", row.id, table.name, error.message()),
                                 row.position);
        }
        if (rows.back().session) add_metrics(plan_.sessions[*rows.back().session], named, table.metrics);
      }
    }
    return std::move(plan_);
  }

 private:
  const KernelDefinition& definition_of(const std::string& kernel) {
    const auto known = definitions_.find(kernel);
    if (known != definitions_.end()) return known->second;
    return definitions_
        .emplace(kernel, kernel_templates::load_kernel(kernel, plan_.experiment.scope.permissions()))
        .first->second;
  }

  PlannedRow plan_row(const ExperimentTable& table, const ExperimentRow& row) {
    const KernelDefinition& definition = definition_of(row.kernel);
    NamedValues problem = row.problem;
    NamedValues set;
    for (const auto& [name, value] : row.set) {  // A sweep may vary sizes or parameters.
      NamedValues& where = model::find(definition.problem, name) != nullptr ? problem : set;
      where = session::with_changes(std::move(where), {{name, value}});
    }
    PlannedRow planned;
    planned.session = session_of(table, row.kernel, problem, planned.refusal);
    if (!planned.session) return planned;
    const KernelInstance& instance = *plan_.sessions[*planned.session].instance;
    std::vector<NamedValues> chosen = {session::with_changes(start_of(instance, definition), set)};
    for (const auto& [name, values] : row.tune) {
      std::vector<NamedValues> wider;
      for (const NamedValues& one : chosen) {
        for (const model::Value& value : values) wider.push_back(session::with_changes(one, {{name, value}}));
      }
      chosen = std::move(wider);
    }
    for (const NamedValues& one : chosen) add_candidate(planned, one);
    return planned;
  }

  // The instance has no default if the default is not valid on the GPU. Then the definition's default is
  // used.
  static const NamedValues& start_of(const KernelInstance& instance, const KernelDefinition& definition) {
    return instance.default_configuration().empty() ? definition.default_configuration
                                                    : instance.default_configuration();
  }

  void add_candidate(PlannedRow& planned, const NamedValues& candidate) {
    LabSession& session = plan_.sessions[*planned.session];
    const model::Space& space = session.instance->space();
    const auto indices = space.configuration_of(candidate);
    if (!indices) throw base::InputError(indices.error());
    if (const auto broken = space.broken_constraint(*indices)) {
      if (planned.candidates.empty()) planned.refusal = *broken;
      return;
    }
    planned.refusal.clear();
    planned.candidates.push_back(space.values_of(*indices));
    const std::string key = model::key_of(planned.candidates.back());
    const bool known = std::any_of(session.configurations.begin(), session.configurations.end(),
                                   [&](const NamedValues& other) { return model::key_of(other) == key; });
    if (!known) session.configurations.push_back(planned.candidates.back());
  }

  // The session of a row. Returns `std::nullopt` and sets `refusal` if no configuration of the kernel is
  // valid on the GPU.
  std::optional<std::size_t> session_of(const ExperimentTable& table, const std::string& kernel,
                                        const NamedValues& problem, std::string& refusal) {
    const std::string key =
        fmt::format("{}|{}|{}", kernel, model::key_of(problem), model::to_string(table.cache));
    if (const auto found = sessions_.find(key); found != sessions_.end()) return found->second;
    LabSession session;
    session.instance = instance_of(definition_of(kernel), problem, refusal);
    if (!session.instance) return std::nullopt;
    const int number = ++sessions_of_table_[table.name];
    session.name = number == 1 ? table.name : fmt::format("{}-{}", table.name, number);
    session.cache = table.cache;
    session.metrics = profiling::counters::full_metrics();
    plan_.sessions.push_back(std::move(session));
    return sessions_[key] = plan_.sessions.size() - 1;
  }

  // Returns null and sets `refusal` if only this GPU refuses the kernel. The kernel itself is wrong if it
  // fails on the fictional GPU, too; then this throws `base::InputError`.
  std::shared_ptr<const KernelInstance> instance_of(const KernelDefinition& definition,
                                                    const NamedValues& problem, std::string& refusal) const {
    try {
      return std::make_shared<const KernelInstance>(definition, problem, plan_.gpu);
    } catch (const base::InputError& error) {
      const KernelInstance elsewhere(definition, problem, model::fictional_gpu());
      refusal = error.message();
      return nullptr;
    }
  }

  static void add_metrics(LabSession& session, const std::set<std::string>& named,
                          const std::vector<std::string>& asked) {
    const auto add = [&](const std::string& name) {
      if (std::find(session.metrics.begin(), session.metrics.end(), name) == session.metrics.end())
        session.metrics.push_back(name);
    };
    for (const std::string& name : named) add(name);
    for (const std::string& name : asked) add(name);
  }

  LabPlan plan_;
  std::map<std::string, KernelDefinition> definitions_;
  std::map<std::string, std::size_t> sessions_;
  std::map<std::string, int> sessions_of_table_;
};

}  // namespace

LabPlan plan_experiment(const Experiment& experiment, const model::GpuDescription& gpu) {
  return Planner(experiment, gpu).make();
}

std::vector<std::string> compile_problems(const LabPlan& plan) {
  std::vector<std::string> problems;
  for (const LabSession& session : plan.sessions) {
    const KernelInstance& instance = *session.instance;
    const auto note = [&](const NamedValues& configuration, const std::string& reason) {
      problems.push_back(fmt::format("{} {}: {}", instance.definition().path.filename().string(),
                                     model::to_text(configuration), reason));
    };
    for (const NamedValues& configuration : session.configurations) {
      const auto screened = instance.screened_plan(configuration);
      if (!screened) note(configuration, screened.error().reason);
      const auto request = instance.compile_request(configuration);
      if (!request) {
        note(configuration, request.error().reason);
        continue;
      }
      if (const auto problem = kernel_templates::compile_problem(*request))
        note(configuration, problem->reason);
    }
    if (!instance.compiles_reference() || session.configurations.empty()) continue;
    const auto request = instance.reference_request();
    if (!request) {
      note({}, "the reference: " + request.error().reason);
      continue;
    }
    if (const auto problem = kernel_templates::compile_problem(*request))
      note({}, "the reference: " + problem->reason);
  }
  return problems;
}

}  // namespace warptune::tuner::lab
