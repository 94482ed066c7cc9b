#include "search/analysis/ablation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "search/analysis/timed_rows.h"
#include "tests/search/analysis/analysis_data.h"

namespace warptune::search::analysis {
namespace {

using model::constraints;
using model::integers;

model::NamedValues abc(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {{"A", a}, {"B", b}, {"C", c}};
}

std::vector<model::Parameter> three() {
  return {model::integers("A", {0, 1}), model::integers("B", {0, 1}), model::integers("C", {0, 1})};
}

// A gains the least, and C gains the most.
void additive(model::Measurement& row) {
  set_time(row, 1000.0 - 100.0 * number(row, "A") - 200.0 * number(row, "B") - 400.0 * number(row, "C"));
}

std::vector<std::string> names_of(const AblationStep& step) {
  std::vector<std::string> names;
  for (const ParameterStep& change : step.changes) names.push_back(change.name);
  return names;
}

// Answers from a recording and counts the configurations that were asked for.
std::size_t answer(Ablation& path, const model::Recording& recording) {
  const model::RecordingIndex index(recording);
  std::set<std::string> asked;
  while (true) {
    const std::vector<model::NamedValues> missing = path.next_unknown();
    if (missing.empty()) return asked.size();
    for (const model::NamedValues& configuration : missing) {
      EXPECT_TRUE(asked.insert(model::key_of(configuration)).second) << "asked twice";
      const model::Measurement* row = index.find(configuration);
      if (row != nullptr) {
        path.tell(*row);
      } else {
        path.give_up(configuration);
      }
    }
  }
}

using ::testing::ElementsAre;

TEST(Ablation, TakesTheLargestGainFirst) {
  const model::Recording recording = recording_of(three(), {}, additive);
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
  answer(path, recording);
  ASSERT_TRUE(path.arrived());
  ASSERT_EQ(path.steps().size(), 3U);
  EXPECT_THAT(names_of(path.steps()[0]), ElementsAre("C"));
  EXPECT_THAT(names_of(path.steps()[1]), ElementsAre("B"));
  EXPECT_THAT(names_of(path.steps()[2]), ElementsAre("A"));
  EXPECT_EQ(path.start()->time->median_ns, 1000.0);
  EXPECT_EQ(path.steps()[0].after.time->median_ns, 600.0);
  EXPECT_EQ(path.steps()[0].grouping, Grouping::kAlone);
  EXPECT_EQ(path.steps()[2].after.configuration, abc(1, 1, 1));
}

TEST(Ablation, AsksOnlyForWhatLiesBetween) {
  const model::Recording recording = recording_of(
      {model::integers("A", {0, 1, 2}), model::integers("B", {0, 1}), model::integers("C", {0, 1})}, {},
      additive);
  Ablation path(recording.space(), abc(0, 0, 1), abc(2, 1, 1));
  EXPECT_LE(answer(path, recording), 4U);
  EXPECT_EQ(path.differing(), 2U);
  EXPECT_TRUE(path.arrived());
}

TEST(Ablation, WhatIsKnownIsNotAskedFor) {
  const model::Recording recording = recording_of(three(), {}, additive);
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
  for (const model::Measurement& row : recording.measurements) path.tell(row);
  EXPECT_TRUE(path.next_unknown().empty());
  EXPECT_TRUE(path.arrived());
}

TEST(Ablation, ChangesTogetherWhatAConstraintTies) {
  const model::Recording recording = recording_of(three(), model::constraints({"A == B"}), additive);
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
  answer(path, recording);
  ASSERT_TRUE(path.arrived());
  ASSERT_EQ(path.steps().size(), 2U);
  EXPECT_THAT(names_of(path.steps()[0]), ElementsAre("C"));
  EXPECT_THAT(names_of(path.steps()[1]), ElementsAre("A", "B"));
  EXPECT_EQ(path.steps()[1].grouping, Grouping::kInvalidApart);
  EXPECT_EQ(path.unmeasured_changes(), 0U);  // It never asked for an invalid configuration.
}

TEST(Ablation, GoesRoundWhatFailed) {
  const model::Recording recording = recording_of(three(), {}, [](model::Measurement& row) {
    additive(row);
    if (number(row, "C") == 1 && number(row, "A") == 0) row.status = model::Status::kWrongResult;
  });
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
  answer(path, recording);
  ASSERT_TRUE(path.arrived());
  ASSERT_EQ(path.steps().size(), 3U);
  EXPECT_THAT(names_of(path.steps()[0]), ElementsAre("B"));  // C alone would have failed.
  EXPECT_THAT(names_of(path.steps()[1]), ElementsAre("A"));
}

TEST(Ablation, JoinsChangesThatOnlyGainTogether) {
  // Each change alone is slower, and both together are faster.
  const model::Recording recording = recording_of(three(), {}, [](model::Measurement& row) {
    const double a = number(row, "A");
    const double b = number(row, "B");
    set_time(row, a == b ? 1000.0 - 500.0 * a : 2000.0);
  });
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 0));
  answer(path, recording);
  ASSERT_EQ(path.steps().size(), 1U);
  EXPECT_EQ(path.steps()[0].grouping, Grouping::kSlowerApart);
  EXPECT_THAT(names_of(path.steps()[0]), ElementsAre("A", "B"));
}

TEST(Ablation, TakesTheSmallestLossIfNothingGains) {
  const model::Recording recording = recording_of(three(), {}, additive);
  Ablation path(recording.space(), abc(1, 1, 1), abc(0, 0, 0));  // From the best to the worst.
  answer(path, recording);
  ASSERT_EQ(path.steps().size(), 3U);
  EXPECT_THAT(names_of(path.steps()[0]), ElementsAre("A"));
  EXPECT_THAT(names_of(path.steps()[2]), ElementsAre("C"));
}

TEST(Ablation, UsesWhatIsKnownWhereNobodyCanMeasure) {
  model::Recording recording = recording_of(three(), {}, additive);
  std::erase_if(recording.measurements, [](const model::Measurement& row) {
    const double changed = number(row, "A") + number(row, "B") + number(row, "C");
    return changed == 1 || (changed == 2 && number(row, "A") == 1);  // Left: 000, 011, 111.
  });
  for (const bool asking : {true, false}) {
    Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
    for (const model::Measurement& row : recording.measurements) path.tell(row);
    if (!asking) path.ask_no_more();
    answer(path, recording);
    ASSERT_TRUE(path.arrived());
    ASSERT_EQ(path.steps().size(), 2U);
    EXPECT_THAT(names_of(path.steps()[0]), ElementsAre("B", "C"));
    EXPECT_EQ(path.steps()[0].grouping, Grouping::kUnmeasuredSeparately);
    EXPECT_EQ(path.unmeasured_changes(), 3U);
  }
}

TEST(Ablation, AsksForNothingOnceNobodyMeasures) {
  const model::Recording recording = recording_of(three(), {}, additive);
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
  EXPECT_FALSE(path.next_unknown().empty());
  path.ask_no_more();
  EXPECT_TRUE(path.next_unknown().empty());
  EXPECT_FALSE(path.arrived());
}

TEST(Ablation, EndsWhereAnEndIsNotToBeHad) {
  model::Recording recording = recording_of(three(), {}, additive);
  recording.measurements.front().status = model::Status::kCompileFailed;
  Ablation path(recording.space(), abc(0, 0, 0), abc(1, 1, 1));
  answer(path, recording);
  EXPECT_EQ(path.start(), nullptr);
  EXPECT_FALSE(path.arrived());
  EXPECT_TRUE(path.steps().empty());
}

TEST(Ablation, OfOneConfigurationHasNoSteps) {
  const model::Recording recording = recording_of(three(), {}, additive);
  Ablation path(recording.space(), abc(1, 0, 1), abc(1, 0, 1));
  EXPECT_EQ(answer(path, recording), 1U);
  EXPECT_TRUE(path.arrived());
  EXPECT_TRUE(path.steps().empty());
}

TEST(Ablation, RefusesWhatIsNoneOfTheSpace) {
  const model::Space space(three(), model::constraints({"A == B"}));
  EXPECT_THROW(Ablation(space, abc(0, 0, 0), abc(1, 0, 0)), base::InputError);
  EXPECT_THROW(Ablation(space, abc(0, 0, 7), abc(1, 1, 0)), base::InputError);
}

TEST(Ablation, OfManyParametersStaysQuick) {
  std::vector<model::Parameter> parameters;
  model::NamedValues from;
  model::NamedValues to;
  for (int p = 0; p < 20; ++p) {
    parameters.push_back(model::integers("P" + std::to_string(p), {0, 1}));
    from.emplace_back(parameters.back().name, std::int64_t{0});
    to.emplace_back(parameters.back().name, std::int64_t{1});
  }
  model::Recording recording;
  recording.parameters = parameters;
  for (const model::NamedValues& end : {from, to}) {
    model::Measurement row;
    row.configuration = end;
    row.status = model::Status::kMeasured;
    set_time(row, 100.0);
    recording.measurements.push_back(row);
  }
  Ablation path(recording.space(), from, to);
  for (const model::Measurement& row : recording.measurements) path.tell(row);
  path.ask_no_more();
  EXPECT_TRUE(path.next_unknown().empty());
  ASSERT_EQ(path.steps().size(), 1U);  // No configuration between the ends is known.
  EXPECT_EQ(path.steps()[0].grouping, Grouping::kUnmeasuredSeparately);
}

}  // namespace
}  // namespace warptune::search::analysis
