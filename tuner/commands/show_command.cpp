#include "tuner/commands/show_command.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "db/store.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/session_json.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/roof_text.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands {

namespace {

constexpr std::size_t kShownRows = 10;  // In text, without --top.

void print_sessions(const db::Store& store) {
  text_output::TextTable table(
      {"session", "kernel", "problem", "GPU", "cache", "objective", "strategy", "budget", "started", "state"},
      {0});
  for (const db::Session& session : store.sessions()) {
    const std::string_view state = session.source != model::RowSource::kMeasured
                                       ? model::to_string(session.source)
                                   : session.finished_ms == 0 ? "not finished"
                                                              : "finished";
    table.add({std::to_string(session.id), session.workload.kernel, model::to_text(session.workload.problem),
               session.workload.gpu.name, std::string(model::to_string(session.workload.cache)),
               session.objective, session.strategy, session.budget,
               text_output::date_text(session.started_ms), std::string(state)});
  }
  text_output::print_text("{}", table.text());
}

// A number that describes the environment of a session, such as a clock rate; 0 means unknown.
std::string known_text(std::int64_t number, std::string_view unit = "") {
  return number == 0 ? "unknown" : fmt::format("{}{}", number, unit);
}

void print_head(const db::Session& session) {
  const model::Environment& environment = session.environment;
  text_output::print_text("session {}: {} {} on {}{}\n", session.id, session.workload.kernel,
                          model::to_text(session.workload.problem), session.workload.gpu.name,
                          session.source == model::RowSource::kMeasured
                              ? ""
                              : fmt::format(" ({})", model::to_string(session.source)));
  text_output::print_text("started {}, strategy {}, seed {}, budget {}, objective {}\ntimed from {}\n",
                          text_output::date_text(session.started_ms), session.strategy, session.seed,
                          session.budget, session.objective, model::l2_text(session.workload.cache));
  text_output::print_text(
      "warptune {}, driver {}, NVRTC {}, SM clock {}, memory clock {}, throttle reasons {}\n",
      environment.warptune_version, model::driver_text(environment),
      model::cuda_version_text(environment.nvrtc_version), known_text(environment.sm_clock_mhz, " MHz"),
      known_text(environment.memory_clock_mhz, " MHz"),
      environment.throttle_reasons.empty() ? "unknown" : environment.throttle_reasons);
  if (knowledge::is_of_other_version(session.workload))
    text_output::print_text("{}\n", knowledge::kOtherVersion);
  text_output::print_text("roofs: {}\n\n", text_output::roofs_line(session.roofs));
}

// The counter of a row in per cent.
std::string counter_text(const model::Measurement& row, const char* name) {
  const auto found = row.counters.find(name);
  return found == row.counters.end() ? "-" : text_output::format_counter("%", found->second);
}

std::string rows_table(const std::vector<model::Measurement>& rows, const db::Session& session) {
  const std::optional<double> roof_ns = model::roof_time_ns(session.work, session.roofs);
  const std::string roof = roof_ns ? text_output::roof_heading(session.work, session.roofs) : "of the roof";
  text_output::TextTable table(
      {"time", "95 % interval", roof, "DRAM", "occupancy", "registers", "configuration"}, {0, 2, 3, 4, 5});
  for (const model::Measurement& row : rows) {
    const bool best = &row == &rows.front() && row.status == model::Status::kMeasured;
    std::vector<std::string> cells = {text_output::time_text(row),
                                      text_output::interval_text(row),
                                      roof_ns ? text_output::roof_share_text(row, *roof_ns) : "-",
                                      counter_text(row, "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
                                      counter_text(row, "sm__warps_active.avg.pct_of_peak_sustained_active"),
                                      std::to_string(row.resources.registers_per_thread),
                                      model::to_text(row.configuration)};
    if (best) {
      table.add(std::move(cells), text_output::Style::kGood);
    } else {
      table.add(std::move(cells));
    }
  }
  return table.text();
}

// The failures by reason. A person has to look at each implausible row, so those are listed one by one.
void print_failures(const db::Store& store, const db::Session& session,
                    const std::vector<db::OutcomeCount>& outcomes) {
  using model::Status;
  std::map<std::string, std::uint64_t> reasons;
  bool implausible = false;
  for (const db::OutcomeCount& outcome : outcomes) {
    implausible = implausible || outcome.status == Status::kImplausible;
    if (outcome.status == Status::kMeasured || outcome.status == Status::kDropped ||
        outcome.status == Status::kImplausible)
      continue;
    reasons[fmt::format("{}: {}", model::to_string(outcome.status), outcome.reason)] += outcome.rows;
  }
  if (implausible) {
    text_output::print_text("\nimplausible measurements, which are not ranked\n");
    for (const db::StoredMeasurement& row : store.session_measurements(session.id, Status::kImplausible))
      text_output::print_text("{}: {}\n", model::to_text(row.measurement.configuration),
                              row.measurement.reason);
  }
  if (reasons.empty()) return;
  text_output::print_text("\nfailures\n");
  for (const auto& [reason, count] : reasons) text_output::print_text("{} x {}\n", count, reason);
}

std::map<model::Status, std::uint64_t> counts_of(const std::vector<db::OutcomeCount>& outcomes) {
  std::map<model::Status, std::uint64_t> counts;
  for (const db::OutcomeCount& outcome : outcomes) counts[outcome.status] += outcome.rows;
  return counts;
}

std::vector<model::Measurement> measurements_of(std::vector<db::StoredMeasurement> rows) {
  std::vector<model::Measurement> measurements;
  measurements.reserve(rows.size());
  for (db::StoredMeasurement& row : rows) measurements.push_back(std::move(row.measurement));
  return measurements;
}

void print_rows(const db::Store& store, const db::Session& session, std::size_t top) {
  const std::vector<db::OutcomeCount> outcomes = store.outcome_counts(session.id);
  std::map<model::Status, std::uint64_t> counts = counts_of(outcomes);
  const std::vector<model::Measurement> shown = measurements_of(store.fastest_of_session(session.id, top));
  text_output::print_text("{} measured{}, the fastest {}:\n{}", counts[model::Status::kMeasured],
                          counts[model::Status::kDropped] == 0
                              ? ""
                              : fmt::format(", {} dropped", counts[model::Status::kDropped]),
                          shown.size(), rows_table(shown, session));
  print_failures(store, session, outcomes);
}

base::InputError no_session(std::string_view wanted) {
  return base::InputError(fmt::format("there is no session {}; warptune show lists all", wanted));
}

int show(const ShowOptions& options) {
  const db::Store store = knowledge::open_database(options.database);
  if (!options.session) {
    if (options.json) {
      text_output::print_out("{}\n", json_output::to_text(json_output::sessions_json(store.sessions())));
    } else {
      print_sessions(store);
    }
    return 0;
  }
  const std::optional<db::Session> session = store.session(*options.session);
  if (!session) throw no_session(std::to_string(*options.session));
  if (options.json) {
    const std::vector<model::Measurement> shown =
        measurements_of(options.top ? store.fastest_of_session(session->id, *options.top)
                                    : store.session_measurements(session->id));
    text_output::print_out("{}\n", json_output::to_text(json_output::shown_session_json(
                                       *session, counts_of(store.outcome_counts(session->id)), shown)));
  } else {
    print_head(*session);
    print_rows(store, *session, options.top.value_or(kShownRows));
  }
  return 0;
}

Options declare_show() {
  Options options(
      "show [SESSION]",
      "Shows one session (its environment, fastest configurations and failures), or lists all sessions.");
  options.positional("SESSION", 0, 1)
      .value("top", "N",
             fmt::format(
                 "number of the fastest configurations to show; default: {}, and all rows with --format json",
                 kShownRows));
  declare_database(options).common();
  options.example("show", "Lists all sessions.")
      .example("show 3 --top 20", "Shows session 3 with its twenty fastest configurations.")
      .related({"query", "report", "db"});
  return options;
}

}  // namespace

std::optional<ShowOptions> parse_show(const std::vector<std::string>& arguments) {
  Options options = declare_show();
  if (!options.parse(arguments)) return std::nullopt;
  ShowOptions read;
  for (const std::string& wanted : options.texts("SESSION")) {
    const std::optional<model::Value> id = model::parse_value(wanted, model::ValueType::kInteger);
    if (!id) throw no_session(wanted);
    read.session = std::get<std::int64_t>(*id);
  }
  if (const auto top = options.number("top")) read.top = static_cast<std::size_t>(*top);
  read.database = read_database(options);
  read.json = options.json();
  return read;
}

namespace {

int run_show(const std::vector<std::string>& arguments) {
  const std::optional<ShowOptions> options = parse_show(arguments);
  return options ? show(*options) : 0;
}

}  // namespace

Command show_command() {
  return {"show", "show one tuning session from the database, or list all", run_show,
          [] { return declare_show().description(); }};
}

}  // namespace warptune::tuner::commands
