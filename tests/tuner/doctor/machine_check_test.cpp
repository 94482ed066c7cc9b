#include "tuner/doctor/machine_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/sanitizers.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::doctor {
namespace {

using ::testing::HasSubstr;

MachineObservations good_machine() {
  MachineObservations observed;
  observed.gpus.gpus = {model::fictional_gpu()};
  observed.nvrtc_version = 13000;
  observed.architectures = {75, 80, 90, 100};
  observed.cuda_headers = true;
  observed.counters_restricted = false;
  observed.processes = {0};
  observed.folders = {{"database", "/data", true}, {"compile cache", "/cache", true}};
  return observed;
}

MachineFact fact_of(const MachineObservations& observed, const std::string& subject) {
  for (const MachineFact& fact : judge(observed)) {
    if (fact.subject == subject) return fact;
  }
  ADD_FAILURE() << "nothing is said of " << subject;
  return {};
}

TEST(MachineCheckTest, AGoodMachineHasNothingToMend) {
  const std::vector<MachineFact> facts = judge(good_machine());
  for (const MachineFact& fact : facts) {
    EXPECT_EQ(fact.health, Health::kGood) << fact.subject << ": " << fact.text;
    EXPECT_EQ(fact.remedy, "");
  }
  EXPECT_TRUE(can_run(facts));
}

TEST(MachineCheckTest, TheFoldersOfCudaAreToldInTheirOrder) {
  MachineObservations observed = good_machine();
  EXPECT_THAT(fact_of(observed, "CUDA folders").text, HasSubstr("only the loader's own folders"));
  observed.cuda_folders = {"/opt/b", "/opt/a"};
  EXPECT_EQ(fact_of(observed, "CUDA folders").text,
            "searched in this order: /opt/b, /opt/a, then the loader's own folders");
}

TEST(MachineCheckTest, ThePoolsOfWarmWorkersAreToldByTheirProcessIds) {
  MachineObservations observed = good_machine();
  EXPECT_EQ(fact_of(observed, "warm workers").text, "no process in the background");
  observed.warm_pools = {17, 18};
  EXPECT_EQ(fact_of(observed, "warm workers").text,
            "in the background: process 17, process 18; `kill` ends it");
}

TEST(MachineCheckTest, TheFilesOfTheLibrariesAreTold) {
  MachineObservations observed = good_machine();
  EXPECT_THAT(fact_of(observed, "nvJitLink").text, HasSubstr("not in the CUDA folders"));
  observed.nvrtc_file = "/opt/a/libnvrtc.so.13";
  observed.cupti_file = "/opt/b/libcupti.so.13";
  observed.linker_file = "/opt/a/libnvJitLink.so.13";
  EXPECT_THAT(fact_of(observed, "NVRTC").text, HasSubstr("loaded from /opt/a/libnvrtc.so.13"));
  EXPECT_THAT(fact_of(observed, "counters").text, HasSubstr("loaded from /opt/b/libcupti.so.13"));
  EXPECT_EQ(fact_of(observed, "nvJitLink").text, "/opt/a/libnvJitLink.so.13");
}

TEST(MachineCheckTest, WithoutGpuCompilerOrDatabaseNoSessionRuns) {
  MachineObservations observed = good_machine();
  observed.gpus = {{}, "there is no driver"};
  EXPECT_EQ(fact_of(observed, "GPU").text, "there is no driver");
  EXPECT_FALSE(can_run(judge(observed)));
  observed = good_machine();
  observed.nvrtc_version.reset();
  EXPECT_FALSE(can_run(judge(observed)));
  observed = good_machine();
  observed.architectures = {75, 80};
  EXPECT_THAT(fact_of(observed, "NVRTC").text, HasSubstr("but not for sm_90"));
  EXPECT_FALSE(can_run(judge(observed)));
  observed = good_machine();
  observed.folders[0].writable = false;
  EXPECT_THAT(fact_of(observed, "database").remedy, HasSubstr("--db"));
  EXPECT_FALSE(can_run(judge(observed)));
}

TEST(MachineCheckTest, LossesAreWarningsWithARemedy) {
  const auto expect_warning = [](const MachineObservations& observed, const std::string& subject,
                                 const std::string& part) {
    const MachineFact fact = fact_of(observed, subject);
    EXPECT_EQ(fact.health, Health::kWarning) << subject;
    EXPECT_THAT(fact.text + fact.remedy, HasSubstr(part));
    EXPECT_NE(fact.remedy, "") << subject;
    EXPECT_TRUE(can_run(judge(observed)));
  };
  MachineObservations observed = good_machine();
  observed.counters_restricted = true;
  expect_warning(observed, "counters", "NVreg_RestrictProfilingToAdminUsers=0");
  observed.administrator = true;
  EXPECT_EQ(fact_of(observed, "counters").health, Health::kGood);
  observed.cupti_problem = "libcupti.so cannot be loaded";
  expect_warning(observed, "counters", "libcupti.so cannot be loaded");
  observed = good_machine();
  observed.gpus.gpus[0].mig = true;
  expect_warning(observed, "MIG", "nvidia-smi -mig 0");
  observed.processes = {2};
  expect_warning(observed, "other processes", "2 on GPU 0");
  observed.processes = {std::nullopt};
  expect_warning(observed, "other processes", "unknown");
  observed.sandbox_problem = "no Landlock";
  expect_warning(observed, "sandbox", "no Landlock");
  observed.folders[1].writable = false;
  expect_warning(observed, "compile cache", "--compile-cache");
  observed.cuda_headers = false;
  expect_warning(observed, "CUDA headers", "WARPTUNE_CUDA_PATH");
}

TEST(MachineCheckTest, TheDriversParameterSaysWhoMayCount) {
  EXPECT_EQ(restricts_counters("EnableMSI: 1\nRmProfilingAdminOnly: 1\n"), true);
  EXPECT_EQ(restricts_counters("RmProfilingAdminOnly: 0\n"), false);
  EXPECT_EQ(restricts_counters(""), std::nullopt);
}

TEST(DoctorCommandTest, WithoutAGpuItEndsWith3AndSaysWhatElseThereIs) {
  if (tests::kAddressSanitizer) GTEST_SKIP() << "CUPTI's host library cannot be loaded";
  testing::Warptune warptune;
  const testing::ProgramRun done = warptune.run({"doctor"});
  EXPECT_EQ(done.exit_code, 3) << done.out << done.err;
  for (const char* part : {"GPU", "NVRTC", "counters", "sandbox", "database", "compile cache",
                           "sessions cannot run on this machine"})
    EXPECT_THAT(done.out, HasSubstr(part));
  EXPECT_FALSE(std::filesystem::exists(warptune.database().parent_path()));
  const testing::ProgramRun json = warptune.run({"doctor", "--format", "json"});
  EXPECT_EQ(json.exit_code, 3);
  EXPECT_EQ(nlohmann::json::parse(json.out).at("can_run"), false);
}

}  // namespace
}  // namespace warptune::tuner::doctor
