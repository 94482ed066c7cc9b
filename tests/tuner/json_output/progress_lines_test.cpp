#include "tuner/json_output/progress_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tuner/program.h"
#include "tuner/json_output/error_json.h"
#include "tuner/json_output/json_form.h"

namespace warptune::tuner::json_output {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

// Keeps what a listener writes.
class ProgressLinesTest : public ::testing::Test {
 protected:
  std::vector<json> lines() {
    std::vector<json> read;
    std::istringstream text(testing::slurp(path_));
    for (std::string line; std::getline(text, line);) read.push_back(json::parse(line));
    return read;
  }

  session::SessionProgress progress(std::uint64_t evaluated) {
    session::SessionProgress made;
    made.evaluated = evaluated;
    made.space_size = 100;
    made.best_value = 1000.0;
    made.best_time = {1000.0, 990.0, 1010.0};
    made.best = {{"BLOCK", std::int64_t{128}}};
    made.by_status = {{model::Status::kMeasured, evaluated}};
    return made;
  }

  testing::Warptune warptune_;
  std::string path_ = warptune_.file("lines", "");
};

TEST_F(ProgressLinesTest, OfManyEvaluationsAreFewAndTheLastIsThere) {
  std::FILE* const stream = std::fopen(path_.c_str(), "w");
  {
    ProgressLines listener(stream);
    for (std::uint64_t i = 1; i <= 1000; ++i) listener.on_event(progress(i));
  }
  std::fclose(stream);
  const std::vector<json> written = lines();
  EXPECT_EQ(written.front().at("evaluated"), 1);
  EXPECT_LT(written.size(), 100U);
  EXPECT_EQ(written.back().at("evaluated"), 1000);
}

TEST_F(ProgressLinesTest, AreInTheOrderOfTheEvents) {
  std::FILE* const stream = std::fopen(path_.c_str(), "w");
  {
    ProgressLines listener(stream);
    listener.on_event(progress(1));
    listener.on_event(progress(2));
    listener.on_event(session::FinalsBegan{4, 15});
  }
  std::fclose(stream);
  std::vector<std::string> names;
  for (const json& line : lines()) names.push_back(line.at("event"));
  EXPECT_THAT(names, ElementsAre("progress", "progress", "finals_began"));
}

// One event of each kind, with and without what may be missing.
std::vector<json> all_events(const session::SessionProgress& progress) {
  model::Measurement measured;
  measured.configuration = {{"BLOCK", std::int64_t{128}}, {"LOAD", std::string("ldg")}};
  measured.status = model::Status::kMeasured;
  measured.time = {1000.0, 990.0, 1010.0};
  measured.counters = {{"verified_launches", 300.0}, {"dram__bytes.sum", 1e6}};
  measured.resources.threads_per_block = 128;
  const model::Measurement failed;
  const model::Rejection rejection{model::Status::kImplausible, "too fast"};
  profiling::timing::Confirmation confirmed;
  confirmed.launches = 300;
  profiling::timing::Confirmation refused;
  refused.verdict = {model::Status::kWrongResult, "x[0] is 3"};
  const model::Workload workload{"toy", "", {{"N", std::int64_t{7}}}, model::fictional_gpu()};
  std::vector<json> events;
  const auto add = [&](const session::SessionEvent& event) { events.push_back(event_json(event)); };
  add(session::ReplayedInstead{"no driver", "toy.wtrec.zst"});
  add(session::RecordingShownInstead{"no driver", "toy.wtrec.zst"});
  add(session::StoredShownInstead{"NVIDIA H200"});
  add(session::SessionBegan{1, workload});
  add(session::SessionProgress{});
  add(progress);
  add(session::MeasurementStored{1, measured});
  add(session::MeasurementStored{2, failed});
  add(session::CountersStored{1, measured.counters});
  add(session::MeasurementRejected{1, rejection});
  add(session::WorkDoubted{{"less than [work]", {"a.cu", 3, 1}}});
  add(session::FinalistImprecise{measured.configuration, 1e-3, 1e-6});
  add(session::FinalsBegan{4, 15});
  add(session::BestConfirmed{1, confirmed});
  add(session::BestConfirmed{2, refused});
  add(session::ExperimentPartBegan{"stride", "cold", 1, 2, 8});
  add(session::SessionWarning{"counters are missing"});
  add(session::ReportServed{"http://127.0.0.1:1/"});
  add(session::SessionEnded{1, true});
  return events;
}

TEST_F(ProgressLinesTest, HaveASchemaForEveryEvent) {
  const std::vector<json> events = all_events(progress(3));
  std::set<std::string> names;
  std::string text;
  for (const json& event : events) {
    names.insert(event.at("event"));
    text += event.dump() + "\n";
  }
  EXPECT_EQ(names.size(), std::variant_size_v<session::SessionEvent>) << "an event of each kind";
  text += to_line(interruption_json("stopped")) + "\n";
  warptune_.file("events", text);
  const testing::ProgramRun checked =
      warptune_.shell("python3 '" WARPTUNE_SOURCE_FOLDER "/tests/tools/json/check_json.py' events");
  if (checked.exit_code == 77 || checked.exit_code == 127) GTEST_SKIP() << "no jsonschema for python3";
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace warptune::tuner::json_output
