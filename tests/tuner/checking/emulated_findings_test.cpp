#include "tuner/checking/emulated_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tuner/program.h"

namespace warptune::tuner::checking {
namespace {

using kernel_templates::inspection::Severity;
using ::testing::HasSubstr;

constexpr const char* kScale = R"(/* warptune
[kernel]
entry = "scale"
[problem]
N = 1000
[launch]
grid = [8]
block = [128]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"
[check]
reference = "expression"
expression = "x[i]"
[parameters]
BLOCK = [128]
[default]
BLOCK = 128
*/
__global__ void scale(const float* x, float* y) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  y[i] = x[i];
}
)";

class EmulatedFindingsTest : public ::testing::Test {
 protected:
  EmulatedOutcome of(int exit_code, const std::string& output) const {
    return emulated_findings(definition_, runs_, {true, exit_code, output});
  }

  testing::Warptune warptune_;
  std::string path_ = warptune_.file("scale.cu", kScale);
  kernel_templates::KernelDefinition definition_ = kernel_templates::load_kernel_definition(path_);
  std::vector<EmulatedRun> runs_ = {{{{"N", std::int64_t{1000}}}, {}, false},
                                    {{{"N", std::int64_t{997}}}, {}, true}};
};

TEST_F(EmulatedFindingsTest, AreNoneOfAProgramThatEndsWell) {
  const EmulatedOutcome read = of(0, "reference\t0\nbegin\t0\tforward\n0 of 2 runs are wrong\n");
  EXPECT_TRUE(read.findings.empty());
  EXPECT_EQ(read.obstacle, "");
}

TEST_F(EmulatedFindingsTest, AWrongElementIsAtItsArgumentAndAWarningAtRaggedSizes) {
  const EmulatedOutcome read = of(
      1,
      "begin\t0\tforward\nwrong\t0\ty\tbackward\telement 3 of 1000 is nan, expected 1 within 1e-05\ttitle\n"
      "begin\t1\tforward\nwrong\t1\ty\tforward\telement 996 of 997 is nan, expected 1 within 1e-05\ttitle\n");
  ASSERT_EQ(read.findings.size(), 2U);
  EXPECT_EQ(read.findings[0].severity, Severity::kError);
  EXPECT_EQ(read.findings[0].position.line, 14);
  EXPECT_THAT(read.findings[0].message, HasSubstr("N=1000: the argument 'y': element 3 of 1000 is nan"));
  EXPECT_THAT(read.findings[0].message, HasSubstr("only if the threads run in reverse order"));
  EXPECT_EQ(read.findings[1].severity, Severity::kWarning);
  EXPECT_THAT(read.findings[1].message, HasSubstr("N=997"));
  EXPECT_THAT(read.findings[1].message, HasSubstr("add a constraint"));
}

TEST_F(EmulatedFindingsTest, AnAccessOutOfBoundsIsAtItsLineInTheSource) {
  const EmulatedOutcome read =
      of(1,
         "begin\t0\tforward\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n"
         "READ of size 4 at 0x1 thread T0\n    #0 0x55 in memcpy /usr/include/string.h:12\n"
         "    #1 0x56 in copy_0::scale(float const*, float*) " +
             path_ + ":28\n");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(base::to_string(read.findings[0].position), path_ + ":28:3");
  EXPECT_THAT(read.findings[0].message, HasSubstr("reads 4 bytes outside of a buffer"));
}

TEST_F(EmulatedFindingsTest, UndefinedBehaviourIsAtItsColumn) {
  const EmulatedOutcome read =
      of(1, "begin\t0\tforward\n" + path_ + ":28:10: runtime error: load of misaligned address 0x1\n");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(base::to_string(read.findings[0].position), path_ + ":28:10");
  EXPECT_THAT(read.findings[0].message, HasSubstr("load of misaligned address"));
}

TEST_F(EmulatedFindingsTest, DefectsAreAtTheEntryAndWhatIsLackingIsNoFinding) {
  const EmulatedOutcome defect =
      of(3, "begin\t0\tforward\ndefect: a shared array is written outside its bounds\n");
  ASSERT_EQ(defect.findings.size(), 1U);
  EXPECT_EQ(defect.findings[0].position.line, 3);
  EXPECT_THAT(defect.findings[0].message, HasSubstr("a shared array is written outside its bounds"));
  const EmulatedOutcome lacking = of(4, "begin\t0\tforward\nlacking: no type f8\n");
  EXPECT_TRUE(lacking.findings.empty());
  EXPECT_THAT(lacking.obstacle, HasSubstr("no type f8"));
  EXPECT_THAT(of(127, "").obstacle, HasSubstr("exit code 127"));
  EXPECT_THAT(of(139, "begin\t0\tforward\n").findings.at(0).message, HasSubstr("signal 11"));
}

TEST_F(EmulatedFindingsTest, AFaultOfTheReferenceIsAtTheCheck) {
  const EmulatedOutcome read = of(3, "reference\t1\ndefect: lanes wait\n");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(read.findings[0].position.line, 21);
  EXPECT_THAT(read.findings[0].message, HasSubstr("the reference: lanes wait"));
}

}  // namespace
}  // namespace warptune::tuner::checking
