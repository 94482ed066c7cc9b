// The plan is written by the parent (collecting/counting/counting_plan_file.h) and read by the injected
// library.
#include "survey/injected/counting/planned_launches.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "survey/collecting/counting/counting_plan_file.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::injected::counting {

namespace {

collecting::counting::CountingPlan plan() {
  collecting::counting::CountingPlan plan;
  plan.kernels = {{"addup(float*, int)", {8, 1, 1}, {256, 1, 1}}, {"copy_kernel", {1, 2, 3}, {4, 5, 6}}};
  plan.configs = {{"GH100", {"dram__bytes.sum", "sm__cycles_active.avg"}, {1, 2, 3}, 1, {}},
                  {"GA100", {"a"}, {}, 1, {}}};
  plan.launches = 3;
  plan.longest_ns = 5;
  return plan;
}

class PlannedLaunchesTest : public ::testing::Test {
 protected:
  std::unique_ptr<PlannedLaunches> read(const std::string& bytes) {
    const std::filesystem::path path = folder_.path() / "plan";
    base::write_file_atomically(path, bytes);
    auto planned = std::make_unique<PlannedLaunches>();
    return planned->read(path.c_str()) ? std::move(planned) : nullptr;
  }

  tests::TemporaryFolder folder_;
};

TEST_F(PlannedLaunchesTest, HasWhatWasWritten) {
  const auto planned = read(collecting::counting::plan_bytes(plan()));
  ASSERT_NE(planned, nullptr);
  EXPECT_EQ(planned->plan().launches, 3U);
  EXPECT_EQ(planned->plan().longest_ns, 5U);
  EXPECT_EQ(planned->kernel(1).block[2], 6U);
  EXPECT_EQ(planned->config_of("GA100"), 1U);
  EXPECT_EQ(planned->config_of("AD102"), kNotPlanned);
  const PlannedConfig& config = planned->config(0);
  ASSERT_EQ(config.metric_count, 2U);
  EXPECT_STREQ(config.metrics[1], "sm__cycles_active.avg");
  EXPECT_EQ(config.image_bytes, 3U);
  EXPECT_EQ(config.image[2], 3);
}

TEST_F(PlannedLaunchesTest, FindsKernelsByTheirMangledNames) {
  const auto planned = read(collecting::counting::plan_bytes(plan()));
  ASSERT_NE(planned, nullptr);
  for (int i = 0; i < 2; ++i) {  // The second time, the name is known.
    EXPECT_EQ(planned->kernel_of("_Z5addupPfi"), 0U);
    EXPECT_EQ(planned->kernel_of("copy_kernel"), 1U);
    EXPECT_EQ(planned->kernel_of("_Z5addupPfj"), kNotPlanned);
  }
}

TEST_F(PlannedLaunchesTest, FindsNamesThatAreAbbreviatedOrNested) {
  collecting::counting::CountingPlan plan;
  plan.kernels = {{"void app::(anonymous namespace)::scale<float>(float*)", {}, {}},
                  {"app::Sum::operator()(int)", {}, {}}};
  const auto planned = read(collecting::counting::plan_bytes(plan));
  ASSERT_NE(planned, nullptr);
  EXPECT_EQ(planned->find("_ZN3app12_GLOBAL__N_15scaleIfEEvPT_"), 0U);
  EXPECT_EQ(planned->find("_ZN3app3SumclEi"), 1U);
  EXPECT_EQ(planned->find("_ZN3app3SumclEj"), kNotPlanned);
}

TEST_F(PlannedLaunchesTest, FindsAKernelAfterMoreNamesThanItRemembers) {
  const auto planned = read(collecting::counting::plan_bytes(plan()));
  ASSERT_NE(planned, nullptr);
  for (int i = 0; i < 5000; ++i) planned->kernel_of(("other" + std::to_string(i)).c_str());
  EXPECT_EQ(planned->kernel_of("copy_kernel"), 1U);
}

TEST_F(PlannedLaunchesTest, StaysUsableWithMoreKernelsThanItRemembers) {
  const auto planned = read(collecting::counting::plan_bytes(plan()));
  ASSERT_NE(planned, nullptr);
  EXPECT_EQ(planned->kernel_of("copy_kernel"), 1U);
  for (int i = 0; i < 10000; ++i)
    EXPECT_EQ(planned->kernel_of(("other" + std::to_string(i)).c_str()), kNotPlanned);
  EXPECT_EQ(planned->kernel_of("copy_kernel"), 1U);
}

TEST_F(PlannedLaunchesTest, RefusesAPlanThatIsCutOffOrOfAnotherKind) {
  const std::string bytes = collecting::counting::plan_bytes(plan());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(read(bytes.substr(0, size)), nullptr) << size;
  std::string other = bytes;
  other[7] = '2';
  EXPECT_EQ(read(other), nullptr);
  std::string many = bytes;
  many[9] = 1;  // 258 kernels.
  EXPECT_EQ(read(many), nullptr);
  PlannedLaunches missing;
  EXPECT_FALSE(missing.read("/nonexistent"));
}

}  // namespace

}  // namespace warptune::survey::injected::counting
