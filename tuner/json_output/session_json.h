#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "db/store.h"

namespace warptune::tuner::json_output {

/// A stored session without its measurements.
nlohmann::ordered_json session_json(const db::Session& session);

/// The output of `warptune show --format json`: all sessions.
nlohmann::ordered_json sessions_json(const std::vector<db::Session>& sessions);

/// The output of `warptune show SESSION --format json`. `counts` has the number of the session's rows with
/// each status. `shown` has the rows that the output lists.
nlohmann::ordered_json shown_session_json(const db::Session& session,
                                          const std::map<model::Status, std::uint64_t>& counts,
                                          const std::vector<model::Measurement>& shown);

}  // namespace warptune::tuner::json_output
