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

ForeignFile read_foreign_file(std::string text, const std::filesystem::path& path, const UnstatedUnit& unit) {
  std::array<std::string_view, kFormats.size()> sections;
  std::transform(kFormats.begin(), kFormats.end(), sections.begin(),
                 [](const RecordingFormat& format) { return format.section; });
  std::unique_ptr<RowReader> reader;
  const RecordingFormat* read = nullptr;
  const auto begin = [&](std::string_view section) {
    read = &*std::find_if(kFormats.begin(), kFormats.end(),
                          [&](const RecordingFormat& any) { return any.section == section; });
    reader = read->make(path);
  };
  const JsonRemainder remainder = read_json_rows(std::move(text), path, sections,
                                                 [&](std::string_view section, const std::string& name,
                                                     recordings::Json& row, const recordings::Json& members) {
                                                   if (reader == nullptr) begin(section);
                                                   if (section == read->section)
                                                     reader->add(name, row, members);
                                                 });
  // The reader of a file without rows says what is missing.
  if (reader == nullptr && !remainder.sections.empty()) begin(remainder.sections.front());
  if (reader == nullptr) refuse(remainder, path);
  return {read->name, reader->finish(remainder, unit)};
}

model::Recording read_foreign_recording(std::string text, const std::filesystem::path& path) {
  std::vector<model::Recording> recordings = read_foreign_file(std::move(text), path, {}).recordings;
  if (recordings.size() != 1) {
    throw base::InputError(
        fmt::format("expected results of only one kernel, problem and device, found {}", recordings.size()),
        {path.string(), 0, 0});
  }
  return std::move(recordings.front());
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

double milliseconds_per(const std::string& stated, const UnstatedUnit& unit,
                        const std::filesystem::path& path) {
  if (!unit.unit) {
    if (stated.empty() && unit.is_required) {
      throw base::InputError("the file does not state the unit of its times; --unit ms|us|ns|s names it",
                             {path.string(), 0, 0});
    }
    return stated.empty() ? 1.0 : milliseconds_per(stated, path);
  }
  const double named = milliseconds_per(*unit.unit, path);
  if (!stated.empty() && milliseconds_per(stated, path) != named) {
    throw base::InputError(fmt::format("the file states the unit {}, and --unit {}", stated, *unit.unit),
                           {path.string(), 0, 0});
  }
  return named;
}

}  // namespace warptune::db::formats
