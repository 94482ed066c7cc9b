// The sessions of a report's subject as JSON: how each went, and which of them measured a row.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tuner/html_report/report_subject.h"

namespace warptune::tuner::html_report {

/// Adds to a subject's form its sessions, and to its rows the newest session that measured each with its
/// place there.
void add_sessions(nlohmann::ordered_json& form, const ReportSubject& subject,
                  const std::vector<const model::Measurement*>& rows);

}  // namespace warptune::tuner::html_report
