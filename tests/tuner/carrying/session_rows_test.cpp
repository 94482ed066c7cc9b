// Commands keep the rows of a kernel whose text changes without its code: docs/database.md, "Rows of a
// changed text". The GPU worker is a fake, and the compile workers compile.
#include "tuner/carrying/session_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "db/codes/workload_codes.h"
#include "db/store.h"
#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::carrying {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SessionRows : public ::testing::Test {
 protected:
  SessionRows() {
    warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER},
                           {"WARPTUNE_FAKE_COMPILE_IS_REAL", "1"}};
  }
  testing::ProgramRun tune(std::vector<std::string> options = {}) {
    options.insert(options.begin(),
                   {"tune", kernel_, "--jobs", "1", "--budget", "12", "--strategy", "random"});
    testing::ProgramRun done = warptune_.run(options);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done;
  }
  void change(const std::string& from, const std::string& to) const {
    std::string text = testing::slurp(kernel_);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(kernel_) << text.replace(at, from.size(), to);
  }
  std::optional<model::WorkloadCode> code() const {
    db::Store store(warptune_.database());
    return db::codes::WorkloadCodes(store).find(testing::acting_workload(kernel_));
  }
  testing::ProgramRun query() { return warptune_.run({"query", kernel_, "--gpu", "fictional"}); }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_acting_kernel(warptune_.folder());
};

TEST_F(SessionRows, ASessionNotesItsCodeAndDbCarryKeepsItsRows) {
  const testing::ProgramRun first = tune({"--log-level", "debug"});
  EXPECT_THAT(first.err, AllOf(HasSubstr("digests of the code of "), HasSubstr("; 0 programs were compiled")))
      << "all of them were compiled by the session";
  ASSERT_TRUE(code().has_value());
  change("extern \"C\"", "// Doubles each element.\nextern \"C\"");
  EXPECT_THAT(query().out, AllOf(HasSubstr("match: default"), HasSubstr("`warptune db carry KERNEL`")));
  EXPECT_THAT(warptune_.run({"db", "carry", kernel_}).out,
              HasSubstr("now belong to the present text: the machine code is the same at "));
  EXPECT_THAT(query().out, HasSubstr("match: exact"));
  EXPECT_THAT(tune().err, Not(HasSubstr("another text")));
}

// The other text may still be in use.
TEST_F(SessionRows, ASessionMovesNothingAndAdvisesOnce) {
  tune();
  const std::string before = testing::slurp(kernel_);
  change("*= 2.0f", "*= 3.0f");
  EXPECT_THAT(tune().err, HasSubstr("`warptune db carry` gives them to the present text"));
  EXPECT_THAT(tune().err, Not(HasSubstr("another text")));
  EXPECT_THAT(warptune_.run({"db", "carry", kernel_}).out,
              AllOf(HasSubstr("stay with that text"), HasSubstr("has other code")));
  std::ofstream(kernel_) << before;
  EXPECT_THAT(query().out, HasSubstr("match: exact"));
}

TEST_F(SessionRows, WithoutACacheNothingIsNoted) {
  tune({"--compile-cache", "none"});
  EXPECT_FALSE(code().has_value());
  change("extern \"C\"", "// Doubles each element.\nextern \"C\"");
  EXPECT_THAT(tune().err, Not(HasSubstr("another text")));
  const testing::ProgramRun asked = warptune_.run({"db", "carry", kernel_});
  EXPECT_THAT(asked.out, HasSubstr("stay with that text: no digests of their code are stored"));
}

TEST_F(SessionRows, TheActionKeepsThemWithoutASession) {
  tune({"--compile-cache", "none"});
  EXPECT_THAT(warptune_.run({"db", "carry", kernel_}).out,
              AllOf(HasSubstr("there are no measurements of another text of acting\n"),
                    HasSubstr("digests of the present code of acting are stored for 1 workload\n")));
  change("(float* x)", "( float *values )");
  change("x[blockIdx.x * 32 + threadIdx.x]", "values[blockIdx.x * 32 + threadIdx.x]");
  const nlohmann::json carried = warptune_.json_of({"db", "carry", kernel_});
  ASSERT_EQ(carried.at("workloads").size(), 1U);
  EXPECT_EQ(carried.at("workloads")[0].at("carried"), true);
  EXPECT_TRUE(carried.at("workloads")[0].at("reason").is_null());
  EXPECT_THAT(query().out, HasSubstr("match: exact"));
  EXPECT_THAT(warptune_.run({"db", "verify"}).out, HasSubstr("no damage found"));
  EXPECT_NE(warptune_.run({"db", "carry", kernel_, "--db", "missing.db"}).exit_code, 0);
}

}  // namespace
}  // namespace warptune::tuner::carrying
