#include "tuner/survey_page/survey_page_data.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/version.h"
#include "survey/records/run_ending.h"
#include "survey/records/tracks.h"
#include "tuner/json_output/json_form.h"
#include "tuner/survey_page/survey_page_analysis.h"

namespace warptune::tuner::survey_page {

namespace {

using Json = nlohmann::ordered_json;
using namespace survey::records;

void add_number(std::string& column, std::uint64_t value) {
  for (; value >= 128; value >>= 7U) column += static_cast<char>((value & 127U) | 128U);
  column += static_cast<char>(value);
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

// What a record is. Records of a survey have few different labels.
class Labels {
 public:
  Index take(const char* kind, Index name, Index row, std::string text, std::string_view direction = {}) {
    const auto [label, is_new] = labels_.try_emplace({kind, name, row, text}, list_.size());
    if (is_new) {
      Json made = {{"kind", kind}};
      if (name != kNone) made["name"] = name;
      if (row != kNone) made["shape"] = row;
      if (!text.empty()) made["text"] = std::move(text);
      if (!direction.empty()) made["direction"] = direction;
      list_.push_back(std::move(made));
    }
    return label->second;
  }
  Json list() && { return std::move(list_); }

 private:
  std::map<std::tuple<std::string_view, Index, Index, std::string>, Index> labels_;
  Json list_ = Json::array();
};

// A record of any table.
struct Place {
  std::int64_t start = 0;
  std::uint8_t table = 0;  ///< 0: ranges, 1: calls, 2: launches, 3: copies, 4: fills.
  Index row = 0;
};

class Columns {
 public:
  explicit Columns(const Survey& survey)
      : survey_(survey), tracks_(tracks_of(survey, Nesting::kForbidden)), places_(tracks_.tracks.size()) {
    collect(survey.ranges, tracks_.ranges, 0);
    collect(survey.calls, tracks_.calls, 1);
    collect(survey.launches, tracks_.launches, 2);
    collect(survey.copies, tracks_.copies, 3);
    collect(survey.fills, tracks_.fills, 4);
    for (std::vector<Place>& track : places_)
      std::stable_sort(track.begin(), track.end(),
                       [](const Place& one, const Place& other) { return one.start < other.start; });
    label_tables();
    find_call_rows();
    for (const std::vector<Place>& track : places_) add_track(track);
  }

  // The members of the page's JSON that describe the columns.
  void describe(Json& output) && {
    output["first_ns"] = first_;
    output["tracks"] = Json::array();
    for (std::size_t i = 0; i < tracks_.tracks.size(); ++i) {
      const Track& track = tracks_.tracks[i];
      output["tracks"].push_back({{"process", track.process},
                                  {"kind", kKinds[static_cast<std::size_t>(track.kind)]},
                                  {"name", name_of(survey_, track)},
                                  {"rows", places_[i].size()}});
      if (track.kind == TrackKind::kStream)
        output["tracks"].back()["device"] = survey_.streams[track.number].device;
    }
    output["labels"] = std::move(labels_).list();
    for (std::size_t i = 0; i < columns_.size(); ++i) output["columns"][kColumns[i]] = columns_[i].size();
  }

  std::string bytes() const {
    std::string all;
    for (const std::string& column : columns_) all += column;
    return all;
  }

 private:
  enum ColumnPlace : std::size_t { kStarts, kDurations, kLabels, kBytes, kCalls };
  static constexpr const char* kColumns[] = {"starts", "durations", "labels", "bytes", "calls"};
  static constexpr const char* kKinds[] = {"ranges", "calls", "stream"};  // In the order of `TrackKind`.

  template <class Row>
  void collect(const std::vector<Row>& rows, const std::vector<Index>& tracks, std::uint8_t table) {
    for (Index i = 0; i < rows.size(); ++i) {
      places_[tracks[i]].push_back({rows[i].time.start, table, i});
      first_ = std::min(first_, rows[i].time.start);
    }
  }

  // Looks up each label once where a table has few rows of its kind.
  void label_tables() {
    for (Index i = 0; i < survey_.shapes.size(); ++i)
      shape_labels_.push_back(labels_.take("kernel", survey_.shapes[i].name, i, ""));
    range_labels_.assign(survey_.names.size(), kNone);
    call_labels_.assign(survey_.names.size(), kNone);
  }

  // The row of each call among those of all tracks.
  void find_call_rows() {
    call_rows_.resize(survey_.calls.size());
    std::int64_t row = 0;
    for (const std::vector<Place>& track : places_) {
      for (const Place& place : track) {
        if (place.table == 1) call_rows_[place.row] = row;
        ++row;
      }
    }
  }

  void add_track(const std::vector<Place>& track) {
    std::int64_t start = first_;
    std::int64_t call = 0;
    for (const Place& place : track) {
      add_number(columns_[kStarts], static_cast<std::uint64_t>(place.start - start));
      start = place.start;
      switch (place.table) {
        case 0:
          add_named(survey_.ranges[place.row], "range", range_labels_);
          break;
        case 1:
          add_named(survey_.calls[place.row], "call", call_labels_);
          break;
        case 2:
          add_row(survey_.launches[place.row], shape_labels_[survey_.launches[place.row].shape]);
          add_call(survey_.launches[place.row].call, call);
          break;
        case 3:
          add_copy(survey_.copies[place.row], call);
          break;
        default:
          add_fill(survey_.fills[place.row], call);
      }
    }
  }

  template <class Row>
  void add_row(const Row& row, Index label) {
    add_number(columns_[kDurations], static_cast<std::uint64_t>(row.time.duration()));
    add_number(columns_[kLabels], label);
  }

  template <class Row>
  void add_named(const Row& row, const char* kind, std::vector<Index>& labels) {
    if (labels[row.name] == kNone) labels[row.name] = labels_.take(kind, row.name, kNone, "");
    add_row(row, labels[row.name]);
  }

  void add_copy(const Copy& copy, std::int64_t& call) {
    add_row(copy, labels_.take("copy", kNone, kNone, kind_of_copy(copy), to_string(copy.direction)));
    add_number(columns_[kBytes], copy.bytes);
    add_call(copy.call, call);
  }

  void add_fill(const Fill& fill, std::int64_t& call) {
    add_row(fill, labels_.take("fill", kNone, kNone, std::string(to_string(fill.destination))));
    add_number(columns_[kBytes], fill.bytes);
    add_call(fill.call, call);
  }

  void add_call(Index call, std::int64_t& before) {
    if (call == kNone) {
      add_number(columns_[kCalls], 0);
      return;
    }
    add_number(columns_[kCalls], 1 + zigzag(call_rows_[call] - before));
    before = call_rows_[call];
  }

  static constexpr std::int64_t kNoStart = std::numeric_limits<std::int64_t>::max();

  const Survey& survey_;
  Tracks tracks_;
  std::vector<std::vector<Place>> places_;  ///< The records of each track.
  std::int64_t first_ = kNoStart;
  Labels labels_;
  std::vector<Index> shape_labels_;
  std::vector<Index> range_labels_;  ///< For each name; `kNone` if no range has it yet.
  std::vector<Index> call_labels_;
  std::vector<std::int64_t> call_rows_;
  std::array<std::string, 5> columns_;
};

Json run_of(const Run& run) {
  Json made;
  made["command"] = run.command;
  made["duration_ns"] = run.duration;
  made["window_ns"] = {run.window.start, run.window.end};
  made["range"] = json_output::text_or_null(run.range);
  made["ending"] = json_output::text_or_null(ending_of(run));
  made["problem"] = json_output::text_or_null(run.problem);
  made["counting_problem"] = json_output::text_or_null(run.counting_problem);
  made["host_system"] = run.host_system;
  made["started_ms"] = run.started_ms;
  made["warptune_version"] = run.warptune_version;
  return made;
}

Json shapes_of(const Survey& survey) {
  Json shapes = Json::array();
  for (const KernelShape& shape : survey.shapes)
    shapes.push_back({shape.grid, shape.block, shape.registers, shape.static_shared, shape.dynamic_shared,
                      shape.local_bytes, shape.cluster});
  return shapes;
}

Json processes_of(const Survey& survey) {
  Json processes = Json::array();
  for (const Process& process : survey.processes)
    processes.push_back({{"pid", process.pid},
                         {"command", process.command},
                         {"dropped", process.dropped},
                         {"left_out", process.left_out},
                         {"unnamed", process.unnamed},
                         {"problem", json_output::text_or_null(process.problem)}});
  return processes;
}

}  // namespace

PageData page_data(const Survey& survey, const survey::analysis::SurveyAnalysis& analysis) {
  Json output = json_output::json_head("survey-page");
  output["warptune_version"] = base::kVersion;
  output["run"] = run_of(survey.run);
  output["names"] = survey.names;
  output["processes"] = processes_of(survey);
  output["shapes"] = shapes_of(survey);
  output["analysis"] = analysis_for_page(survey, analysis);
  Columns columns(survey);
  PageData data;
  data.columns = columns.bytes();
  std::move(columns).describe(output);
  data.json = json_output::to_line(output);
  return data;
}

}  // namespace warptune::tuner::survey_page
