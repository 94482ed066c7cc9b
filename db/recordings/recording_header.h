// The first line of a recording. It says what was measured, in which space, and on which machine.
#pragma once

#include "base/error.h"
#include "db/recordings/recording_rows.h"
#include "db/recordings/values_json.h"
#include "model/recording.h"

namespace warptune::db::recordings {

/// The format's name. It distinguishes warptune's own recordings from those of other tuners.
constexpr const char* kRecordingFormat = "warptune-recording";

/// Writes the header. `context` has what all rows share (`row_context`).
Json header_of(const model::Recording& recording, const RowContext& context);

/// Reads the header into a recording without rows. `context` receives what all rows share. Throws
/// `base::InputError` if the header has another format or a newer version, or if members are missing or have
/// another type.
model::Recording recording_from_header(const Json& header, const base::SourcePosition& position,
                                       RowContext& context);

}  // namespace warptune::db::recordings
