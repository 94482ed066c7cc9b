#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"

namespace warptune::tuner::html_report {

/// Where a session's rows stand of which not all are here.
struct SampledSession {
  struct Place {
    std::uint64_t number = 0;  ///< From 1, in the order that they ended in.
    double elapsed_s = 0.0;    ///< From the session's start.
  };
  std::vector<Place> places;  ///< Of each of the session's `measurements`.
  std::uint64_t evaluations = 0;
  double elapsed_s = 0.0;  ///< To the end of the last.
  bool by_time_stamps = false;
};

/// A session that contributed to a report. A recording has one, without an id.
struct ReportSession {
  std::int64_t id = 0;  ///< Of the database; 0: none.
  std::string strategy;
  std::uint64_t seed = 0;
  std::string budget;
  std::string objective = "time";
  bool replayed = false;
  std::int64_t started_ms = 0;   ///< Unix time; 0 when unknown.
  std::int64_t finished_ms = 0;  ///< 0 when it is running, was interrupted, or unknown.
  model::Environment environment;
  std::vector<model::Measurement> measurements;  ///< All of its own, those measured again later included.
  /// Where `measurements` are a part: in the order that they ended in, with every one that was the best so
  /// far.
  std::optional<SampledSession> sampled{};
};

/// What one chapter of a report is about: everything known of a kernel for one problem, GPU and cache state.
struct ReportWorkload {
  std::string origin;                     ///< Where it comes from, for people: a file's name, "the database".
  model::Recording recording;             ///< The newest measurement of each configuration.
  std::vector<ReportSession> sessions;    ///< Oldest first, at least one.
  model::NamedValues best_configuration;  ///< What to use; empty when nothing was measured.
  std::optional<std::uint64_t> sampled_of{};  ///< The rows are a sample of so many, where they are one.
};

/// A workload from a recording, whose rows are its only session and whose best is the least median.
ReportWorkload workload_of(model::Recording recording, std::string origin);

/// One evaluation of a session with its place in it.
struct PlacedEvaluation {
  const model::Measurement* measurement = nullptr;
  std::uint64_t number = 0;  ///< From 1.
  double elapsed_s = 0.0;    ///< From the session's start to the evaluation's end.
};

/// A session's evaluations in the order that they ended in.
struct SessionOrder {
  std::vector<PlacedEvaluation> evaluations;  ///< Point into the session.
  /// Whether time stamps tell the order. Without them (files of other tuners) it is the file's, and the time
  /// passed is the sum of what compiling and measuring took.
  bool by_time_stamps = false;
  std::uint64_t count = 0;  ///< Of the whole session: more than `evaluations` where those are a sample.
  double elapsed_s = 0.0;   ///< To the end of the last.
};
SessionOrder order_of(const ReportSession& session);

/// A step of the best so far: the evaluation that found it.
struct BestSoFar {
  PlacedEvaluation evaluation;
  double time_ns = 0.0;
};
/// The measured evaluations that were faster than all before them.
std::vector<BestSoFar> best_so_far(const SessionOrder& order);

/// The row of a configuration among the recording's, or nothing.
std::optional<std::size_t> row_of(const model::Recording& recording, const model::NamedValues& configuration);

}  // namespace warptune::tuner::html_report
