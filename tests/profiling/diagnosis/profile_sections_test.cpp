#include "profiling/diagnosis/profile_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warptune::profiling::diagnosis {

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

// Describes a kernel of 256 threads with 40 registers that moves 1 GB in 0.5 ms.
ProfiledLaunch some_launch() {
  ProfiledLaunch launch;
  launch.gpu = model::fictional_gpu();
  launch.measurement.status = model::Status::kMeasured;
  launch.measurement.time = model::TimeSummary{5e5};
  model::ResourceUse& use = launch.measurement.resources;
  use.threads_per_block = 256;
  use.registers_per_thread = 40;
  use.blocks = 1188;
  use.blocks_per_sm = 6;
  use.theoretical_occupancy = 0.75;
  launch.work.bytes = 1e9;
  launch.roofs.copy_bytes_per_s = 4e12;
  return launch;
}

const ProfileSection& section_of(const std::vector<ProfileSection>& sections, const std::string& title) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const ProfileSection& section) { return section.title == title; });
  if (found == sections.end()) throw std::out_of_range("no section " + title);
  return *found;
}

const ProfileRow& row_of(const ProfileSection& section, const std::string& title) {
  const auto found = std::find_if(section.rows.begin(), section.rows.end(),
                                  [&](const ProfileRow& row) { return row.title == title; });
  if (found == section.rows.end()) throw std::out_of_range("no row " + title);
  return *found;
}

TEST(ProfileSectionsTest, RefersTheTimeToTheRoofThatBinds) {
  const std::vector<ProfileSection> sections = profile_sections(some_launch());
  const ProfileSection& light = section_of(sections, "Speed of light");
  EXPECT_DOUBLE_EQ(row_of(light, "Useful bandwidth").value, 2e12);
  EXPECT_DOUBLE_EQ(row_of(light, "Share of the roof").value, 50.0);
  EXPECT_EQ(row_of(light, "Limiting roof").text, "memory");
  EXPECT_THAT(light.rows, Not(Contains(Field(&ProfileRow::title, "Arithmetic"))));
}

TEST(ProfileSectionsTest, SaysWhatLimitsOccupancyAndHowManyWavesThereAre) {
  const std::vector<ProfileSection> sections = profile_sections(some_launch());
  EXPECT_EQ(row_of(section_of(sections, "Occupancy"), "Limited by").text, "registers");
  EXPECT_DOUBLE_EQ(row_of(section_of(sections, "Occupancy"), "Theoretical occupancy").value, 75.0);
  EXPECT_DOUBLE_EQ(row_of(section_of(sections, "Launch"), "Waves").value, 1.5);
  EXPECT_EQ(row_of(section_of(sections, "Launch"), "Blocks").text, "1188");
}

TEST(ProfileSectionsTest, NamesTheMetricsThatWereNotRead) {
  ProfiledLaunch launch = some_launch();
  launch.measurement.counters["smsp__thread_inst_executed_per_inst_executed.ratio"] = 31.0;
  const std::vector<ProfileSection> sections = profile_sections(launch);
  const ProfileSection& divergence = section_of(sections, "Divergence");
  ASSERT_EQ(divergence.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(divergence.rows.front().value, 31.0);
  EXPECT_THAT(divergence.missing, ElementsAre("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"));
}

TEST(ProfileSectionsTest, OrdersStallReasonsByTheirSize) {
  ProfiledLaunch launch = some_launch();
  launch.measurement.counters["smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"] = 1.0;
  launch.measurement.counters["smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"] = 7.0;
  launch.measurement.counters["smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"] =
      3.0;
  const std::vector<ProfileSection> sections = profile_sections(launch);
  const ProfileSection& stalls = section_of(sections, "Schedulers and stalls");
  ASSERT_EQ(stalls.rows.size(), 3U);
  EXPECT_EQ(stalls.rows[0].title, "Stalled at barriers");
  EXPECT_EQ(stalls.rows[1].title, "Stalled on memory");
  EXPECT_EQ(stalls.rows[2].title, "Stalled on fixed latency");
}

TEST(ProfileSectionsTest, HasNothingToSayOfALaunchThatIsKnownByItsTimeAlone) {
  ProfiledLaunch launch;
  launch.gpu = model::fictional_gpu();
  launch.measurement.time = model::TimeSummary{5e5};
  for (const ProfileSection& section : profile_sections(launch)) {
    if (section.title == "Speed of light") {
      EXPECT_EQ(section.rows.size(), 1U);
    } else {
      EXPECT_THAT(section.rows, IsEmpty()) << section.title;
    }
  }
}

}  // namespace

}  // namespace warptune::profiling::diagnosis
