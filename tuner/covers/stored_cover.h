// Covers in the database. A cover is a function of rows: nothing except sessions and their rows is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "tuner/covers/size_cover.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// What a session of a cover says about it. It is stored with the budget of the session.
struct CoverNote {
  double limit_share = 0.05;
  double weight = 1.0;     ///< The weight of the session's size.
  bool held_back = false;  ///< The size only checks the cover.
  std::string range{};     ///< As `SizeRange::text` returns it.
};

/// The text of a note: `cover 5% weight 2 held back: M=64..8192 log2`. Weight 1 is left out.
std::string to_text(const CoverNote& note);
/// The note at the end of the budget of a stored session. Returns std::nullopt if there is none.
std::optional<CoverNote> note_of(std::string_view budget);

/// A cover that sessions of a database measured.
struct StoredCover {
  SizeRange range;
  double limit_share = 0.05;
  model::Workload workload;             ///< That of its first session. Its sizes are one example.
  CoverTable table;                     ///< All rows of its workloads, those of other sessions too.
  std::uint64_t evaluations = 0;        ///< In sessions whose sizes are not held back.
  std::uint64_t check_evaluations = 0;  ///< In sessions whose sizes are held back.
  std::uint64_t sessions = 0;
  std::int64_t newest_session = 0;
};

/// The covers of a kernel's present version on a GPU, the newest first. `workload` says which: its problem
/// matters only outside of the ranges, for example its types.
std::vector<StoredCover> stored_covers(const db::Store& store, const model::Workload& workload);

/// How a cover answers a size.
struct CoverAnswer {
  model::NamedValues configuration;  ///< Empty: no cover can answer.
  model::Measurement row;            ///< The row of the configuration at the nearest measured size.
  model::Environment environment;    ///< The environment of the session that measured the row.
  std::int64_t session_id = 0;       ///< The session that measured the row.
  model::NamedValues problem;        ///< That size.
  double distance = 0.0;             ///< The distance of that size, as `distance` in size_range.h.
  std::string reason;                ///< Which line of which cover answers; a part of a sentence.
};

/// The answer of the newest cover whose range contains the problem of `workload`. If there are only covers
/// with other ranges, the answer has no configuration, and its reason says that. The same holds for a cover
/// that is not proven: less than half of its held-back sizes are within the limit, or there are none. Returns
/// std::nullopt if there is no cover.
std::optional<CoverAnswer> covered_answer(const db::Store& store, const model::Workload& workload);

}  // namespace warptune::tuner::covers
