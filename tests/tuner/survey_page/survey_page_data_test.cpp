#include "tuner/survey_page/survey_page_data.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "survey/analysis/survey_analysis.h"
#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::survey_page {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

// The numbers of each column.
std::map<std::string, std::vector<std::uint64_t>> numbers_of(const PageData& data) {
  std::map<std::string, std::vector<std::uint64_t>> numbers;
  std::size_t at = 0;
  const auto form = nlohmann::ordered_json::parse(data.json);
  for (const auto& [name, size] : form["columns"].items()) {
    const std::size_t end = at + size.get<std::size_t>();
    while (at < end) {
      std::uint64_t value = 0;
      unsigned shift = 0;
      unsigned char byte = 0;
      do {
        byte = static_cast<unsigned char>(data.columns.at(at++));
        value |= std::uint64_t{byte & 127U} << shift;
        shift += 7;
      } while (byte >= 128);
      numbers[name].push_back(value);
    }
  }
  EXPECT_EQ(at, data.columns.size());
  return numbers;
}

class SurveyPageDataTest : public ::testing::Test {
 protected:
  survey::records::Survey survey_ = survey::testing::small_survey();
  PageData data_ = page_data(survey_, survey::analysis::analyse(survey_));
  json form_ = json::parse(data_.json);
};

TEST_F(SurveyPageDataTest, TracksHaveTheirRowsOneAfterAnother) {
  std::vector<std::string> names;
  std::vector<int> rows;
  for (const json& track : form_["tracks"]) {
    names.push_back(track["name"]);
    rows.push_back(track["rows"]);
  }
  EXPECT_THAT(names, ElementsAre("thread 77: ranges", "thread 77: ranges, 2", "thread 77: calls",
                                 "thread 78: calls", "GPU 0, stream 7 (default)", "GPU 0, stream 13"));
  EXPECT_THAT(rows, ElementsAre(1, 1, 2, 1, 3, 2));
  EXPECT_EQ(form_["tracks"][4]["device"], 0);
  EXPECT_FALSE(form_["tracks"][0].contains("device"));
}

TEST_F(SurveyPageDataTest, ColumnsHaveTheRecords) {
  const auto numbers = numbers_of(data_);
  EXPECT_EQ(form_["first_ns"], -600);
  EXPECT_THAT(numbers.at("starts"),
              ElementsAre(0, 6'100, 100, 6'500, 5'600, 8'600, 102'000, 90'000, 9'600, 91'000));
  EXPECT_THAT(numbers.at("durations"),
              ElementsAre(950'600, 1'500, 4'500, 0, 895'000, 100'000, 2'000, 10'000, 0, 90'000));
  EXPECT_THAT(numbers.at("bytes"), ElementsAre(4'096, 1'000'000));
  // Calls are rows 2 to 4. The first launch comes from row 2, the fill from none, the last launch from row 3.
  EXPECT_THAT(numbers.at("calls"), ElementsAre(1 + 4, 0, 1 + 2, 0, 1 + 8));
}

TEST_F(SurveyPageDataTest, LabelsSayWhatRecordsAre) {
  std::vector<std::string> labels;
  std::vector<std::string> directions;
  const auto numbers = numbers_of(data_);
  for (const std::uint64_t label : numbers.at("labels")) {
    const json& found = form_["labels"].at(label);
    labels.push_back(found["kind"].get<std::string>() + ": " +
                     (found.contains("name")
                          ? form_["names"].at(found["name"].get<std::size_t>()).get<std::string>()
                          : found["text"].get<std::string>()));
    if (found.contains("direction")) directions.push_back(found["direction"]);
  }
  EXPECT_THAT(directions, ElementsAre("host to device"));
  EXPECT_THAT(labels, ElementsAre("range: " + survey_.names[3], "range: " + survey_.names[2],
                                  "call: cudaLaunchKernel", "call: cudaLaunchKernel", "call: cudaMemcpy",
                                  "kernel: " + survey_.names[0], "fill: device",
                                  "kernel: " + survey_.names[0], "kernel: " + survey_.names[2],
                                  "copy: host to device, pageable to device, asynchronous"));
}

TEST_F(SurveyPageDataTest, AnEmptySurveyHasNoRows) {
  const PageData empty = page_data({}, {});
  EXPECT_EQ(empty.columns, "");
  EXPECT_TRUE(json::parse(empty.json)["tracks"].empty());
}

TEST_F(SurveyPageDataTest, AThousandLaunchesTakeFewBytes) {
  const survey::records::Survey survey = survey::testing::synthetic_survey(10'000);
  EXPECT_LT(page_data(survey, {}).columns.size(), 10'000U * 20) << "launches with their calls";
}

}  // namespace
}  // namespace warptune::tuner::survey_page
