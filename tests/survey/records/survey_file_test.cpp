#include "survey/records/survey_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/zstd_text.h"
#include "tests/survey/synthetic_survey.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::records {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kData = std::string(WARPTUNE_SOURCE_FOLDER) + "/tests/survey/data/";

class SurveyFileTest : public ::testing::Test {
 protected:
  std::string text_of(const Survey& survey) {
    write_survey(survey, path_);
    std::string text;
    base::streams::zstd_decompress(base::read_file(path_), path_, "survey",
                                   [&](std::string_view piece) { text += piece; });
    return text;
  }

  // What reading says about a file with these bytes; "accepted" if nothing.
  std::string answer_to_bytes(std::string_view bytes) {
    base::write_file_atomically(path_, bytes);
    try {
      read_survey(path_);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::string answer(std::string_view text) { return answer_to_bytes(base::streams::zstd_compress(text, 1)); }

  // The same for a text in which a part is replaced.
  std::string answer_with(const std::string& part, const std::string& by) {
    std::string text = text_of(testing::small_survey());
    const std::size_t at = text.find(part);
    if (at == std::string::npos) return "the text has no " + part;
    return answer(text.replace(at, part.size(), by));
  }

  tests::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "some.wtsurvey.zst";
};

TEST_F(SurveyFileTest, ASurveyReturnsAsItWas) {
  Survey unnamed = testing::small_survey();
  unnamed.processes[0].unnamed = 7;
  for (const Survey& survey : {Survey{}, testing::small_survey(), unnamed, testing::synthetic_survey(5000)}) {
    write_survey(survey, path_);
    EXPECT_TRUE(read_survey(path_) == survey);
  }
}

TEST_F(SurveyFileTest, BytesThatAreNotUtf8AreReplaced) {
  Survey survey = testing::small_survey();
  survey.names[3] = "a\xFFz";
  write_survey(survey, path_);
  EXPECT_EQ(read_survey(path_).names[3], "a\xEF\xBF\xBDz");
}

TEST_F(SurveyFileTest, AFileOfVersion1IsReadForEver) {
  EXPECT_TRUE(read_survey(kData + "version1.wtsurvey.zst") == testing::small_survey());
}

TEST_F(SurveyFileTest, CountersReturnAsTheyWereInAFileOfVersion2) {
  Survey survey = testing::small_survey();
  EXPECT_THAT(text_of(survey), HasSubstr(R"("version":1,)")) << "older versions of warptune read it";
  survey.run.counting_problem = "One kernel is missing.";
  survey.counted = {
      {0, 0, {{{"dram__bytes.sum", 1.5}}, {{"dram__bytes.sum", 2.0}, {"sm__cycles.avg", 0.25}}}}};
  EXPECT_THAT(text_of(survey), HasSubstr(R"("version":2,)"));
  EXPECT_TRUE(read_survey(path_) == survey);
}

TEST_F(SurveyFileTest, CountersOfGraphsReturnAsTheyWere) {
  Survey survey = testing::small_survey();
  records::CountedGraph graph;
  graph.kernel_nodes = 3;
  graph.other_nodes = 1;
  graph.parts = {{0, 2}};
  graph.launches = {{{"dram__bytes.sum", 1.5}}};
  survey.counted_graphs = {graph};
  const std::string text = text_of(survey);
  EXPECT_THAT(text, HasSubstr(R"("version":2,)"));
  EXPECT_TRUE(read_survey(path_) == survey);
  const auto with = [&](const std::string& part, const std::string& by) {
    std::string other = text;
    return answer(other.replace(other.find(part), part.size(), by));
  };
  EXPECT_EQ(with("[[0,2]]", "[[0,2]]"), "accepted");
  EXPECT_THAT(with("[[0,2]]", "[[99,2]]"), HasSubstr("counted_graphs: a shape or a device is out of range"));
  EXPECT_THAT(with("[[0,2]]", "[[0,0]]"), HasSubstr("parts: expected at least one node"));
  EXPECT_THAT(with("[[0,2]]", "[[0]]"), HasSubstr("parts: expected a shape and its number of nodes"));
  EXPECT_THAT(with("[[0,2]]", "7"), HasSubstr("parts: expected a list"));
  EXPECT_THAT(with("[[0,2]]", "[[0,4]]"), HasSubstr("counted_graphs: a number of nodes is out of range"));
  EXPECT_THAT(with(R"("other_nodes":1)", R"("other_nodes":-1)"),
              HasSubstr("a number of nodes is out of range"));
}

TEST_F(SurveyFileTest, ARecordedFileOfVersion2IsReadForEver) {
  const Survey survey = read_survey(kData + "version2.wtsurvey.zst");
  ASSERT_THAT(survey.counted, SizeIs(1));
  EXPECT_THAT(survey.counted[0].launches, SizeIs(3));
  EXPECT_EQ(survey.counted[0].launches[0].at("dram__bytes.sum"), 1158980096.0);
}

TEST_F(SurveyFileTest, CountersBelongToAShapeAndADevice) {
  Survey survey = testing::small_survey();
  survey.counted = {{0, 0, {{{"dram__bytes.sum", 1.5}}}}};
  const std::string text = text_of(survey);
  const auto with = [&](const std::string& part, const std::string& by) {
    std::string other = text;
    return answer(other.replace(other.find(part), part.size(), by));
  };
  EXPECT_EQ(with(R"("shape":0)", R"("shape":0)"), "accepted");
  EXPECT_THAT(with(R"([{"shape":0)", R"([{"shape":99)"),
              HasSubstr("counted: a shape or a device is out of range"));
  EXPECT_THAT(with(R"("device":0,"launches")", R"("device":99,"launches")"), HasSubstr("out of range"));
  EXPECT_THAT(with(R"({"dram__bytes.sum":1.5})", R"({"dram__bytes.sum":"1.5"})"), HasSubstr("another type"));
  EXPECT_THAT(with(R"([{"dram__bytes.sum":1.5}])", "7"), HasSubstr("another type"));
}

TEST_F(SurveyFileTest, ThousandLaunchesTakeLessThanTwentyKilobytes) {
  write_survey(testing::synthetic_survey(1000), path_);
  EXPECT_THAT(base::read_file(path_), SizeIs(Lt(20'000U)));
}

TEST_F(SurveyFileTest, AnUnorderedSurveyIsNotWritten) {
  Survey survey = testing::small_survey();
  std::swap(survey.launches[0], survey.launches[2]);
  EXPECT_THROW(write_survey(survey, path_), base::InternalError);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SurveyFileTest, OtherFilesAreRefusedByWhatTheyAre) {
  EXPECT_THAT(answer_to_bytes("{}"),
              AllOf(StartsWith(path_.string()), HasSubstr("expected a zstd-compressed survey")));
  EXPECT_THAT(answer_to_bytes(""), HasSubstr("found an empty file"));
  EXPECT_THAT(answer(""), HasSubstr("not JSON near byte"));
  EXPECT_THAT(answer("[]"), HasSubstr("another JSON text"));
  EXPECT_THAT(answer("5"), HasSubstr("another JSON text"));
  EXPECT_THAT(answer("{}"), HasSubstr("another JSON text"));
  EXPECT_THAT(answer(R"({"format": "warptune-recording", "version": 3})"), HasSubstr("another JSON text"));
  EXPECT_THAT(answer(R"({"format": "warptune-survey-file"})"), HasSubstr("a survey with a version"));
  EXPECT_THAT(answer(R"({"format": "warptune-survey-file", "version": 1})"), HasSubstr("of another type"));
  EXPECT_THROW(read_survey(folder_ / "missing"), base::InputError);
}

TEST_F(SurveyFileTest, ANewerVersionIsNamedBeforeAnythingElseIsRead) {
  EXPECT_THAT(answer(R"({"format": "warptune-survey-file", "version": 3, "launches": "elsewhere")"),
              AllOf(HasSubstr("version 3"), HasSubstr("use a newer warptune")));
}

TEST_F(SurveyFileTest, EachIndexIsWithinItsTable) {
  EXPECT_THAT(answer_with("\"process\":[0,0]", "\"process\":[0,1]"),
              HasSubstr("streams.process: row 1 is out of range"));
  EXPECT_THAT(answer_with("\"name\":[0,2]", "\"name\":[5,2]"), HasSubstr("shapes.name: row 0"));
  EXPECT_THAT(answer_with("\"shape\":[0,1,0]", "\"shape\":[0,-1,0]"), HasSubstr("launches.shape: row 1"));
  EXPECT_THAT(answer_with("\"call\":[0,-1,3]", "\"call\":[0,-1,4]"), HasSubstr("launches.call: row 2"));
  EXPECT_THAT(answer_with("\"call\":[0,-1,3]", "\"call\":[0,-2,3]"), HasSubstr("launches.call: row 1"));
  EXPECT_THAT(answer_with("\"kind\":[0,2,0]", "\"kind\":[0,2,99]"), HasSubstr("calls.kind: row 2"));
}

TEST_F(SurveyFileTest, NumbersAreWithinTheirRange) {
  EXPECT_THAT(answer_with("\"duration\":[100000,", "\"duration\":[-1,"),
              HasSubstr("launches.duration: row 0"));
  EXPECT_THAT(answer_with("\"start\":[8000,", "\"start\":[9223372036854775807,"),
              HasSubstr("launches.start: row 0"));
  EXPECT_THAT(answer_with("\"start\":[8000,1000,", "\"start\":[8000,-1000,"),
              HasSubstr("order of their start"));
  EXPECT_THAT(answer_with("\"start\":[8000,", "\"start\":[18446744073709551615,"), HasSubstr("too large"));
  EXPECT_THAT(answer_with("\"start\":[8000,", "\"start\":[8000.5,"),
              HasSubstr("launches.start: expected integers"));
  EXPECT_THAT(answer_with("\"start\":[8000,", "\"start\":[[8000],"),
              HasSubstr("launches.start: expected integers"));
  EXPECT_THAT(answer_with("\"start\":[8000,", "\"start\":[{},"),
              HasSubstr("launches.start: expected integers"));
  EXPECT_THAT(answer_with("\"pid\":77", "\"pid\":\"77\""), HasSubstr("pid: expected an integer"));
  EXPECT_THAT(answer_with("\"warp_size\":32", "\"warp_size\":99999999999"), HasSubstr("warp_size"));
  EXPECT_THAT(answer_with("\"end\":\"killed\"", "\"end\":\"lost\""),
              HasSubstr("one of exited, killed, still running"));
  EXPECT_THAT(answer_with("\"window\":[1000,", "\"window\":[5000000000,"), HasSubstr("ends after its start"));
}

// 2^60 ns are the limit of one duration and of all of a table, so no sum of an analysis overflows.
TEST_F(SurveyFileTest, SumsThatAnAnalysisCouldNotHoldAreRefused) {
  const std::string most = "1152921504606846976";
  EXPECT_THAT(answer_with("\"duration\":[100000,", "\"duration\":[1152921504606846977,"),
              HasSubstr("launches.duration: row 0 is out of range"));
  EXPECT_THAT(answer_with("\"duration\":[100000,", "\"duration\":[" + most + ","),
              HasSubstr("launches.duration: the sum is out of range"));
  Survey survey = testing::small_survey();
  survey.unlisted.assign(2, {0, 0, std::int64_t{1} << 59, 1});
  EXPECT_EQ(answer(text_of(survey)), "accepted");
  survey.unlisted.push_back({0, 0, 1, 1});
  EXPECT_THAT(answer(text_of(survey)), HasSubstr("unlisted.count: the sum is out of range at row 2"));
  survey = testing::small_survey();
  survey.copies.at(0).bytes = std::uint64_t{1} << 61;
  EXPECT_THAT(answer(text_of(survey)), HasSubstr("copies.bytes: row 0 is out of range"));
  survey = testing::small_survey();
  survey.run.duration = -1;
  EXPECT_THAT(answer(text_of(survey)), HasSubstr("duration: expected at most 36 years"));
}

TEST_F(SurveyFileTest, ColumnsOfATableHaveTheSameLength) {
  EXPECT_THAT(answer_with("\"shape\":[0,1,0]", "\"shape\":[0,1]"),
              HasSubstr("launches.shape: expected 3 numbers, found 2"));
  EXPECT_THAT(answer_with("\"shape\":[0,1,0]", "\"shape\":[0,1,0],\"shape\":[0,1,0]"),
              HasSubstr("there twice"));
  EXPECT_EQ(answer_with("\"shape\":[0,1,0]", "\"colour\":[7,7,7],\"shape\":[0,1,0]"), "accepted")
      << "a column that a later version adds";
}

TEST_F(SurveyFileTest, HostileTextsAreRefusedInLittleMemory) {
  const std::string head = R"({"format": "warptune-survey-file", "version": 1, "run": )";
  EXPECT_THAT(answer(head + std::string(1'000'000, '[')), HasSubstr("lists within lists"));
  std::string many = head + "[";
  for (int i = 0; i < 4'500'000; ++i) many += "0,";
  EXPECT_THAT(answer(many), HasSubstr("too many values"));
}

TEST_F(SurveyFileTest, LongTextsAreRefusedWhileTheyAreUnpackedAndBeforeTheyAreWritten) {
  constexpr std::size_t kMib = 1U << 20;
  const std::string blanks = base::streams::zstd_compress(std::string(kMib, ' '), 1);
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += blanks;
  base::write_file_atomically(path_, bytes);
  try {
    read_survey(path_, 3 * kMib);
    ADD_FAILURE() << "it was read";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("at most 3 MiB once it is unpacked"));
  }
  EXPECT_THROW(write_survey(testing::synthetic_survey(1000), folder_ / "long", 1000), base::InputError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "long"));
}

TEST_F(SurveyFileTest, ATruncatedFileIsRefusedAtEveryLength) {
  write_survey(testing::small_survey(), path_);
  const std::string whole = base::read_file(path_);
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_NE(answer_to_bytes(whole.substr(0, size)), "accepted") << size;
  const std::string text = text_of(testing::small_survey());
  for (std::size_t size = 0; size + 2 < text.size(); size += 7)
    ASSERT_NE(answer(text.substr(0, size)), "accepted") << size;
}

// A damaged file is either refused or still a survey, with indices within their tables: then writing works.
TEST_F(SurveyFileTest, FlippedBytesGiveAnErrorOrASurvey) {
  const std::string text = text_of(testing::synthetic_survey(30));
  write_survey(testing::synthetic_survey(30), path_);
  const std::string whole = base::read_file(path_);
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 1200; ++i) {
    const bool is_packed = i % 3 == 0;
    std::string damaged = is_packed ? whole : text;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % (is_packed ? 8 : 5));
    const std::string said = is_packed ? answer_to_bytes(damaged) : answer(damaged);
    refused += said != "accepted";
    if (said == "accepted") {
      const Survey survey = read_survey(path_);
      write_survey(survey, path_);
      ASSERT_TRUE(read_survey(path_) == survey) << i;
    }
  }
  EXPECT_GT(refused, 400);
  EXPECT_LT(refused, 1200) << "some damage only changes numbers";
}

}  // namespace
}  // namespace warptune::survey::records
