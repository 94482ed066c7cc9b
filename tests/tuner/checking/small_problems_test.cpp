#include "tuner/checking/small_problems.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tuner/program.h"

namespace warptune::tuner::checking {
namespace {

using model::NamedValues;
using model::Value;

constexpr const char* kCode = R"(*/
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
)";

class SmallProblemsTest : public ::testing::Test {
 protected:
  // Small problems of a definition with the given problem and further lines.
  std::vector<SmallProblem> of(const std::string& problem, const std::string& more = "") {
    const std::string path = warptune_.file(
        "scale.cu", "/* warptune\n[kernel]\nentry = \"scale\"\n[problem]\n" + problem +
                        "[parameters]\nBLOCK = [64, 128]\n[default]\nBLOCK = 128\n[launch]\n"
                        "grid = [\"ceil_div(N, BLOCK)\"]\nblock = [\"BLOCK\"]\n"
                        "[[argument]]\nname = \"x\"\nkind = \"in\"\ntype = \"f32\"\ncount = \"N\"\n"
                        "init = { kind = \"constant\", value = 1 }\n"
                        "[[argument]]\nname = \"y\"\nkind = \"out\"\ntype = \"f32\"\ncount = \"N\"\n"
                        "[[argument]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"i32\"\nvalue = \"N\"\n" +
                        more + kCode);
    definition_ = kernel_templates::load_kernel_definition(path);
    const NamedValues usual = {{"BLOCK", std::int64_t{128}}};
    return small_problems(definition_, {}, model::fictional_gpu(), {usual});
  }
  static std::int64_t size(const SmallProblem& problem, const std::string& name) {
    return std::get<std::int64_t>(*model::find(problem.instance.problem(), name));
  }

  testing::Warptune warptune_;
  kernel_templates::KernelDefinition definition_;
};

TEST_F(SmallProblemsTest, KeepTheFactorsOfTwoAndTryAPrime) {
  const auto found = of("N = 16777216\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(size(found[0], "N"), 2048);
  EXPECT_FALSE(found[0].ragged);
  EXPECT_EQ(size(found[1], "N"), 2039);
  EXPECT_TRUE(found[1].ragged);
  const auto odd = of("N = 3000128\n");  // 64 times an odd number.
  EXPECT_EQ(size(odd[0], "N") % 64, 0);
  EXPECT_EQ(size(odd[0], "N") % 128, 64);
}

TEST_F(SmallProblemsTest, LimitTheMemoryOfPaddedRows) {
  const auto with_pitch = [&](const std::string& pitch) {
    return of("N = 16777216\n",
              "[[argument]]\nname = \"z\"\nkind = \"in\"\ntype = \"f32\"\ncount = \"N\"\nwidth = "
              "\"1\"\npitch = \"" +
                  pitch + "\"\ninit = { kind = \"constant\", value = 1 }\n");
  };
  const auto narrow = with_pitch("2");
  ASSERT_FALSE(narrow.empty());
  EXPECT_EQ(size(narrow[0], "N"), 2048);
  for (const SmallProblem& problem : with_pitch("1024")) EXPECT_LE(size(problem, "N"), 1024);
}

TEST_F(SmallProblemsTest, AreOnlyThatOfTheFilesWhoseSizeFollowsTheProblem) {
  warptune_.file("y.bin", std::string(4 * 3001, '\0'));
  const std::string check = "[check]\nreference = \"file\"\npath = \"y.bin\"\n";
  const auto found = of("N = 3001\n", check);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(size(found[0], "N"), 3001);
  EXPECT_TRUE(of("N = 16777216\n", check).empty());
  const auto inputs = [](const std::string& count) {
    return "[[argument]]\nname = \"z\"\nkind = \"in\"\ntype = \"f32\"\ncount = \"" + count +
           "\"\ninit = { kind = \"file\", path = \"y.bin\" }\n";
  };
  EXPECT_EQ(of("N = 3001\n", inputs("N")).size(), 1U);
  // A table of fixed size fits other sizes, too, and the cases.
  const auto with_table = of("N = 16777216\n", inputs("3001") +
                                                   "[check]\nreference = \"configuration\"\n"
                                                   "cases = [{ seed = 7, sizes = { N = 333 } }]\n");
  ASSERT_EQ(with_table.size(), 3U);
  EXPECT_EQ(size(with_table[0], "N"), 2048);
  EXPECT_EQ(size(with_table[1], "N"), 333);
}

TEST_F(SmallProblemsTest, LeaveSmallSizesAndListsAsTheyAre) {
  const auto found = of("N = 1000\nWIDTH = 31\nMODE = 512\n", "[problem_values]\nMODE = [512, 1024]\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(size(found[0], "N"), 1000);
  EXPECT_EQ(size(found[1], "N"), 997);
  for (const SmallProblem& problem : found) {
    EXPECT_EQ(size(problem, "WIDTH"), 31);
    EXPECT_EQ(size(problem, "MODE"), 512);
  }
}

TEST_F(SmallProblemsTest, MeetTheConstraints) {
  const auto found = of("N = 16777216\n", "[constraints]\nlist = [\"N % BLOCK == 0\", \"N >= 4096\"]\n");
  ASSERT_EQ(found.size(), 1U) << "no prime is a multiple of the block";
  EXPECT_EQ(size(found[0], "N"), 4096);
}

TEST_F(SmallProblemsTest, HaveTheCasesOfTheCheck) {
  const auto found =
      of("N = 16777216\n",
         "[check]\nreference = \"configuration\"\ncases = [{ seed = 7, sizes = { N = 333 } }]\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(size(found[1], "N"), 333);
  EXPECT_EQ(found[1].seed, 7U);
  EXPECT_FALSE(found[1].ragged);
}

}  // namespace
}  // namespace warptune::tuner::checking
