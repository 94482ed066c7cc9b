#include "tuner/replay/replay_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "model/fields.h"
#include "tuner/text_output/csv.h"

namespace warptune::tuner::replay {

namespace {

constexpr std::array<std::string_view, 6> kColumns = {"strategy",   "recording",    "repeat",
                                                      "evaluation", "objective_ns", "seconds"};
enum Column { kStrategy, kRecording, kRepeat, kEvaluation, kObjective, kSeconds };

struct Evaluation {
  std::uint64_t number = 0;
  std::optional<double> objective_ns = {};
  std::optional<double> seconds = {};
  int line = 0;
};

class TraceReader {
 public:
  TraceReader(const std::filesystem::path& path, const std::vector<ReplayWorkload>& workloads)
      : path_(path), workloads_(workloads) {}

  std::vector<StrategyRuns> read() {
    const std::string text = base::read_file(path_);
    std::size_t start = 0;
    for (line_ = 1; start < text.size(); ++line_) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view line = base::trim(std::string_view(text).substr(start, end - start));
      start = end + 1;
      if (line_ == 1) {
        read_heading(line);
      } else if (!line.empty()) {
        read_row(line);
      }
    }
    if (line_ == 1) fail("expected traces, but the file is empty");
    return collect();
  }

 private:
  [[noreturn]] void fail(const std::string& message, int line = 0) const {
    throw base::InputError(message, {path_.string(), line == 0 ? line_ : line, 0});
  }

  std::vector<std::string> cells_of(std::string_view line) const {
    std::optional<std::vector<std::string>> cells = text_output::csv_cells(line);
    if (!cells) fail("expected cells between commas, found a cell whose quotes do not enclose all of it");
    return *std::move(cells);
  }

  void read_heading(std::string_view line) {
    const std::vector<std::string> names = cells_of(line);
    width_ = names.size();
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return base::trim(name) == kColumns[i];
      });
      if (found != names.end()) {
        places_[i] = static_cast<std::size_t>(found - names.begin());
      } else if (i != kSeconds) {
        fail(fmt::format("expected the columns {}, found '{}'", fmt::join(kColumns, ","), line));
      }
    }
  }

  void read_row(std::string_view line) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != width_) fail(fmt::format("expected {} columns, found {}", width_, cells.size()));
    const std::string& recording = cells[*places_[kRecording]];
    const auto workload = std::find_if(workloads_.begin(), workloads_.end(),
                                       [&](const ReplayWorkload& any) { return any.name() == recording; });
    if (workload == workloads_.end()) {
      unknown_.insert(recording);
      return;
    }
    Evaluation evaluation;
    evaluation.number = count(cells, kEvaluation);
    evaluation.objective_ns = number(cells, kObjective);
    evaluation.seconds = places_[kSeconds] ? number(cells, kSeconds) : std::nullopt;
    evaluation.line = line_;
    if (evaluation.objective_ns && *evaluation.objective_ns <= 0.0)
      fail("objective_ns: expected a positive number or an empty cell");
    const std::string& strategy = cells[*places_[kStrategy]];
    if (runs_.count(strategy) == 0) order_.push_back(strategy);
    runs_[strategy][static_cast<std::size_t>(workload - workloads_.begin())][count(cells, kRepeat)].push_back(
        evaluation);
  }

  std::uint64_t count(const std::vector<std::string>& cells, Column column) const {
    const auto value = model::parse_value(base::trim(cells[*places_[column]]), model::ValueType::kInteger);
    if (!value || std::get<std::int64_t>(*value) < 0) {
      fail(fmt::format("{}: expected an integer, 0 or more, found '{}'", kColumns[column],
                       cells[*places_[column]]));
    }
    return static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
  }

  std::optional<double> number(const std::vector<std::string>& cells, Column column) const {
    const std::string_view cell = base::trim(cells[*places_[column]]);
    if (cell.empty()) return std::nullopt;
    const auto value = model::parse_value(cell, model::ValueType::kReal);
    if (!value)
      fail(fmt::format("{}: expected a number or an empty cell, found '{}'", kColumns[column], cell));
    return model::from_nan(std::get<double>(*value));
  }

  std::vector<StrategyRuns> collect() {
    for (const std::string& name : unknown_) {
      base::log_warning(
          fmt::format("{}: traces of {} are left out, because it is not one of the given recordings",
                      path_.string(), name));
    }
    std::vector<StrategyRuns> all;
    for (const std::string& strategy : order_) {
      StrategyRuns& runs = all.emplace_back();
      runs.strategy = strategy;
      runs.by_recording.resize(workloads_.size());
      for (auto& [recording, repeats] : runs_[strategy]) {
        for (auto& [repeat, evaluations] : repeats) {
          search::scoring::Trace trace = trace_of(evaluations);
          trace.strategy = strategy;
          trace.repeat = repeat;
          runs.by_recording[recording].push_back(std::move(trace));
        }
      }
      warn_of_missing(runs);
    }
    return all;
  }

  // Overall figures are over the recordings that every strategy has, so a gap changes all of them.
  void warn_of_missing(const StrategyRuns& runs) const {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < workloads_.size(); ++i) {
      if (runs.by_recording[i].empty()) missing.push_back(workloads_[i].name());
    }
    if (missing.empty()) return;
    base::log_warning(
        fmt::format("{}: '{}' has no runs of {}; the overall figures of all strategies leave "
                    "{} out",
                    path_.string(), runs.strategy, fmt::join(missing, ", "),
                    missing.size() == 1 ? "this recording" : "these recordings"));
  }

  search::scoring::Trace trace_of(std::vector<Evaluation>& evaluations) const {
    std::stable_sort(evaluations.begin(), evaluations.end(),
                     [](const Evaluation& a, const Evaluation& b) { return a.number < b.number; });
    search::scoring::Trace trace;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      if (evaluations[i].number != i + 1) {
        fail(fmt::format("expected evaluation {} of this run, found {}", i + 1, evaluations[i].number),
             evaluations[i].line);
      }
      trace.add(evaluations[i].seconds, evaluations[i].objective_ns);
    }
    return trace;
  }

  std::filesystem::path path_;
  const std::vector<ReplayWorkload>& workloads_;
  int line_ = 1;
  std::size_t width_ = 0;
  std::array<std::optional<std::size_t>, kColumns.size()> places_;
  std::vector<std::string> order_;
  std::map<std::string, std::map<std::size_t, std::map<std::uint64_t, std::vector<Evaluation>>>> runs_;
  std::set<std::string> unknown_;
};

}  // namespace

std::vector<StrategyRuns> read_traces(const std::filesystem::path& path,
                                      const std::vector<ReplayWorkload>& workloads) {
  return TraceReader(path, workloads).read();
}

std::string traces_csv(const std::vector<StrategyRuns>& runs, const std::vector<ReplayWorkload>& workloads) {
  const auto name_cell = [](const std::string& name) {
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw base::InputError(fmt::format("traces cannot hold the name '{}': it has a line break", name));
    }
    return text_output::csv_cell(name);
  };
  std::string text = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const StrategyRuns& strategy : runs) {
    for (std::size_t recording = 0; recording < workloads.size(); ++recording) {
      for (const search::scoring::Trace& trace : strategy.by_recording[recording]) {
        for (std::size_t i = 0; i < trace.points.size(); ++i) {
          const search::scoring::TracePoint& point = trace.points[i];
          const auto cell = [](const std::optional<double>& value) {
            return value ? fmt::format("{}", *value) : std::string();
          };
          text += fmt::format("{},{},{},{},{},{}\n", name_cell(strategy.strategy),
                              name_cell(workloads[recording].name()), trace.repeat, i + 1,
                              cell(point.objective_ns), cell(point.seconds));
        }
      }
    }
  }
  return text;
}

}  // namespace warptune::tuner::replay
