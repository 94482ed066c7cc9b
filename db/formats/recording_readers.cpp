#include "db/formats/recording_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"

namespace warptune::db::formats {

namespace {

constexpr std::array kFormats = {
    RecordingFormat{"Kernel Tuner cache", "cache", make_kernel_tuner_cache_reader},
    RecordingFormat{"T4 results", "results", make_t4_reader},
    RecordingFormat{"KTT results", "Results", make_ktt_reader},
};

[[noreturn]] void refuse(const JsonRemainder& remainder, const std::filesystem::path& path) {
  std::string wanted;
  for (const RecordingFormat& format : kFormats) {
    wanted += fmt::format(", {} (\"{}\")", format.name, format.section);
  }
  std::string found;
  for (const auto& item : remainder.members.items()) {
    found += fmt::format("{}\"{}\"", found.empty() ? "" : ", ", item.key());
  }
  throw base::InputError(
      fmt::format("expected a recording of one of these formats: a warptune recording{}; found {}", wanted,
                  found.empty() ? "an empty object" : "an object with " + found),
      {path.string(), 0, 0});
}

}  // namespace

std::span<const RecordingFormat> recording_formats() { return kFormats; }

model::Recording read_foreign_recording(std::string text, const std::filesystem::path& path) {
  std::array<std::string_view, kFormats.size()> sections;
  std::transform(kFormats.begin(), kFormats.end(), sections.begin(),
                 [](const RecordingFormat& format) { return format.section; });
  std::unique_ptr<RowReader> reader;
  std::string_view section_read;
  const JsonRemainder remainder =
      read_json_rows(std::move(text), path, sections,
                     [&](std::string_view section, const std::string& name, recordings::Json& row,
                         const recordings::Json& members) {
                       if (reader == nullptr) {
                         const auto format =
                             std::find_if(kFormats.begin(), kFormats.end(),
                                          [&](const RecordingFormat& any) { return any.section == section; });
                         reader = format->make(path);
                         section_read = format->section;
                       }
                       if (section == section_read) reader->add(name, row, members);
                     });
  if (reader == nullptr) refuse(remainder, path);
  return reader->finish(remainder);
}

double milliseconds_per(const std::string& unit, const std::filesystem::path& path) {
  struct Unit {
    std::string_view shortest;
    std::string_view start;
    double ms;
  };
  static constexpr std::array kUnits = {Unit{"ns", "nano", 1e-6}, Unit{"us", "micro", 1e-3},
                                        Unit{"ms", "mil", 1.0}, Unit{"s", "sec", 1e3}};
  const std::string wanted = base::lower_case(unit);
  for (const Unit& known : kUnits) {
    if (wanted == known.shortest || wanted.starts_with(known.start)) return known.ms;
  }
  throw base::InputError(
      fmt::format("expected a time unit (nanoseconds, microseconds, milliseconds, seconds), found '{}'",
                  unit),
      {path.string(), 0, 0});
}

}  // namespace warptune::db::formats
