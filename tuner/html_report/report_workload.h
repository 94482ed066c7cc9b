#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"
#include "profiling/hot_lines.h"

namespace warptune::tuner::html_report {

/// Positions and counts in a whole session, for a report that has only a sample of the session's rows.
struct SampledSession {
  struct Place {
    std::uint64_t number = 0;  ///< From 1, in the order in which evaluations ended.
    double elapsed_s = 0.0;    ///< From the session's start.
  };
  std::vector<Place> places;      ///< One for each of the session's `measurements`.
  std::uint64_t evaluations = 0;  ///< Number of evaluations of the whole session.
  double elapsed_s = 0.0;         ///< Until the end of the last evaluation.
  bool by_time_stamps = false;    ///< As in `SessionOrder`.
};

/// A session that contributed rows to a report. A recording counts as one session without an id.
struct ReportSession {
  std::int64_t id = 0;  ///< The id in the database; 0 without one.
  std::string strategy;
  std::uint64_t seed = 0;
  std::string budget;
  std::string objective = "time";
  model::RowSource source = model::RowSource::kMeasured;
  std::int64_t started_ms = 0;   ///< Unix time; 0 when unknown.
  std::int64_t finished_ms = 0;  ///< 0 when it is running, was interrupted, or is unknown.
  model::Environment environment;
  std::vector<model::Measurement> measurements;  ///< Includes rows that a later session measured again.
  /// Set if `measurements` are only a part of the session. They are then in the order in which they ended,
  /// and contain every row that was the best so far.
  std::optional<SampledSession> sampled{};
};

/// The source of a kernel, as a report shows it.
struct ReportSource {
  std::string file;  ///< Its name without folders.
  std::string text;
};

/// The source lines at which the GPU's sampler found the warps of one configuration.
struct ReportedHotLines {
  model::NamedValues configuration;
  profiling::HotLines lines;
};

/// Everything that is known of a kernel for one problem, GPU and cache state.
struct ReportWorkload {
  std::string origin;                         ///< The source in words: a file's name, "the database".
  model::Recording recording;                 ///< The newest measurement of each configuration.
  std::vector<ReportSession> sessions;        ///< Oldest first, at least one.
  model::NamedValues best_configuration;      ///< Empty when nothing was measured.
  std::optional<std::uint64_t> total_rows{};  ///< Set if the rows are a sample: the number of all rows.
  std::optional<ReportSource> source{};       ///< Set if the source that was measured can be read.
  std::vector<ReportedHotLines> hot_lines{};
};

/// Makes a workload from a recording. Its rows are one session, and its best has the minimum median time.
ReportWorkload workload_of(model::Recording recording, std::string origin);

/// One evaluation of a session with its position in the session.
struct NumberedEvaluation {
  const model::Measurement* measurement = nullptr;
  std::uint64_t number = 0;  ///< From 1.
  double elapsed_s = 0.0;    ///< From the session's start to the evaluation's end.
};

/// The evaluations of a session in the order in which they ended.
struct SessionOrder {
  std::vector<NumberedEvaluation> evaluations;  ///< They point into the session, which must outlive them.
  /// Whether time stamps give the order. Files of other tuners have none. Then the order is that of the file,
  /// and `elapsed_s` is the sum of the times of compiling and measuring.
  bool by_time_stamps = false;
  std::uint64_t count = 0;  ///< Evaluations of the whole session, also if `evaluations` is a sample.
  double elapsed_s = 0.0;   ///< Until the end of the last evaluation.
};
SessionOrder order_of(const ReportSession& session);

/// An evaluation that was faster than all earlier ones of its session.
struct BestSoFar {
  NumberedEvaluation evaluation;
  double time_ns = 0.0;
};
/// The measured evaluations that were faster than all earlier ones.
std::vector<BestSoFar> best_so_far(const SessionOrder& order);

/// The index of the recording's row with a configuration, or `std::nullopt`.
std::optional<std::size_t> row_of(const model::Recording& recording, const model::NamedValues& configuration);

}  // namespace warptune::tuner::html_report
