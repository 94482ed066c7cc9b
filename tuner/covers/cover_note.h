// Which sessions of a database belong to a cover.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::covers {

/// How each note begins, by which the database finds sessions with one.
inline constexpr std::string_view kCoverNoteBegins = "cover ";

/// What a session of a cover says about it. It is stored with the budget of the session.
struct CoverNote {
  double limit_share = 0.05;
  double weight = 1.0;     ///< The weight of the session's size.
  bool held_back = false;  ///< The size only checks the cover.
  std::string range{};     ///< As `SizeRange::text` returns it.
  /// What the outputs of its configurations must be, as `Reproducibility::text`. Empty: anything.
  std::string reproducible{};
};

/// The text of a note: `cover 5% weight 2 held back reproducible=bits: M=64..8192 log2`. Weight 1 is left
/// out, and so is an empty demand.
std::string to_text(const CoverNote& note);
/// The note at the end of the budget of a stored session. Returns std::nullopt if there is none.
std::optional<CoverNote> note_of(std::string_view budget);

}  // namespace warptune::tuner::covers
