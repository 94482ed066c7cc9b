// The answer to a question where the best that is stored cannot run.
#include "tuner/knowledge/known_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::knowledge {
namespace {

using ::testing::HasSubstr;

model::NamedValues values_of(std::int64_t a, bool b) { return {{"A", a}, {"B", b}}; }

// A kernel whose A must be 2 or more, except for large N. Its default has A=1.
class KnownAnswerTest : public ::testing::Test {
 protected:
  KnownAnswerTest() {
    std::string text = base::read_file(testing::write_toy_kernel(folder_));
    text.replace(
        text.find("[default]"), 9,
        "[constraints]\nlist = [{ expression = \"A >= 2 || N > 2000\", reason = \"small\" }]\n[default]");
    std::ofstream(folder_ / "toy.cu") << text;
    definition_.emplace(kernel_templates::load_kernel_definition(folder_ / "toy.cu"));
  }

  kernel_templates::KernelInstance instance_for(std::int64_t n) const {
    return {*definition_, {{"N", n}}, model::fictional_gpu()};
  }

  void store_row(std::int64_t n, const model::Measurement& row) {
    db::Session session;
    session.workload = workload_of(instance_for(n), model::CacheState::kCold);
    store_.add_measurement(store_.begin_session(session), row);
  }

  KnownAnswer answer_for(std::int64_t n, bool strict = false, const model::Objective& objective = {}) {
    return known_answer(instance_for(n), source_of(store_, *definition_, objective),
                        {"toy", model::CacheState::kCold, strict});
  }

  testing::TemporaryFolder folder_;
  std::optional<kernel_templates::KernelDefinition> definition_;
  db::Store store_{folder_ / "a.db"};
};

TEST_F(KnownAnswerTest, IsTheBestOfThoseThatCanRunHere) {
  store_row(4096, testing::measured(values_of(1, true), 500.0));
  store_row(4096, testing::measured(values_of(2, true), 1000.0));
  store_row(4096, testing::measured(values_of(3, true), 1500.0));
  EXPECT_EQ(answer_for(4096).match.configuration, values_of(1, true));
  EXPECT_EQ(answer_for(4096).reason, "");
  const KnownAnswer here = answer_for(1024);
  EXPECT_EQ(here.match.configuration, values_of(2, true));
  EXPECT_THAT(here.reason, HasSubstr("the best of those that can run here; the best of all cannot: "));
  EXPECT_THAT(here.reason, HasSubstr("A >= 2 || N > 2000"));
}

TEST_F(KnownAnswerTest, IsAConfigurationThatCanRunWhereTheDefaultExceedsALimit) {
  EXPECT_EQ(answer_for(4096).match.configuration, values_of(1, false));
  std::string text = base::read_file(folder_ / "toy.cu");
  text.replace(text.find("[\"32\"]"), 6, "[\"2048 / A\"]");
  std::ofstream(folder_ / "toy.cu") << text;
  definition_.emplace(kernel_templates::load_kernel_definition(folder_ / "toy.cu"));
  const KnownAnswer here = answer_for(4096);
  EXPECT_EQ(here.match.tier, db::MatchTier::kDefault);
  EXPECT_NE(here.match.configuration.at(0).second, model::Value(std::int64_t{1})) << "2048 threads";
  EXPECT_THAT(here.reason, HasSubstr("because nothing is stored of toy; changed where it cannot run here"));
}

TEST_F(KnownAnswerTest, IsAConfigurationThatCanRunWhereTheDefaultIsNotInTheSpace) {
  const KnownAnswer here = answer_for(1024);
  EXPECT_EQ(here.match.tier, db::MatchTier::kDefault);
  EXPECT_EQ(here.match.configuration, values_of(2, false));
  EXPECT_THAT(here.reason, HasSubstr("because nothing is stored of toy; changed where it cannot run here: "));
  EXPECT_THAT(here.reason, HasSubstr("A >= 2 || N > 2000"));
}

TEST_F(KnownAnswerTest, SaysThatNothingStoredHasWhatTheObjectiveNeeds) {
  store_row(4096, testing::measured(values_of(2, true), 1000.0));
  const model::Objective energy = model::Objective::parse("energy");
  const std::string expected =
      "no stored configuration can be rated by what is asked for, such as those for N=4096 on ";
  EXPECT_THAT(answer_for(4096, false, energy).reason, HasSubstr(expected));
  try {
    answer_for(4096, true, energy);
    FAIL() << "no energy was measured";
  } catch (const base::WorkError& error) {
    EXPECT_THAT(error.what(), HasSubstr(expected));
  }
}

TEST_F(KnownAnswerTest, OfAStrictQuestionIsAnErrorThatSaysWhatThereIs) {
  store_row(4096, testing::measured(values_of(2, true), 1000.0));
  EXPECT_EQ(answer_for(4096, true).match.tier, db::MatchTier::kExact);
  try {
    answer_for(1024, true);
    FAIL() << "only N=4096 was measured";
  } catch (const base::WorkError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--strict wants an exact match, and there is one for N=4096 on "));
  }
}

TEST_F(KnownAnswerTest, WhatTheEvidenceTookMustBeThereToo) {
  const kernel_templates::KernelInstance instance = instance_for(1024);
  model::Measurement evidence;
  evidence.resources.threads_per_block = 512;
  evidence.resources.registers_per_thread = 128;
  EXPECT_EQ(why_invalid_for(instance, values_of(2, true), evidence), std::nullopt);
  evidence.resources.registers_per_thread = 129;
  EXPECT_THAT(why_invalid_for(instance, values_of(2, true), evidence).value_or(""),
              HasSubstr("it needs 66048 registers per block, and an SM has 65536"));
  evidence.resources.static_shared_bytes = instance.gpu().shared_bytes_per_block_optin;
  evidence.resources.dynamic_shared_bytes = 1;
  EXPECT_THAT(why_invalid_for(instance, values_of(2, true), evidence).value_or(""),
              HasSubstr("bytes of shared memory per block"));
  EXPECT_NE(why_invalid_for(instance, values_of(99, true), {}), std::nullopt);
}

}  // namespace
}  // namespace warptune::tuner::knowledge
