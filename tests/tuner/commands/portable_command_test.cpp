// `query --portable` and `export --portable`: one configuration for several GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A database in which A = 1 is the best of one GPU, A = 2 that of the other one, and A = 3 good on both.
class PortableCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
    std::filesystem::create_directories(warptune_.database().parent_path());
    db::Store store(warptune_.database());
    store_times(store, testing::named_gpu("NVIDIA Big", 132), {100, 200, 120});
    store_times(store, testing::named_gpu("NVIDIA Small", 40), {140, 100, 115});
  }

  void store_times(db::Store& store, const model::GpuDescription& gpu, const std::vector<double>& times_ns,
                   std::int64_t n = 1024, const model::Environment& environment = {}) const {
    const kernel_templates::KernelInstance instance(kernel_templates::load_kernel_definition(kernel_),
                                                    {{"N", n}}, gpu);
    db::Session session;
    session.workload = knowledge::workload_of(instance, model::CacheState::kCold);
    session.environment = environment;
    const std::int64_t id = store.begin_session(session);
    for (std::size_t i = 0; i < times_ns.size(); ++i)
      store.add_measurement(
          id, testing::measured({{"A", static_cast<std::int64_t>(i) + 1}, {"B", false}}, times_ns[i]));
  }

  testing::Warptune warptune_;
  std::string kernel_;
};

TEST_F(PortableCommandTest, QueryShowsTheLossOnEachGpuAndWhatItRestsOn) {
  const testing::ProgramRun run = warptune_.run({"query", kernel_, "--portable"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("toy N=1024 on 2 GPUs, timed from a cold L2 cache\n"),
                             HasSubstr("configuration: A=3 B=false\n"),
                             HasSubstr("smallest maximum loss: at most 20.0 %, 17.5 % in the mean\n"),
                             HasSubstr("20.0 %  measured\n"), HasSubstr("15.0 %  measured\n"),
                             HasSubstr("compared: 3 configurations, of which 3 have a value on each GPU"),
                             HasSubstr("the best of NVIDIA Small loses: at most 100.0 %")));
  EXPECT_THAT(run.out, Not(HasSubstr("lower bounds")));
  const testing::ProgramRun unseen = warptune_.run(
      {"query", kernel_, "--portable=mean", "--gpu", "Small", "--gpu", "cc=80,sms=108", "--size", "N=2k"});
  EXPECT_THAT(unseen.out, AllOf(HasSubstr("configuration: A=2 B=false\n"),
                                HasSubstr("at least 0.0 %, 0.0 % in the mean; unknown on 1 GPU\n"),
                                HasSubstr("nothing is stored of this GPU that fits"), HasSubstr("N=1024"),
                                HasSubstr("lower bounds")));
}

TEST_F(PortableCommandTest, QuerySaysUnderWhichConditionsEachGpuMeasuredAndWhetherTheyStillHold) {
  {
    db::Store store(warptune_.database());
    store_times(store, testing::named_gpu("NVIDIA Third", 60), {100, 100, 100}, 1024,
                {"0.1.0", 12080, 0, 1830, 3201, "0x0", "570.86.15"});
    store_times(store, testing::named_gpu("NVIDIA Third", 60), {100}, 4096,
                {"0.1.0", 13000, 0, 1410, 3201, "0x0", "580.65.06"});
  }
  const std::string text = warptune_.run({"query", kernel_, "--portable"}).out;
  EXPECT_THAT(text,
              AllOf(HasSubstr("GPU           measured on"), HasSubstr("570.86.15 (CUDA 12.8)"),
                    HasSubstr("unknown  1830 MHz        3\n"),
                    HasSubstr("NVIDIA Third: measured with driver 570.86.15 (580.65.06 in session 4, the "
                              "newest on this GPU), "),
                    HasSubstr("--fresh on a machine with the NVIDIA Third measures it again\n")));
  const nlohmann::json gpus = warptune_.json_of({"query", kernel_, "--portable"}).at("gpus");
  ASSERT_EQ(gpus.size(), 3U);
  for (const nlohmann::json& gpu : gpus) {
    const bool is_third = gpu.at("gpu").at("name") == "NVIDIA Third";
    EXPECT_EQ(gpu.at("session_id") == 3, is_third);
    EXPECT_EQ(gpu.at("environment").at("driver_release") == "570.86.15", is_third);
    EXPECT_EQ(gpu.at("environment_differences").empty(), !is_third);
  }
}

TEST_F(PortableCommandTest, QueryAsJsonHasTheRowsAndTheSummary) {
  const nlohmann::json answer = warptune_.json_of({"query", kernel_, "--portable=worst", "--gpu", "all"});
  EXPECT_EQ(answer.at("over"), "worst");
  EXPECT_EQ(answer.at("configuration").at("A"), 3);
  EXPECT_EQ(answer.at("loss").at("exact"), true);
  ASSERT_EQ(answer.at("gpus").size(), 2U);
  for (const nlohmann::json& gpu : answer.at("gpus")) {
    EXPECT_EQ(gpu.at("basis"), "measured");
    EXPECT_EQ(gpu.at("best").at("objective_value"), 100.0);
    const double loss = gpu.at("measurement").at("median_ns").get<double>() / 100.0 - 1.0;
    EXPECT_DOUBLE_EQ(gpu.at("loss").get<double>(), loss);
  }
  EXPECT_EQ(answer.at("compared").at("on_each_gpu"), 3);
}

TEST_F(PortableCommandTest, ExportWritesOneConfigurationForAllGpus) {
  {
    db::Store store(warptune_.database());
    store_times(store, testing::named_gpu("NVIDIA Big", 132), {500, 400, 700}, 4096);
  }
  const nlohmann::json own = warptune_.json_of({"export", kernel_});
  EXPECT_TRUE(own.at("kernels").at(0).at("winners").at(0).at("portable_loss").is_null());
  const nlohmann::json kernel = warptune_.json_of({"export", kernel_, "--portable"}).at("kernels").at(0);
  ASSERT_EQ(kernel.at("winners").size(), 3U);
  for (const nlohmann::json& winner : kernel.at("winners")) {
    const bool is_large = winner.at("workload").at("problem").at("N") == 4096;
    EXPECT_EQ(winner.at("best").at("configuration").at("A"), is_large ? 2 : 3)
        << "the nearest rows of the other GPU count for the large problem";
  }
  const std::string header = (warptune_ / "tuned.h").string();
  ASSERT_EQ(warptune_.run({"export", kernel_, "--portable", "-o", header}).exit_code, 0);
  EXPECT_THAT(testing::slurp(header),
              HasSubstr("chosen for several GPUs, 15.0 % above the best of this one"));
  EXPECT_EQ(warptune_.run({"export", kernel_, "--portable", "--check", header}).exit_code, 0);
  const testing::ProgramRun stale = warptune_.run({"export", kernel_, "--check", header});
  EXPECT_EQ(stale.exit_code, 1);
  warptune_.file("tuned.h", "// old");
  const testing::ProgramRun named = warptune_.run(
      {"export", kernel_, "--portable=mean", "--gpu", "NVIDIA Big", "--gpu", "Small", "--check", header});
  EXPECT_THAT(named.err, HasSubstr("--portable=mean --gpu 'NVIDIA Big' --gpu Small -o "));
}

TEST_F(PortableCommandTest, ExportLeavesWorkloadsOutInWhichTheChoiceWasNotMeasured) {
  {
    db::Store store(warptune_.database());
    store_times(store, testing::named_gpu("NVIDIA Third", 20),
                {70});  // Only A = 1, which loses 40 % on another GPU.
  }
  EXPECT_THAT(warptune_.run({"export", kernel_, "--portable"}).err, Not(HasSubstr("left out")));
  db::Store(warptune_.database()).reject(4, {model::Status::kWrongResult, "wrong"});  // A = 1 on the second.
  const testing::ProgramRun run = warptune_.run({"export", kernel_, "--portable"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(
      run.err,
      HasSubstr("toy: left out N=1024 on NVIDIA Third: the chosen configuration was not measured there"));
}

TEST_F(PortableCommandTest, WhatContradictsItselfIsRefused) {
  const auto refused = [this](const std::vector<std::string>& arguments) {
    const testing::ProgramRun run = warptune_.run(arguments);
    EXPECT_EQ(run.exit_code, 2);
    return run.err;
  };
  EXPECT_THAT(refused({"query", kernel_, "--gpu", "Big", "--gpu", "Small"}),
              HasSubstr("--gpu is given 2 times, and a query is about one GPU"));
  EXPECT_THAT(refused({"query", kernel_, "--portable", "--gpu", "Big"}), HasSubstr("with only one --gpu"));
  EXPECT_THAT(refused({"query", kernel_, "--portable", "--explain"}), HasSubstr("without --portable"));
  EXPECT_THAT(refused({"export", kernel_, "--gpu", "Big"}), HasSubstr("--gpu needs --portable here"));
  const testing::ProgramRun unknown = warptune_.run({"query", "transpose", "--portable"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("nothing is known of transpose from a cold L2 cache on any GPU"));
}

}  // namespace
}  // namespace warptune::tuner::commands
