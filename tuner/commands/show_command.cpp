#include "tuner/commands/show_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

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
    const std::string state = session.replayed           ? "replayed"
                              : session.finished_ms == 0 ? "not finished"
                                                         : "finished";
    table.add({std::to_string(session.id), session.workload.kernel, model::to_text(session.workload.problem),
               session.workload.gpu.name, std::string(model::to_string(session.workload.cache)),
               session.objective, session.strategy, session.budget,
               text_output::date_text(session.started_ms), state});
  }
  text_output::print_text("{}", table.text());
}

void print_head(const db::Session& session) {
  const model::Environment& environment = session.environment;
  text_output::print_text("session {}: {} {} on {}{}\n", session.id, session.workload.kernel,
                          model::to_text(session.workload.problem), session.workload.gpu.name,
                          session.replayed ? " (replayed)" : "");
  text_output::print_text("started {}, strategy {}, seed {}, budget {}, objective {}\ntimed from {}\n",
                          text_output::date_text(session.started_ms), session.strategy, session.seed,
                          session.budget, session.objective, model::l2_text(session.workload.cache));
  text_output::print_text(
      "warptune {}, driver {}, NVRTC {}, SM clock {} MHz, memory clock {} MHz, throttle reasons {}\n",
      environment.warptune_version, environment.driver_version.value_or(0), environment.nvrtc_version,
      environment.sm_clock_mhz, environment.memory_clock_mhz,
      environment.throttle_reasons.empty() ? "unknown" : environment.throttle_reasons);
  if (knowledge::is_of_other_version(session.workload))
    text_output::print_text("{}\n", knowledge::kOtherVersion);
  text_output::print_text("roofs: {}\n\n", text_output::roofs_line(session.roofs));
}

bool has_estimate(const model::Measurement& row) {
  return row.status == model::Status::kMeasured || row.status == model::Status::kDropped;
}

// The fastest rows in order, at most `top`. Dropped rows come after measured ones, whatever their estimated
// times.
std::vector<model::Measurement> fastest(std::vector<model::Measurement> rows, std::size_t top) {
  std::erase_if(rows, [](const model::Measurement& row) { return !has_estimate(row); });
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.status, a.time.median_ns) < std::tuple(b.status, b.time.median_ns);
  });
  if (rows.size() > top) rows.resize(top);
  return rows;
}

void print_rows(const std::vector<model::Measurement>& rows, const db::Session& session, std::size_t top) {
  using model::Status;
  const std::optional<double> roof_ns = model::roof_time_ns(session.work, session.roofs);
  std::map<std::string, std::uint64_t> reasons;
  std::map<Status, std::size_t> counts;
  std::string implausible;  // A person has to look at each.
  for (const model::Measurement& row : rows) {
    ++counts[row.status];
    if (row.status == Status::kImplausible) {
      implausible += fmt::format("{}: {}\n", model::to_text(row.configuration), row.reason);
    } else if (!has_estimate(row))
      ++reasons[fmt::format("{}: {}", model::to_string(row.status), row.reason)];
  }
  const std::vector<model::Measurement> shown = fastest(rows, top);
  const std::string roof = roof_ns ? text_output::roof_heading(session.work, session.roofs) : "of the roof";
  text_output::TextTable table(
      {"time", "95 % interval", roof, "DRAM", "occupancy", "registers", "configuration"}, {0, 2, 3, 4, 5});
  const auto counter = [](const model::Measurement& row, const char* name) {
    const auto found = row.counters.find(name);
    return found == row.counters.end() ? std::string("-") : text_output::format_counter("%", found->second);
  };
  for (const model::Measurement& row : shown) {
    const bool best = &row == &shown.front() && row.status == Status::kMeasured;
    std::vector<std::string> cells = {text_output::time_text(row),
                                      text_output::interval_text(row),
                                      roof_ns ? text_output::roof_share_text(row, *roof_ns) : "-",
                                      counter(row, "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
                                      counter(row, "sm__warps_active.avg.pct_of_peak_sustained_active"),
                                      std::to_string(row.resources.registers_per_thread),
                                      model::to_text(row.configuration)};
    if (best) {
      table.add(std::move(cells), text_output::Style::kGood);
    } else {
      table.add(std::move(cells));
    }
  }
  text_output::print_text(
      "{} measured{}, the fastest {}:\n{}", counts[Status::kMeasured],
      counts[Status::kDropped] == 0 ? "" : fmt::format(", {} dropped", counts[Status::kDropped]),
      shown.size(), table.text());
  if (!implausible.empty())
    text_output::print_text("\nimplausible measurements, which are not ranked\n{}", implausible);
  if (reasons.empty()) return;
  text_output::print_text("\nfailures\n");
  for (const auto& [reason, count] : reasons) text_output::print_text("{} x {}\n", count, reason);
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
  std::vector<model::Measurement> rows;
  for (db::StoredMeasurement& row : store.session_measurements(session->id))
    rows.push_back(std::move(row.measurement));
  if (options.json) {
    const std::vector<model::Measurement> shown = options.top ? fastest(rows, *options.top) : rows;
    text_output::print_out("{}\n",
                           json_output::to_text(json_output::shown_session_json(*session, rows, shown)));
  } else {
    print_head(*session);
    print_rows(rows, *session, options.top.value_or(kShownRows));
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
