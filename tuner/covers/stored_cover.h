// Covers in the database. A cover is a function of rows: nothing except sessions and their rows is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "tuner/covers/size_cover.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// A cover that sessions of a database measured.
struct StoredCover {
  SizeRange range;
  CoverLimits limits{};
  model::Workload workload;             ///< That of its first session. Its sizes are one example.
  CoverTable table;                     ///< All rows of its workloads, those of other sessions too.
  std::uint64_t evaluations = 0;        ///< In sessions whose sizes are not held back.
  std::uint64_t check_evaluations = 0;  ///< In sessions whose sizes are held back.
  std::uint64_t sessions = 0;
  std::int64_t newest_session = 0;

  std::vector<std::string> names() const;  ///< Those of the range's entries.
};

/// The covers of a kernel's present version on a GPU, the newest first. `workload` says which: its problem
/// matters only outside of the ranges, for example its types. The outputs are compared with those of the
/// definition's default, and its launches and constraints make costs possible.
std::vector<StoredCover> stored_covers(const db::Store& store, const model::Workload& workload,
                                       const kernel_templates::KernelDefinition& definition);

/// The same for all problems: `workload` says only the kernel's version, the GPU and the cache state. Covers
/// with other values outside of their ranges are covers of their own.
std::vector<StoredCover> stored_covers_of_all_problems(const db::Store& store,
                                                       const model::Workload& workload,
                                                       const kernel_templates::KernelDefinition& definition);

/// The newest row of each configuration of a workload that was measured, judged by what a cover demands of
/// the outputs. An older row of the configuration counts if it is known not to meet the demand, and no newer
/// row is known to meet it.
std::vector<CoverRow> judged_rows(const db::Store& store, const model::Workload& workload,
                                  const model::NamedValues& usual,
                                  const std::optional<model::outputs::Reproducibility>& demanded);

/// The entries of a problem that are not sizes of the range.
model::NamedValues outside_of(const SizeRange& range, const model::NamedValues& problem);

/// The cover that the rows give now.
std::optional<SizeCover> derive_cover(const StoredCover& stored);

/// A stored cover with what its rows give now.
struct DerivedCover {
  StoredCover stored;
  SizeCover cover;
};

/// How many of the held-back sizes the list answers within the limit.
struct HeldBackSizes {
  std::size_t checked = 0;
  std::size_t within = 0;

  /// A list is used only if at least half of them are within the limit.
  bool is_enough() const { return checked > 0 && 2 * within >= checked; }
};
HeldBackSizes held_back_sizes(const StoredCover& stored, const SizeCover& cover);

/// How a cover answers a size.
struct CoverAnswer {
  model::NamedValues configuration;  ///< Empty: no cover can answer.
  model::Measurement row;            ///< The row of the configuration at the nearest measured size.
  model::Environment environment;    ///< The environment of the session that measured the row.
  std::int64_t session_id = 0;       ///< The session that measured the row.
  model::NamedValues problem;        ///< That size.
  double distance = 0.0;             ///< The distance of that size, as `distance` in size_range.h.
  std::string reason;                ///< Which line or cost of which cover answers; a part of a sentence.
};

/// The answer of the newest cover whose range contains the problem of `workload`. If there are only covers
/// with other ranges, the answer has no configuration, and its reason says that. The same holds for a cover
/// that is not proven: less than half of its held-back sizes are within the limit, or there are none. Returns
/// std::nullopt if there is no cover. `definition` is that of `stored_covers`.
std::optional<CoverAnswer> covered_answer(const db::Store& store, const model::Workload& workload,
                                          const kernel_templates::KernelDefinition& definition);

}  // namespace warptune::tuner::covers
