#include "tuner/html_report/profile_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/tuner/session_data.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::html_report {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ProfileFilesTest : public ::testing::Test {
 protected:
  ProfileFilesTest() {
    model::Recording recording;
    recording.workload.kernel = "toy";
    recording.workload.problem = {{"N", std::int64_t{64}}};
    recording.workload.gpu = model::fictional_gpu();
    profile_ = json_output::json_head("profile");
    profile_["workload"] = json_output::workload_json(recording.workload);
    profile_["measurement"]["configuration"] = {
        {"BLOCK", 64}, {"SHARE", 0.5}, {"FAST", true}, {"LOAD", "wide"}};
    profiling::HotLines hot;
    hot.samples = 10;
    hot.lines.push_back({{"/a/folder/toy.cu", 7}, "x += 1;", 9, 0.9, {{"long_scoreboard", 8}}});
    hot.lines.push_back({{"", 0}, "", 1, 0.1, {}});
    profile_["hot_lines"] = json_output::hot_lines_json(hot);
    workloads_.push_back(workload_of(recording, "a file"));
    recording.workload.kernel = "other";
    workloads_.push_back(workload_of(std::move(recording), "another file"));
  }

  void add(const std::string& text) {
    std::ofstream(file_) << text;
    add_profiles(workloads_, {file_});
  }
  void add() { add(profile_.dump()); }

  void expect_refused(const std::string& reason) {
    try {
      add();
      ADD_FAILURE() << "expected: " << reason;
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(reason));
      EXPECT_THAT(error.what(), HasSubstr("profile.json"));
    }
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "profile.json";
  ordered_json profile_;
  std::vector<ReportWorkload> workloads_;
};

TEST_F(ProfileFilesTest, LinesAreGivenToTheirWorkloadWithoutFolders) {
  add();
  ASSERT_THAT(workloads_[0].hot_lines, SizeIs(1));
  EXPECT_THAT(workloads_[1].hot_lines, SizeIs(0));
  const ReportedHotLines& found = workloads_[0].hot_lines[0];
  EXPECT_EQ(model::to_text(found.configuration), "BLOCK=64 SHARE=0.5 FAST=true LOAD=wide");
  EXPECT_EQ(found.lines.samples, 10U);
  ASSERT_THAT(found.lines.lines, SizeIs(2));
  EXPECT_EQ(found.lines.lines[0].line.file, "toy.cu");
  EXPECT_EQ(found.lines.lines[0].line.number, 7);
  EXPECT_EQ(found.lines.lines[0].stalls[0].reason, "long_scoreboard");
  EXPECT_EQ(found.lines.lines[1].line.number, 0) << "an unknown line is null";
}

TEST_F(ProfileFilesTest, AnythingElseIsRefusedWithWhatToDo) {
  EXPECT_THROW(add("not JSON"), base::InputError);
  EXPECT_THROW(add_profiles(workloads_, {folder_ / "missing"}), base::InputError);
  const ordered_json good = profile_;
  profile_["format"] = "warptune-report";
  expect_refused("not an output of profile; write it by warptune profile KERNEL --source --format json");
  profile_ = good;
  profile_["hot_lines"] = nullptr;
  expect_refused("without source lines; write it by");
  profile_ = good;
  profile_["hot_lines"]["problem"] = "the GPU cannot sample";
  expect_refused("without source lines: the GPU cannot sample");
  profile_ = good;
  profile_["hot_lines"]["lines"][0].erase("samples");
  expect_refused("samples");
  profile_ = good;
  profile_["workload"]["problem"]["N"] = 65;
  expect_refused("about toy N=65 on");
}

}  // namespace
}  // namespace warptune::tuner::html_report
