// The first line of a recording: what was measured, of which space, where.
#pragma once

#include "base/error.h"
#include "db/recordings/recording_rows.h"
#include "db/recordings/values_json.h"
#include "model/recording.h"

namespace warptune::db::recordings {

/// The format's name, which tells warptune's own recordings from others'.
constexpr const char* kRecordingFormat = "warptune-recording";

Json header_of(const model::Recording& recording, const RowContext& context);

/// A recording without its rows; `context` is what they refer to. Throws `base::InputError` on a header of
/// another format, of a newer version, or with members that are missing or of another type.
model::Recording recording_from_header(const Json& header, const base::SourcePosition& position,
                                       RowContext& context);

}  // namespace warptune::db::recordings
