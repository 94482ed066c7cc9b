#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::survey::records {

/// The name of the format in the first member of a file, and the version that this code writes.
inline constexpr const char* kSurveyFormat = "warptune-survey-file";
/// The newest version that can be read. A file has version 2 if it has counters, which version 1 does not
/// know. Otherwise it has version 1.
inline constexpr int kSurveyVersion = 2;
inline constexpr int kVersionWithoutCounters = 1;

/// The numbers of one table: the columns by their names.
using ParsedTable = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

/// A file's text, parsed and not yet checked.
struct ParsedSurvey {
  nlohmann::json head;  ///< All members that are not tables.
  std::map<std::string, ParsedTable, std::less<>> tables;
};

/// Parses the text of a survey's file. Columns go into vectors of numbers directly, which takes a tenth of
/// the memory of a JSON value for each number. Throws `base::InputError` without a position if the text is
/// not a survey, has a newer version, is not valid JSON, or has lists in lists. `value_limit` bounds the
/// number of values outside of columns, because a short text can have many of them.
ParsedSurvey parse_survey(std::string_view text, std::size_t value_limit);

}  // namespace warptune::survey::records
