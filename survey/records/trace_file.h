// A survey as a trace for other programs.
#pragma once

#include <cstddef>
#include <filesystem>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// The most arrows from calls to the work that they gave to a GPU. If there were more, every second activity
/// has one, or every third, and so on.
inline constexpr std::size_t kMaxArrows = 200'000;

/// Writes a survey as a trace that Perfetto and chrome://tracing open. The format is JSON of "Trace Event
/// Format" (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). It is compressed with
/// gzip if the name ends in `.gz`. Processes, threads, ranges and streams are its tracks, and events are in
/// the order of their start. The text is written as it is made. The file appears under its name when it is
/// complete. Throws what `base::streams::FileWriter` throws.
void write_trace(const Survey& survey, const std::filesystem::path& path,
                 std::size_t max_arrows = kMaxArrows);

}  // namespace warptune::survey::records
