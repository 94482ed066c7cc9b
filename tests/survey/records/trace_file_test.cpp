#include "survey/records/trace_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/gzip_text.h"
#include "tests/survey/synthetic_survey.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::records {
namespace {

using nlohmann::json;

std::int64_t nanoseconds(const json& microseconds) { return std::llround(1000 * microseconds.get<double>()); }

class TraceFileTest : public ::testing::Test {
 protected:
  json trace_of(const Survey& survey, std::size_t max_arrows = kMaxArrows) {
    const std::filesystem::path path = folder_ / "trace.json";
    write_trace(survey, path, max_arrows);
    return json::parse(base::read_file(path));
  }

  // The events of a phase.
  static std::vector<json> of_phase(const json& trace, const std::string& phase) {
    std::vector<json> found;
    for (const json& event : trace["traceEvents"])
      if (event["ph"] == phase) found.push_back(event);
    return found;
  }

  tests::TemporaryFolder folder_;
};

TEST_F(TraceFileTest, EachEventHasTheMembersThatItsPhaseRequires) {
  const json trace = trace_of(testing::synthetic_survey(500));
  std::set<std::string> phases;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event.at("ph");
    phases.insert(phase);
    EXPECT_TRUE(event.at("name").is_string()) << event;
    EXPECT_TRUE(event.at("ts").is_number()) << event;
    EXPECT_TRUE(event.at("pid").is_number_integer()) << event;
    EXPECT_TRUE(event.at("tid").is_number_integer()) << event;
    if (phase == "X") {
      EXPECT_GE(event.at("dur").get<double>(), 0) << event;
    }
    if (phase == "X" || phase == "M") {
      EXPECT_TRUE(event.at("args").is_object()) << event;
    }
    if (phase == "s" || phase == "f") {
      EXPECT_TRUE(event.at("id").is_number_integer() && event.at("cat") == "arrow") << event;
    }
    if (phase == "f") {
      EXPECT_EQ(event.at("bp"), "e") << event;
    }
  }
  EXPECT_EQ(phases, (std::set<std::string>{"M", "X", "f", "s"}));
}

TEST_F(TraceFileTest, EventsAreInTheOrderOfTheirStart) {
  double last = -1e300;
  const json trace = trace_of(testing::synthetic_survey(500));
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M") continue;
    EXPECT_GE(event["ts"].get<double>(), last) << event;
    last = event["ts"];
  }
}

TEST_F(TraceFileTest, EventsOfATrackLieWithinEachOtherOrApart) {
  for (const Survey& survey : {testing::small_survey(), testing::synthetic_survey(500)}) {
    std::map<std::pair<int, int>, std::vector<std::int64_t>> open;
    for (const json& event : of_phase(trace_of(survey), "X")) {
      const std::int64_t start = nanoseconds(event["ts"]);
      const std::int64_t end = start + nanoseconds(event["dur"]);
      std::vector<std::int64_t>& ends = open[{event["pid"], event["tid"]}];
      while (!ends.empty() && ends.back() <= start) ends.pop_back();
      if (!ends.empty()) {
        EXPECT_LE(end, ends.back()) << event;
      }
      ends.push_back(end);
    }
  }
}

TEST_F(TraceFileTest, EveryRecordIsThereWithItsTimes) {
  const Survey survey = testing::small_survey();
  const std::vector<json> slices = of_phase(trace_of(survey), "X");
  EXPECT_EQ(slices.size(), survey.launches.size() + survey.copies.size() + survey.fills.size() +
                               survey.calls.size() + survey.ranges.size());
  EXPECT_EQ(nanoseconds(slices[0]["ts"]), 0) << "a range that began before the survey did";
  EXPECT_EQ(nanoseconds(slices[0]["dur"]), survey.ranges[0].time.end);
  const auto kernel =
      std::find_if(slices.begin(), slices.end(), [](const json& one) { return one["cat"] == "kernel"; });
  EXPECT_EQ(nanoseconds((*kernel)["ts"]), 8'000);
  EXPECT_EQ(nanoseconds((*kernel)["dur"]), 100'000);
  EXPECT_EQ((*kernel)["name"], survey.names[0]);
  EXPECT_EQ((*kernel)["args"],
            json({{"grid", "256,2,1"}, {"block", "32,8,1"}, {"registers", 40}, {"shared bytes", 12288}}));
  const auto copy =
      std::find_if(slices.begin(), slices.end(), [](const json& one) { return one["cat"] == "copy"; });
  EXPECT_EQ((*copy)["name"], "copy host to device");
  EXPECT_EQ((*copy)["args"]["from"], "pageable");
  EXPECT_EQ((*copy)["args"]["GB/s"], 11.111);
}

TEST_F(TraceFileTest, ProcessesAndTracksHaveNames) {
  std::set<std::string> names;
  for (const json& event : of_phase(trace_of(testing::small_survey()), "M"))
    if (event["args"].contains("name")) names.insert(event["args"]["name"].get<std::string>());
  EXPECT_TRUE(names.contains("./app --name </script> (process 77)"));
  EXPECT_TRUE(names.contains("thread 77: ranges"));
  EXPECT_TRUE(names.contains("GPU 0, stream 7 (default)"));
}

TEST_F(TraceFileTest, AnArrowGoesFromTheCallToItsWork) {
  const json trace = trace_of(testing::small_survey());
  const std::vector<json> begins = of_phase(trace, "s");
  const std::vector<json> ends = of_phase(trace, "f");
  ASSERT_EQ(begins.size(), 3U) << "two launches and a copy have a call";
  std::map<int, std::pair<std::int64_t, std::int64_t>> arrows;
  for (const json& event : begins) arrows[event["id"]].first = nanoseconds(event["ts"]);
  for (const json& event : ends) arrows[event["id"]].second = nanoseconds(event["ts"]);
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  for (const auto& [id, times] : arrows) found.insert(times);
  EXPECT_EQ(found, (std::set<std::pair<std::int64_t, std::int64_t>>{
                       {0, 8'000}, {6'000, 200'000}, {5'000, 100'000}}));
}

TEST_F(TraceFileTest, TheNumberOfArrowsIsLimited) {
  const Survey survey = testing::synthetic_survey(500);
  for (const std::size_t most : {0U, 1U, 100U}) {
    const json trace = trace_of(survey, most);
    EXPECT_LE(of_phase(trace, "s").size(), most);
    EXPECT_EQ(of_phase(trace, "s").size(), of_phase(trace, "f").size());
    EXPECT_EQ(of_phase(trace, "s").empty(), most == 0);
  }
}

TEST_F(TraceFileTest, AFileThatEndsInGzIsCompressed) {
  const Survey survey = testing::synthetic_survey(3000);
  write_trace(survey, folder_ / "trace.json.gz");
  const std::string bytes = base::read_file(folder_ / "trace.json.gz");
  ASSERT_TRUE(base::streams::is_gzip(bytes));
  std::string text;
  base::streams::gunzip(bytes, "trace", [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(json::parse(text), trace_of(survey));
  EXPECT_LT(10 * bytes.size(), 2 * text.size());
}

TEST_F(TraceFileTest, AnEmptySurveyIsAnEmptyTrace) {
  EXPECT_EQ(trace_of(Survey{})["traceEvents"].size(), 0U);
}

TEST_F(TraceFileTest, AMissingFolderIsAnInputError) {
  EXPECT_THROW(write_trace(Survey{}, folder_ / "missing/trace.json"), base::InputError);
}

}  // namespace
}  // namespace warptune::survey::records
