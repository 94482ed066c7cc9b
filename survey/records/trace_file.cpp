#include "survey/records/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/streams/file_writer.h"
#include "base/streams/gzip_text.h"
#include "survey/records/tracks.h"

namespace warptune::survey::records {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

// Collects text and writes it in pieces, compressed or not.
class TraceText {
 public:
  explicit TraceText(const std::filesystem::path& path) : file_(path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (ending == ".gz")
      gzip_ =
          std::make_unique<base::streams::GzipWriter>([this](std::string_view bytes) { file_.add(bytes); });
  }

  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    if (text_.size() >= kPiece) write();
  }

  void finish() {
    write();
    if (gzip_) gzip_->finish();
    file_.finish();
  }

 private:
  void write() {
    const std::string_view bytes(text_.data(), text_.size());
    if (gzip_)
      gzip_->add(bytes);
    else
      file_.add(bytes);
    text_.clear();
  }

  base::streams::FileWriter file_;
  std::unique_ptr<base::streams::GzipWriter> gzip_;
  fmt::memory_buffer text_;
};

// A text with its quotation marks, as JSON.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The format counts in microseconds. Perfetto drops events before time 0, so what began earlier begins there.
std::int64_t shown_start(const Interval& time) { return std::max<std::int64_t>(time.start, 0); }

std::int64_t shown_duration(const Interval& time) {
  return std::max<std::int64_t>(time.end, 0) - shown_start(time);
}

std::string microseconds(std::int64_t time_ns) {
  return fmt::format("{}.{:03}", time_ns / 1000, time_ns % 1000);
}

// An arrow from a call to an activity. Its number is its place among all arrows.
struct Arrow {
  Index call = 0;
  std::size_t activity = 0;  ///< Launches come first, then copies, then fills.
};

class TraceWriter {
 public:
  TraceWriter(const Survey& survey, const std::filesystem::path& path, std::size_t max_arrows)
      : survey_(survey), tracks_(tracks_of(survey, Nesting::kAllowed)), out_(path) {
    for (const std::string& name : survey.names) names_.push_back(quoted(name));
    choose_arrows(max_arrows);
  }

  void write() {
    out_.add("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"command\":{}}},\"traceEvents\":[",
             quoted(fmt::format("{}", fmt::join(survey_.run.command, " "))));
    write_names();
    write_events();
    out_.add("\n]}}\n");
    out_.finish();
  }

 private:
  void choose_arrows(std::size_t max_arrows) {
    std::size_t activity = 0;
    std::vector<Arrow> all;
    const auto take = [&](const auto& rows) {
      for (const auto& row : rows) {
        if (row.call != kNone) all.push_back({row.call, activity});
        ++activity;
      }
    };
    take(survey_.launches);
    take(survey_.copies);
    take(survey_.fills);
    const std::size_t step = max_arrows == 0 ? 0 : (all.size() + max_arrows - 1) / max_arrows;
    for (std::size_t i = 0; step != 0 && i < all.size(); i += step) arrows_.push_back(all[i]);
    by_call_.resize(arrows_.size());
    std::iota(by_call_.begin(), by_call_.end(), std::size_t{0});
    std::stable_sort(by_call_.begin(), by_call_.end(), [&](std::size_t one, std::size_t other) {
      return arrows_[one].call < arrows_[other].call;
    });
  }

  void begin_event() {
    out_.add("{}", is_first_ ? "\n" : ",\n");
    is_first_ = false;
  }

  // Where an event is: the process and the track, which the format calls a thread.
  std::string place(Index track) const {
    return fmt::format("\"pid\":{},\"tid\":{}", tracks_.tracks[track].process + 1, track + 1);
  }

  void write_metadata(const char* name, const std::string& where, const std::string& argument) {
    begin_event();
    out_.add("{{\"ph\":\"M\",\"name\":\"{}\",\"ts\":0,{},\"args\":{{{}}}}}", name, where, argument);
  }

  void write_names() {
    for (std::size_t i = 0; i < survey_.processes.size(); ++i) {
      const Process& process = survey_.processes[i];
      write_metadata(
          "process_name", fmt::format("\"pid\":{},\"tid\":0", i + 1),
          fmt::format("\"name\":{}", quoted(fmt::format("{} (process {})", process.command, process.pid))));
    }
    for (Index i = 0; i < tracks_.tracks.size(); ++i) {
      write_metadata("thread_name", place(i),
                     fmt::format("\"name\":{}", quoted(name_of(survey_, tracks_.tracks[i]))));
      write_metadata("thread_sort_index", place(i), fmt::format("\"sort_index\":{}", i));
    }
  }

  void write_slice(const Interval& time, Index track, std::string_view name, const char* category,
                   const std::string& arguments) {
    begin_event();
    out_.add("{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"ts\":{},\"dur\":{},{},\"args\":{{{}}}}}", name,
             category, microseconds(shown_start(time)), microseconds(shown_duration(time)), place(track),
             arguments);
  }

  void write_arrow_end(const char* phase, std::size_t arrow, const Interval& time, Index track) {
    begin_event();
    out_.add("{{\"ph\":\"{}\",\"bp\":\"e\",\"name\":\"gives\",\"cat\":\"arrow\",\"id\":{},\"ts\":{},{}}}",
             phase, arrow + 1, microseconds(shown_start(time)), place(track));
  }

  // The end of the arrow to an activity, if it has one. Activities of each table come in their order.
  void write_arrow_to(std::size_t activity, std::size_t& next, const Interval& time, Index track) {
    if (next >= arrows_.size() || arrows_[next].activity != activity) return;
    write_arrow_end("f", next, time, track);
    ++next;
  }

  static std::string rate(std::uint64_t bytes, const Interval& time) {
    if (time.duration() <= 0) return "";
    return fmt::format(",\"GB/s\":{:.3f}", static_cast<double>(bytes) / static_cast<double>(time.duration()));
  }

  void write_launch(std::size_t i) {
    const Launch& launch = survey_.launches[i];
    const KernelShape& shape = survey_.shapes[launch.shape];
    std::string arguments =
        fmt::format("\"grid\":\"{}\",\"block\":\"{}\",\"registers\":{},\"shared bytes\":{}",
                    fmt::join(shape.grid, ","), fmt::join(shape.block, ","), shape.registers,
                    std::uint64_t{shape.static_shared} + shape.dynamic_shared);
    if (launch.graph != 0) arguments += fmt::format(",\"graph\":{}", launch.graph);
    write_slice(launch.time, tracks_.launches[i], names_[shape.name], "kernel", arguments);
    write_arrow_to(i, next_launch_arrow_, launch.time, tracks_.launches[i]);
  }

  void write_copy(std::size_t i) {
    const Copy& copy = survey_.copies[i];
    const std::string arguments = fmt::format(
        "\"bytes\":{},\"from\":\"{}\",\"to\":\"{}\",\"asynchronous\":{}{}", copy.bytes,
        to_string(copy.source), to_string(copy.destination), copy.asynchronous, rate(copy.bytes, copy.time));
    write_slice(copy.time, tracks_.copies[i], fmt::format("\"copy {}\"", to_string(copy.direction)), "copy",
                arguments);
    write_arrow_to(survey_.launches.size() + i, next_copy_arrow_, copy.time, tracks_.copies[i]);
  }

  void write_fill(std::size_t i) {
    const Fill& fill = survey_.fills[i];
    write_slice(fill.time, tracks_.fills[i], "\"fill\"", "fill",
                fmt::format("\"bytes\":{},\"to\":\"{}\"{}", fill.bytes, to_string(fill.destination),
                            rate(fill.bytes, fill.time)));
    write_arrow_to(survey_.launches.size() + survey_.copies.size() + i, next_fill_arrow_, fill.time,
                   tracks_.fills[i]);
  }

  void write_call(Index i) {
    const Call& call = survey_.calls[i];
    write_slice(call.time, tracks_.calls[i], names_[call.name], "call", "");
    auto begin = std::lower_bound(by_call_.begin(), by_call_.end(), i,
                                  [&](std::size_t arrow, Index of) { return arrows_[arrow].call < of; });
    for (; begin != by_call_.end() && arrows_[*begin].call == i; ++begin)
      write_arrow_end("s", *begin, call.time, tracks_.calls[i]);
  }

  // Writes the five tables in the common order of their start.
  void write_events() {
    const auto arrow_from = [&](std::size_t activity) {
      return static_cast<std::size_t>(
          std::lower_bound(arrows_.begin(), arrows_.end(), activity,
                           [](const Arrow& arrow, std::size_t of) { return arrow.activity < of; }) -
          arrows_.begin());
    };
    next_copy_arrow_ = arrow_from(survey_.launches.size());
    next_fill_arrow_ = arrow_from(survey_.launches.size() + survey_.copies.size());
    const std::vector<Index> ranges = outer_first(survey_.ranges);
    const std::vector<Index> calls = outer_first(survey_.calls);
    std::size_t at[5] = {};
    const auto start = [](const auto& rows, std::size_t place) {
      return place < rows.size() ? rows[place].time.start : std::numeric_limits<std::int64_t>::max();
    };
    const std::size_t all =
        ranges.size() + calls.size() + survey_.launches.size() + survey_.copies.size() + survey_.fills.size();
    for (std::size_t done = 0; done < all; ++done) {
      const std::int64_t starts[5] = {start(survey_.ranges, at[0]), start(survey_.calls, at[1]),
                                      start(survey_.launches, at[2]), start(survey_.copies, at[3]),
                                      start(survey_.fills, at[4])};
      const auto first = static_cast<std::size_t>(std::min_element(starts, starts + 5) - starts);
      const std::size_t row = at[first]++;
      if (first == 0) {
        const Range& range = survey_.ranges[ranges[row]];
        write_slice(range.time, tracks_.ranges[ranges[row]], names_[range.name], "range", "");
      } else if (first == 1) {
        write_call(calls[row]);
      } else if (first == 2) {
        write_launch(row);
      } else if (first == 3) {
        write_copy(row);
      } else {
        write_fill(row);
      }
    }
  }

  const Survey& survey_;
  Tracks tracks_;
  TraceText out_;
  std::vector<std::string> names_;  ///< With quotation marks.
  std::vector<Arrow> arrows_;       ///< In the order of their activities.
  std::vector<std::size_t> by_call_;
  std::size_t next_launch_arrow_ = 0;
  std::size_t next_copy_arrow_ = 0;
  std::size_t next_fill_arrow_ = 0;
  bool is_first_ = true;
};

}  // namespace

void write_trace(const Survey& survey, const std::filesystem::path& path, std::size_t max_arrows) {
  TraceWriter(survey, path, max_arrows).write();
}

}  // namespace warptune::survey::records
