// Explains why one configuration is faster than another, and which parameters matter.
//
// The path from the start to the end changes one parameter at a time. The change with the largest gain comes
// first. This is ablation analysis (Fawcett and Hoos, J. Heuristics 22, 2016; `search::analysis::Ablation`).
// The analysis asks for the rows that it needs. They come from the recording, from the database if the
// recording is only a sample, or from new measurements. The path avoids rows that cannot be obtained.
// The logarithms of the steps' ratios add up to that of the whole path, so each step has a share of the gain.
//
// Each step also shows the metrics that changed, and the effect of the same change over all pairs of rows
// that differ only by it. A random forest over all rows gives the importance of parameters. It also predicts
// the effect of each change, and their order, where changes were measured only together. Both ends are
// diagnosed from their counters.
#include "tuner/explaining/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "model/row_sources.h"
#include "tuner/explaining/diagnosis_input.h"
#include "tuner/session/named_configuration.h"

namespace warptune::tuner::explaining {

namespace {

// The note about an end of the path that has no time.
std::string failure_text(const std::string& title, const model::Measurement& row) {
  const std::string_view first_line = base::first_line(row.reason);
  return fmt::format("the {} has no time ({}{}{})", title, model::to_string(row.status),
                     first_line.empty() ? "" : ": ", first_line);
}

// Whether the intervals of both times overlap.
bool have_common_times(const model::TimeSummary& a, const model::TimeSummary& b) {
  return a.low_ns && a.high_ns && b.low_ns && b.high_ns && *a.low_ns <= *b.high_ns && *b.low_ns <= *a.high_ns;
}

// Only CUPTI's names of counters have a dot. Files of other tuners may list any number as a counter.
bool has_hardware_counter(const model::Measurement& row) {
  return std::any_of(row.counters.begin(), row.counters.end(),
                     [](const auto& counter) { return counter.first.find('.') != std::string::npos; });
}

class Explainer {
 public:
  Explainer(const model::Recording& recording, const ExplanationRequest& request)
      : recording_(recording), request_(request), space_(recording_.space()) {
    // A path compares times, so all its rows have the same source.
    model::keep_best_source(recording_.measurements);
    source_ = model::best_source(recording_.measurements).value_or(source_);
    const bool imported = source_ == model::RowSource::kImported && !recording_.measurements.empty();
    measures_ = request_.measure && !imported;
    if (request_.measure && imported)
      result_.notes.emplace_back(
          "the rows were imported, so no step is measured: times of two sources are not compared");
    for (std::size_t i = 0; i < recording_.measurements.size(); ++i)
      by_key_[model::key_of(recording_.measurements[i].configuration)] = i;
  }

  Explanation explain() {
    choose_ends();
    if (!from_.empty() && !to_.empty()) walk();
    const search::analysis::TimedRows rows = search::analysis::timed_rows(recording_);
    result_.rows = recording_.measurements.size();
    result_.timed = rows.size();
    result_.estimated = rows.estimated;
    result_.has_counters = std::any_of(rows.measurements.begin(), rows.measurements.end(),
                                       [](const auto* row) { return has_hardware_counter(*row); });
    if (!result_.has_counters && rows.size() > 0)
      result_.notes.emplace_back(
          "no counters were recorded: the path shows times only; measure with `warptune tune --metrics "
          "core`");
    add_models(rows);
    result_.from = copy_of(from_);
    result_.to = copy_of(to_);
    if (ablation_) explain_steps(rows);
    add_diagnoses(rows);
    result_.next_steps =
        search::analysis::next_steps_of(rows, result_.over_space ? result_.over_space->model.get() : nullptr);
    return std::move(result_);
  }

 private:
  const model::Measurement* row_of(const model::NamedValues& configuration) const {
    const auto found = by_key_.find(model::key_of(configuration));
    return found == by_key_.end() ? nullptr : &recording_.measurements[found->second];
  }

  std::optional<model::Measurement> copy_of(const model::NamedValues& configuration) const {
    const model::Measurement* row = row_of(configuration);
    return row == nullptr ? std::nullopt : std::optional<model::Measurement>(*row);
  }

  void choose_ends() {
    result_.from_title = request_.from.empty() ? "default" : "start";
    result_.to_title = request_.to.empty() ? "best" : "end";
    const search::analysis::TimedRows rows = search::analysis::timed_rows(recording_);
    const std::optional<std::size_t> fastest = rows.best();
    if (!request_.best.empty()) {
      to_ = request_.best;
    } else if (fastest) {
      to_ = rows.measurements[*fastest]->configuration;
    }
    to_ = session::with_changes(to_, request_.to);
    if (!request_.to.empty()) session::require_valid(space_, to_, "to");
    const bool has_default = !recording_.default_configuration.empty();
    if (has_default || !request_.from.empty())
      from_ = session::with_changes(has_default ? recording_.default_configuration : to_, request_.from);
    if (!request_.from.empty()) session::require_valid(space_, from_, "from");
    if (to_.empty())
      result_.notes.emplace_back("no configuration was measured completely, so there is no best");
    if (from_.empty())
      result_.notes.emplace_back(
          "there is no default configuration to start from: name one with --from NAME=VALUE ...");
  }

  // Finds the path. If rows can be measured, dropped rows are measured again instead of using their
  // estimates.
  void walk() {
    try {
      ablation_.emplace(space_, from_, to_);
    } catch (const base::InputError& error) {
      result_.notes.push_back(fmt::format("no path from the {} to the {}: {}", result_.from_title,
                                          result_.to_title, error.what()));
      return;
    }
    if (request_.look_up) look_up_path();
    for (const model::Measurement& row : recording_.measurements) {
      if (!measures_ || row.status != model::Status::kDropped) ablation_->tell(row);
    }
    while (measures_) {
      const std::vector<model::NamedValues> missing = ablation_->next_unknown();
      if (missing.empty()) break;
      const std::size_t before = result_.measured_now;
      take(request_.measure(missing));
      for (const model::NamedValues& configuration : missing) {
        if (const model::Measurement* row = row_of(configuration)) {
          ablation_->tell(*row);
        } else {
          ablation_->give_up(configuration);
        }
      }
      // The budget is spent, or this machine has no GPU for the workload.
      if (result_.measured_now < before + missing.size()) break;
    }
    // From here on, dropped rows are used, too.
    for (const model::Measurement& row : recording_.measurements) ablation_->tell(row);
    ablation_->ask_no_more();
    ablation_->next_unknown();
    result_.arrived = ablation_->arrived();
    result_.not_measured = ablation_->unmeasured_changes();
  }

  // Looks up the rows outside the sample that the path would ask for.
  void look_up_path() {
    search::analysis::Ablation path(space_, from_, to_);
    for (const model::Measurement& row : recording_.measurements) path.tell(row);
    while (true) {
      const std::vector<model::NamedValues> missing = path.next_unknown();
      if (missing.empty()) return;
      for (const model::NamedValues& configuration : missing) {
        std::optional<model::Measurement> row = request_.look_up(configuration);
        if (row && row->source <= source_) {
          path.tell(*row);
          add(*std::move(row));
        } else {
          path.give_up(configuration);
        }
      }
    }
  }

  void add(model::Measurement row) {
    const auto [place, is_new] =
        by_key_.emplace(model::key_of(row.configuration), recording_.measurements.size());
    if (is_new) {
      recording_.measurements.push_back(std::move(row));
    } else {
      recording_.measurements[place->second] = std::move(row);
    }
  }

  // Adds measured rows. A row replaces the dropped row of the same configuration.
  void take(std::vector<model::Measurement> measured) {
    result_.measured_now += measured.size();
    for (model::Measurement& row : measured) add(std::move(row));
  }

  void explain_steps(const search::analysis::TimedRows& rows) {
    if (!result_.from) result_.notes.push_back(fmt::format("the {} was not measured", result_.from_title));
    if (!result_.to) result_.notes.push_back(fmt::format("the {} was not measured", result_.to_title));
    if (ablation_->start() == nullptr || !result_.from || !result_.to) {
      if (result_.from && !search::analysis::has_time(*result_.from))
        result_.notes.push_back(failure_text(result_.from_title, *result_.from));
      return;
    }
    if (!search::analysis::has_time(*result_.to)) {
      result_.notes.push_back(failure_text(result_.to_title, *result_.to));
      return;
    }
    const double whole = std::log(result_.to->time->median_ns / result_.from->time->median_ns);
    const search::analysis::MetricChanges changes(rows);
    const search::analysis::ParameterEffects effects(rows);
    const model::Measurement* before = ablation_->start();
    for (const search::analysis::AblationStep& step : ablation_->steps()) {
      ExplainedStep& explained = result_.steps.emplace_back();
      explained.step = step;
      explained.before = *before;
      explained.ratio = step.after.time->median_ns / before->time->median_ns;
      explained.share = whole != 0.0 ? std::log(explained.ratio) / whole : 0.0;
      explained.within_noise = have_common_times(*step.after.time, *before->time);
      explained.metrics = changes.between(*before, step.after);
      if (step.changes.size() == 1) {
        const search::analysis::ParameterStep& change = step.changes.front();
        if (const auto of_space = effects.change_of(change.name, change.from, change.to))
          explained.everywhere = effects.time_effect(*of_space);
      }
      if (step.grouping == search::analysis::Grouping::kUnmeasuredSeparately && result_.over_space)
        explained.modelled = modelled_changes(*before, step.after);
      before = &step.after;
    }
  }

  // The path between two rows whose times the model predicts.
  std::vector<ModelledChange> modelled_changes(const model::Measurement& from,
                                               const model::Measurement& to) const {
    const search::models::Forest& forest = *result_.over_space->model;
    if (!search::analysis::is_trustworthy(*result_.over_space)) return {};
    search::analysis::Ablation path(space_, from.configuration, to.configuration);
    while (true) {
      const std::vector<model::NamedValues> missing = path.next_unknown();
      if (missing.empty()) break;
      for (const model::NamedValues& configuration : missing) {
        model::Measurement row;
        row.configuration = configuration;
        row.status = model::Status::kMeasured;
        row.time = model::TimeSummary{std::exp(forest.predict(*space_.configuration_of(configuration)))};
        path.tell(row);
      }
    }
    if (!path.arrived()) return {};
    std::vector<ModelledChange> changes;
    const model::Measurement* before = path.start();
    for (const search::analysis::AblationStep& step : path.steps()) {
      if (step.changes.size() != 1) return {};
      changes.push_back({step.changes.front(), step.after.time->median_ns / before->time->median_ns});
      before = &step.after;
    }
    return changes;
  }

  void add_diagnoses(const search::analysis::TimedRows& rows) {
    const search::analysis::ParameterEffects effects(rows);
    const auto diagnosis_of = [&](const std::optional<model::Measurement>& row) {
      std::optional<profiling::diagnosis::Diagnosis> diagnosis;
      if (row && search::analysis::has_time(*row) && result_.has_counters)
        diagnosis = profiling::diagnosis::diagnose(
            diagnosis_input(recording_, *row, &effects, request_.instance, request_.compile_cache));
      return diagnosis;
    };
    result_.from_diagnosis = diagnosis_of(result_.from);
    result_.to_diagnosis = diagnosis_of(result_.to);
  }

  void add_models(const search::analysis::TimedRows& rows) {
    result_.over_space = search::analysis::importance_over_space(rows, space_, request_.seed);
    result_.near_best =
        search::analysis::importance_near_best(rows, search::analysis::kNearRatio, request_.seed);
    if (!result_.over_space) {
      result_.notes.push_back(fmt::format("{} with a time: the model of parameter importance needs {}",
                                          base::counted(rows.size(), "configuration"),
                                          search::analysis::kMinForModel));
    }
  }

  model::Recording recording_;  // Includes rows that are measured for the path.
  model::RowSource source_ = model::RowSource::kImported;
  bool measures_ = false;  // Whether rows that the path lacks are measured.
  std::unordered_map<std::string, std::size_t> by_key_;
  const ExplanationRequest& request_;
  model::Space space_;
  model::NamedValues from_;
  model::NamedValues to_;
  std::optional<search::analysis::Ablation> ablation_;
  Explanation result_;
};

}  // namespace

Explanation explain(const model::Recording& recording, const ExplanationRequest& request) {
  return Explainer(recording, request).explain();
}

}  // namespace warptune::tuner::explaining
