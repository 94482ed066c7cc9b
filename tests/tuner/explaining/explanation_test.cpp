#include "tuner/explaining/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/search/analysis/analysis_data.h"

namespace warptune::tuner::explaining {
namespace {

using model::integers;
using model::one_to;
using search::analysis::number;
using search::analysis::recording_of;
using search::analysis::set_time;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The best is 100 us, the default 800 us. VECTOR makes it 4 times as fast, PAD twice by removing conflicts,
// and IDLE changes nothing.
model::Recording known() {
  model::Recording recording = search::analysis::recording_of(
      {model::integers("VECTOR", {1, 4}), model::integers("PAD", {0, 1}), model::one_to("OTHER", 10),
       model::integers("IDLE", {0, 1})},
      {}, [](model::Measurement& row) {
        search::analysis::set_time(row, 8e5 * (1.0 + 0.01 * (search::analysis::number(row, "OTHER") - 1.0)) /
                                            search::analysis::number(row, "VECTOR") /
                                            (1.0 + search::analysis::number(row, "PAD")));
        row.counters["conflicts.sum"] = search::analysis::number(row, "PAD") > 0 ? 10.0 : 1e6;
      });
  recording.default_configuration = {{"VECTOR", std::int64_t{1}},
                                     {"PAD", std::int64_t{0}},
                                     {"OTHER", std::int64_t{1}},
                                     {"IDLE", std::int64_t{0}}};
  return recording;
}

// In `to`, IDLE has its default value.
ExplanationRequest request() {
  ExplanationRequest request;
  request.to = {{"IDLE", std::int64_t{1}}};
  return request;
}

TEST(Explanation, SharesTheGainOutAmongTheSteps) {
  const Explanation explanation = explain(known(), request());
  EXPECT_TRUE(explanation.arrived);
  ASSERT_EQ(explanation.steps.size(), 3U);
  const ExplainedStep& vector = explanation.steps[0];
  EXPECT_EQ(vector.step.changes.front().name, "VECTOR");
  EXPECT_NEAR(vector.ratio, 0.25, 1e-12);
  EXPECT_NEAR(vector.share, 2.0 / 3.0, 1e-12);
  EXPECT_FALSE(vector.within_noise);
  EXPECT_THAT(vector.metrics, IsEmpty());
  ASSERT_TRUE(vector.everywhere);
  EXPECT_EQ(vector.everywhere->pairs, 40U);
  EXPECT_NEAR(vector.everywhere->ratio.value().median, 0.25, 1e-12);
  const ExplainedStep& pad = explanation.steps[1];
  EXPECT_NEAR(pad.share, 1.0 / 3.0, 1e-12);
  ASSERT_EQ(pad.metrics.size(), 1U);
  EXPECT_EQ(pad.metrics.front().name, "conflicts.sum");
  EXPECT_EQ(pad.metrics.front().after, 10.0);
  EXPECT_TRUE(explanation.steps[2].within_noise);  // This step is IDLE.
  EXPECT_EQ(explanation.not_measured, 0U);
  EXPECT_THAT(explanation.notes, IsEmpty());
}

TEST(Explanation, HasModelsAndNextSteps) {
  const Explanation explanation = explain(known(), {});
  ASSERT_TRUE(explanation.over_space);
  EXPECT_GT(explanation.over_space->importance.by_parameter[0], 0.6);
  EXPECT_FALSE(explanation.near_best);  // Only 20 rows are near the best.
  ASSERT_TRUE(explanation.from_diagnosis);
  EXPECT_FALSE(explanation.from_diagnosis->unchecked.empty());  // No rule reads its only counter.
  EXPECT_TRUE(explanation.to_diagnosis);
  ASSERT_EQ(explanation.next_steps.idle.size(), 1U);
  EXPECT_EQ(explanation.next_steps.idle.front().parameter, "IDLE");
}

TEST(Explanation, OfASampleLooksUpThePathThatTheSampleLacks) {
  const model::Recording all = known();
  model::Recording sample = all;
  std::erase_if(sample.measurements,
                [](const model::Measurement& row) { return search::analysis::number(row, "OTHER") < 3; });
  ExplanationRequest wanted;
  wanted.best = {{"VECTOR", std::int64_t{4}},
                 {"PAD", std::int64_t{1}},
                 {"OTHER", std::int64_t{1}},
                 {"IDLE", std::int64_t{0}}};
  EXPECT_TRUE(explain(sample, wanted).steps.empty());
  wanted.look_up = [&](const model::NamedValues& configuration) -> std::optional<model::Measurement> {
    const model::Measurement* row = model::RecordingIndex(all).find(configuration);
    return row == nullptr ? std::nullopt : std::optional(*row);
  };
  const Explanation explanation = explain(sample, wanted);
  ASSERT_EQ(explanation.steps.size(), 2U);
  EXPECT_EQ(explanation.steps[0].step.changes.front().name, "VECTOR");
  EXPECT_EQ(explanation.steps[0].step.grouping, search::analysis::Grouping::kAlone);
  EXPECT_TRUE(explanation.arrived);
  EXPECT_EQ(explanation.measured_now, 0U);
}

TEST(Explanation, MeasuresWhatIsMissing) {
  const model::Recording all = known();
  model::Recording some = all;
  some.measurements = {all.measurements.front()};  // This is the default.
  some.measurements.push_back(*model::RecordingIndex(all).find({{"VECTOR", std::int64_t{4}},
                                                                {"PAD", std::int64_t{1}},
                                                                {"OTHER", std::int64_t{1}},
                                                                {"IDLE", std::int64_t{0}}}));
  std::size_t asked = 0;
  ExplanationRequest wanted;
  wanted.measure = [&](const std::vector<model::NamedValues>& missing) {
    std::vector<model::Measurement> rows;
    for (const model::NamedValues& configuration : missing) {
      rows.push_back(*model::RecordingIndex(all).find(configuration));
      ++asked;
    }
    return rows;
  };
  const Explanation explanation = explain(some, wanted);
  EXPECT_EQ(asked, 2U);  // It asked for VECTOR alone and PAD alone.
  EXPECT_EQ(explanation.measured_now, 2U);
  EXPECT_EQ(explanation.rows, 4U);
  ASSERT_EQ(explanation.steps.size(), 2U);
  EXPECT_EQ(explanation.steps[0].step.grouping, search::analysis::Grouping::kAlone);

  const Explanation unmeasured = explain(some, {});
  ASSERT_EQ(unmeasured.steps.size(), 1U);
  EXPECT_EQ(unmeasured.steps[0].step.grouping, search::analysis::Grouping::kUnmeasuredSeparately);
  EXPECT_EQ(unmeasured.not_measured, 2U);
}

TEST(Explanation, MeasuresDroppedStepsAgainAndElseTakesTheirEstimate) {
  model::Recording recording = known();
  const model::NamedValues step = {{"VECTOR", std::int64_t{4}},
                                   {"PAD", std::int64_t{0}},
                                   {"OTHER", std::int64_t{1}},
                                   {"IDLE", std::int64_t{0}}};
  for (model::Measurement& row : recording.measurements) {
    if (model::key_of(row.configuration) == model::key_of(step)) row.status = model::Status::kDropped;
  }
  const Explanation estimated = explain(recording, {});
  EXPECT_EQ(estimated.steps.front().step.after.status, model::Status::kDropped);
  EXPECT_EQ(estimated.estimated, 1U);
  ExplanationRequest wanted;
  std::vector<model::NamedValues> asked;
  wanted.measure = [&](const std::vector<model::NamedValues>& missing) {
    asked = missing;
    model::Measurement row = *model::RecordingIndex(recording).find(missing.front());
    row.status = model::Status::kMeasured;
    return std::vector<model::Measurement>{row};
  };
  const Explanation measured = explain(recording, wanted);
  EXPECT_THAT(asked, ElementsAre(step));
  EXPECT_EQ(measured.steps.front().step.after.status, model::Status::kMeasured);
  EXPECT_EQ(measured.estimated, 0U);
}

TEST(Explanation, AttributesAGapByTheModel) {
  model::Recording recording = known();
  std::erase_if(
      recording.measurements, [](const model::Measurement& row) {  // Removes the rows between the two ends.
        return search::analysis::number(row, "OTHER") == 1 &&
               search::analysis::number(row, "VECTOR") != 1 + 3 * search::analysis::number(row, "PAD");
      });
  const Explanation explanation = explain(recording, {});
  ASSERT_FALSE(explanation.steps.empty());
  const ExplainedStep& step = explanation.steps.back();
  ASSERT_EQ(step.step.grouping, search::analysis::Grouping::kUnmeasuredSeparately);
  ASSERT_EQ(step.modelled.size(), 2U);
  EXPECT_EQ(step.modelled.front().change.name, "VECTOR");
  EXPECT_NEAR(step.modelled.front().ratio, 0.25, 0.1);
}

TEST(Explanation, SaysWhatIsMissing) {
  model::Recording recording = known();
  recording.default_configuration.clear();
  recording.measurements.resize(10);
  for (model::Measurement& row : recording.measurements) row.counters.clear();
  const Explanation explanation = explain(recording, {});
  EXPECT_THAT(explanation.steps, IsEmpty());
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("no default configuration")));
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("no counters were recorded")));
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("needs 30")));
}

TEST(Explanation, ShowsTheEndThatThereIs) {
  model::Recording recording = known();
  recording.default_configuration.clear();
  const Explanation without_default = explain(recording, {});
  EXPECT_FALSE(without_default.from);
  ASSERT_TRUE(without_default.to);
  EXPECT_DOUBLE_EQ(without_default.to->time->median_ns, 1e5);
  EXPECT_TRUE(without_default.to_diagnosis);
  recording = known();
  for (model::Measurement& row : recording.measurements) row.status = model::Status::kDropped;
  const Explanation without_best = explain(recording, {});
  EXPECT_TRUE(without_best.from);
  EXPECT_TRUE(without_best.from_diagnosis);
  EXPECT_FALSE(without_best.to);
}

TEST(Explanation, WithoutADefaultFromChangesTheBest) {
  model::Recording recording = known();
  recording.default_configuration.clear();
  ExplanationRequest wanted;
  wanted.from = {{"VECTOR", std::int64_t{1}}};
  const Explanation explanation = explain(recording, wanted);
  ASSERT_EQ(explanation.steps.size(), 1U);
  EXPECT_NEAR(explanation.steps.front().ratio, 0.25, 1e-12);
}

TEST(Explanation, SaysWhyAnEndHasNoTime) {
  model::Recording recording = known();
  recording.measurements.front().status = model::Status::kWrongResult;
  recording.measurements.front().reason = "x[0] is 3\nand more";
  const Explanation explanation = explain(recording, {});
  EXPECT_THAT(explanation.steps, IsEmpty());
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("wrong_result: x[0] is 3)")));
}

TEST(Explanation, OfNothingMeasuredHasNotes) {
  model::Recording recording = known();
  for (model::Measurement& row : recording.measurements) row.status = model::Status::kCompileFailed;
  const Explanation explanation = explain(recording, {});
  EXPECT_EQ(explanation.timed, 0U);
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("there is no best")));
}

TEST(Explanation, OfADefaultThatIsTheBestHasNoSteps) {
  model::Recording recording = known();
  recording.default_configuration = *&explain(recording, {}).to->configuration;
  const Explanation explanation = explain(recording, {});
  EXPECT_TRUE(explanation.arrived);
  EXPECT_THAT(explanation.steps, IsEmpty());
}

TEST(Explanation, RefusesEndsThatAreNoneOfTheSpace) {
  ExplanationRequest wanted;
  wanted.to = {{"VECTOR", std::int64_t{3}}};
  EXPECT_THROW(explain(known(), wanted), base::InputError);
  wanted.to = {{"VECTR", std::int64_t{4}}};
  EXPECT_THROW(explain(known(), wanted), base::InputError);
}

TEST(Explanation, MeasuresNoStepBetweenImportedRows) {
  model::Recording imported = known();
  std::erase_if(imported.measurements, [](const model::Measurement& row) {
    return number(row, "VECTOR") != 1 + 3 * number(row, "PAD");
  });
  for (model::Measurement& row : imported.measurements) row.source = model::RowSource::kImported;
  ExplanationRequest wanted;
  wanted.measure = [](const std::vector<model::NamedValues>& missing) {
    std::vector<model::Measurement> rows;
    for (const model::NamedValues& configuration : missing)
      rows.push_back(*model::RecordingIndex(known()).find(configuration));
    return rows;
  };
  const Explanation explanation = explain(imported, wanted);
  EXPECT_EQ(explanation.measured_now, 0U);
  EXPECT_THAT(explanation.notes, Contains(HasSubstr("no step is measured")));
  ASSERT_EQ(explanation.steps.size(), 1U);
  EXPECT_EQ(explanation.steps[0].step.after.source, model::RowSource::kImported);
}

TEST(Explanation, ComparesOnlyRowsOfTheBestSource) {
  model::Recording mixed = known();
  for (model::Measurement& row : mixed.measurements) {
    if (number(row, "VECTOR") > 1) row.source = model::RowSource::kImported;
  }
  const Explanation explanation = explain(mixed, {});
  EXPECT_EQ(number(*explanation.to, "VECTOR"), 1.0) << "those with 4 are faster";
  EXPECT_EQ(explanation.timed, 40U);
  mixed.measurements[0].source = model::RowSource::kImported;  // The default.
  EXPECT_FALSE(explain(mixed, {}).from);
}

}  // namespace
}  // namespace warptune::tuner::explaining
