#include "profiling/diagnosis/remedies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/gpu_description.h"

namespace warptune::profiling::diagnosis {
namespace {

using ::testing::ElementsAre;

// A kernel of one parameter, X = 1, 2, 4, 8, 16, at X = 4; registers fall as X rises.
class RemediesByResources : public ::testing::Test {
 protected:
  RemediesByResources() {
    recording_.workload.gpu = model::fictional_gpu();
    recording_.parameters = {
        {"X",
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16}},
         "",
         {}}};
    model::Measurement row;
    row.status = model::Status::kMeasured;
    row.configuration = {{"X", std::int64_t{4}}};
    row.time = {100e3, 99e3, 101e3};
    row.resources.registers_per_thread = 64;
    recording_.measurements = {row};
    rows_ = search::analysis::timed_rows(recording_);
    effects_.emplace(rows_);
    input_.gpu = recording_.workload.gpu;
    input_.measurement = row;
    input_.effects = &*effects_;
    input_.resources_of = [this](const model::NamedValues& configuration) {
      const std::int64_t x = std::get<std::int64_t>(*model::find(configuration, "X"));
      compiled_.push_back(x);
      model::ResourceUse use;
      use.registers_per_thread = 256 / x;
      return std::optional(use);
    };
  }

  std::vector<ParameterRemedy> remedies(UnmeasuredValues unmeasured) {
    Target target;
    target.label = "registers";
    target.value = [](const Facts& facts) {
      return std::optional(static_cast<double>(facts.measurement().resources.registers_per_thread));
    };
    target.by_resources = true;
    return parameter_remedies(Facts(input_, input_.measurement), target, unmeasured);
  }

  model::Recording recording_;
  search::analysis::TimedRows rows_;
  std::optional<search::analysis::ParameterEffects> effects_;
  DiagnosisInput input_;
  std::vector<std::int64_t> compiled_;
};

TEST_F(RemediesByResources, AreTheBestOfAllValues) {
  const std::vector<ParameterRemedy> found = remedies(UnmeasuredValues::kTry);
  EXPECT_THAT(compiled_, ElementsAre(1, 2, 8, 16));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].to, model::Value(std::int64_t{16}));
}

TEST_F(RemediesByResources, AreNotLookedForWhereNothingMayBeCompiled) {
  EXPECT_THAT(remedies(UnmeasuredValues::kSkip), ::testing::IsEmpty());
  EXPECT_THAT(compiled_, ::testing::IsEmpty());
}

}  // namespace
}  // namespace warptune::profiling::diagnosis
