// Which sessions of a database belong to a cover.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::covers {

/// How each note begins, by which the database finds sessions with one.
inline constexpr std::string_view kCoverNoteBegins = "cover ";

/// The largest number of configurations that a note may limit a cover to.
inline constexpr std::size_t kMaxCoverConfigurations = 1000;

/// What a session of a cover says about it. It is stored with the budget of the session.
struct CoverNote {
  double limit_share = 0.05;
  double weight = 1.0;     ///< The weight of the session's size.
  bool held_back = false;  ///< The size only checks the cover.
  std::string range{};     ///< As `SizeRange::text` returns it.
  /// What the outputs of its configurations must be, as `Reproducibility::text`. Empty: anything.
  std::string reproducible{};
  std::size_t max_configurations = 0;  ///< As `CoverLimits::max_configurations`.
};

/// The text of a note: `cover 5% at most 12 weight 2 held back reproducible=bits: M=64..8192 log2`. Weight 1
/// is left out, and so are an empty demand and a number of configurations that is not limited.
std::string to_text(const CoverNote& note);
/// The note at the end of the budget of a stored session. Returns std::nullopt if there is none.
std::optional<CoverNote> note_of(std::string_view budget);

}  // namespace warptune::tuner::covers
