#include "model/fields.h"

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune::model {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

template <class Object>
std::vector<std::string> names_of(const Object& object) {
  std::vector<std::string> names;
  visit_fields(object, [&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

// Each differs, so that a swap shows.
constexpr Roofs kRoofs = {4.2e12, 66.9e12, 4.6e12, 66.1e12, 33.2e12, 904e12};

TEST(Fields, OfRoofsHaveTheNamesOfTheirMembers) {
  std::map<std::string, double> values;
  visit_fields(kRoofs, [&](const char* name, std::optional<double> value) { values[name] = value.value(); });
  EXPECT_THAT(values,
              UnorderedElementsAre(Pair("copy_bytes_per_s", kRoofs.copy_bytes_per_s),
                                   Pair("read_bytes_per_s", kRoofs.read_bytes_per_s),
                                   Pair("fp32_theory_flops_per_s", kRoofs.fp32_theory_flops_per_s),
                                   Pair("fp32_measured_flops_per_s", kRoofs.fp32_measured_flops_per_s),
                                   Pair("fp64_flops_per_s", kRoofs.fp64_flops_per_s),
                                   Pair("tensor_flops_per_s", kRoofs.tensor_flops_per_s)));
}

TEST(Fields, OfRoofsKeepTheirFirstNamesWhereThoseArePublished) {
  std::map<std::string, double> values;
  visit_first_names(kRoofs,
                    [&](const char* name, std::optional<double> value) { values[name] = value.value(); });
  EXPECT_THAT(values,
              UnorderedElementsAre(Pair("memory_bytes_per_s", kRoofs.copy_bytes_per_s),
                                   Pair("read_bytes_per_s", kRoofs.read_bytes_per_s),
                                   Pair("fp32_flops_per_s", kRoofs.fp32_theory_flops_per_s),
                                   Pair("fp32_measured_flops_per_s", kRoofs.fp32_measured_flops_per_s),
                                   Pair("fp64_flops_per_s", kRoofs.fp64_flops_per_s),
                                   Pair("tensor_flops_per_s", kRoofs.tensor_flops_per_s)));
}

TEST(Fields, CanBeWrittenToWhereTheObjectIsNotConstant) {
  Roofs roofs;
  double next = 1.0;
  visit_fields(roofs, [&](const char*, std::optional<double>& value) { value = next++; });
  EXPECT_EQ(roofs, (Roofs{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
}

TEST(Fields, OfAMeasurementAndARejectionAreAllOfTheirMembers) {
  EXPECT_THAT(names_of(Measurement{}),
              ElementsAre("configuration", "status", "reason", "time", "samples_ns", "resources", "counters",
                          "compile_ms", "measure_ms", "time_stamp_ms"));
  std::optional<TimeSummary> time;
  EXPECT_THAT(names_of(as_numbers(time)), ElementsAre("median_ns", "low_ns", "high_ns"));
  EXPECT_THAT(names_of(Work{}), ElementsAre("flops", "bytes", "unit", "written_share"));
  EXPECT_THAT(names_of(Rejection{}), ElementsAre("status", "reason", "cause"));
}

std::vector<double> numbers_of(const std::optional<TimeSummary>& time) {
  std::vector<double> numbers;
  visit_fields(as_numbers(time), [&](const char*, double number) { numbers.push_back(number); });
  return numbers;
}

std::optional<TimeSummary> time_of(const std::vector<double>& numbers) {
  std::optional<TimeSummary> time = TimeSummary{1.0, 2.0, 3.0};
  std::size_t next = 0;
  visit_fields(as_numbers(time), [&](const char*, double& number) { number = numbers.at(next++); });
  return time;
}

TEST(Fields, OfATimeAreNumbersAndNaNWhereItIsUnknown) {
  using ::testing::IsNan;
  EXPECT_THAT(numbers_of(TimeSummary{5.0, 4.0, 6.0}), ElementsAre(5.0, 4.0, 6.0));
  EXPECT_THAT(numbers_of(TimeSummary{5.0}), ElementsAre(5.0, IsNan(), IsNan()));
  EXPECT_THAT(numbers_of(std::nullopt), ElementsAre(IsNan(), IsNan(), IsNan()));
}

TEST(Fields, OfATimeGiveBackWhatTheyWere) {
  for (const std::optional<TimeSummary>& time :
       {std::optional<TimeSummary>(), std::optional(TimeSummary{5.0}), std::optional(TimeSummary{5.0, 4.0}),
        std::optional(TimeSummary{5.0, 4.0, 6.0}), std::optional(TimeSummary{0.0, -1.0, 0.0})})
    EXPECT_EQ(time_of(numbers_of(time)), time);
  EXPECT_EQ(time_of({or_nan(std::nullopt), 4.0, 6.0})->low_ns, 4.0) << "the bound of a dropped row";
}

}  // namespace
}  // namespace warptune::model
