#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "db/exported_names.h"
#include "db/header_export.h"
#include "tests/db/test_data.h"
#include "tests/db/test_program.h"

namespace warptune::db {
namespace {

using testing::configuration;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::winner;
using testing::workload;

ExportInput with_winners() {
  ExportInput input = testing::vector_add();
  input.winners = {
      testing::winner(testing::workload(), testing::configuration(128, true, "ldcs \"x\""), 1500.0)};
  return input;
}

std::string write(const std::string& format, const ExportInput& input) {
  for (const ExportFormat& row : export_formats()) {
    if (row.name == format) return row.write({input});
  }
  throw std::runtime_error("no format " + format);
}

TEST(ExportFormatsTest, TheTableHasTheDocumentedFormats) {
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) {
    names.emplace_back(format.name);
    EXPECT_FALSE(format.summary.empty());
  }
  EXPECT_THAT(names, ElementsAre("header", "defines", "snapshot", "t4"));
}

TEST(ExportFormatsTest, EveryFormatIsDeterministicAndLeavesOutOtherHashesAndUnmeasured) {
  ExportInput input = with_winners();
  ExportInput noisy = input;
  noisy.winners.push_back(
      testing::winner(testing::workload({{"N", std::int64_t{1}}, {"dtype", std::string("f32")}}),
                      testing::configuration(64), 1.0));
  noisy.winners.back().best.status = model::Status::kDropped;
  noisy.winners.push_back(
      testing::winner(testing::workload({{"N", std::int64_t{2}}, {"dtype", std::string("f32")}}),
                      testing::configuration(64), 1.0));
  noisy.winners.back().workload.kernel_hash = "another";
  noisy.winners.push_back(testing::winner(testing::workload(), testing::configuration(64), 1600.0));
  std::reverse(noisy.winners.begin(), noisy.winners.end());
  for (const ExportFormat& format : export_formats()) {
    EXPECT_EQ(format.write({input}), format.write({noisy})) << format.name;
  }
}

TEST(ExportFormatsTest, OfAGpuWithTwoNamesTheImportedRowIsNotChosenForItsTime) {
  const ExportInput input = with_winners();
  ExportInput imported = input;
  Winner faster = input.winners[0];
  faster.workload.gpu.name += " of a file";
  faster.best.time->median_ns /= 2.0;
  faster.best.source = model::RowSource::kImported;
  imported.winners.push_back(faster);
  for (const ExportFormat& format : export_formats()) {
    EXPECT_EQ(format.write({input}), format.write({imported})) << format.name;
  }
}

TEST(ExportFormatsTest, HeadersDefinesAndT4MarkWhatIsNotConfirmed) {
  const ExportInput unconfirmed = with_winners();
  ExportInput confirmed = unconfirmed;
  confirmed.winners[0].best.counters["verified_launches"] = 300.0;
  ExportInput replayed = unconfirmed;
  replayed.winners[0].best.source = model::RowSource::kReplayed;
  for (const char* format : {"header", "defines"}) {
    EXPECT_THAT(write(format, unconfirmed), HasSubstr("not confirmed on new inputs")) << format;
    EXPECT_THAT(write(format, confirmed), Not(HasSubstr("not confirmed"))) << format;
    EXPECT_THAT(write(format, replayed), Not(HasSubstr("not confirmed"))) << format;
  }
  const auto marked = [](const ExportInput& input) {
    return nlohmann::json::parse(write("t4", input)).at("results").at(0).at("confirmed").get<bool>();
  };
  EXPECT_FALSE(marked(unconfirmed));
  EXPECT_TRUE(marked(confirmed));
  EXPECT_EQ(count_unconfirmed(unconfirmed), 1U);
  EXPECT_EQ(count_unconfirmed(confirmed), 0U);
  EXPECT_EQ(count_unconfirmed(replayed), 0U);
}

TEST(ExportFormatsTest, AConfigurationThatLacksAParameterIsRefused) {
  ExportInput input = with_winners();
  input.default_configuration.pop_back();
  EXPECT_THROW(write("header", input), base::InputError);
  EXPECT_THROW(write("defines", input), base::InputError);
}

TEST(ExportFormatsTest, DefinesAreCompilerOptionsThatAShellReadsBack) {
  const std::string text = write("defines", with_winners());
  EXPECT_THAT(text, HasSubstr("-DBLOCK=128 -DALPHA=0.5 -DSTRIDE=1 '-DLOAD=ldcs \"x\"'\n"));
  EXPECT_THAT(text, HasSubstr("# vector-add: the default\n-DBLOCK=256 -DALPHA=0.5 -DSTRIDE=0 -DLOAD=ldg\n"));
  EXPECT_THAT(text, HasSubstr("# vector-add: NVIDIA H200, N=4096 dtype=f32: median 1.50 us [1.49 us, 1.51 "
                              "us], 2.00x the default"));
  const testing::TemporaryFolder folder;
  testing::spill(folder / "defines", text);
  const auto shown =
      testing::run_command("eval \"printf '[%s]' $(sed -n 2p " + (folder / "defines").string() + ")\"");
  EXPECT_EQ(shown.output, "[-DBLOCK=128][-DALPHA=0.5][-DSTRIDE=1][-DLOAD=ldcs \"x\"]");
}

TEST(ExportFormatsTest, T4HasTheMembersOfItsVersion) {
  const auto json = nlohmann::json::parse(write("t4", with_winners()));
  EXPECT_EQ(json["schema_version"], "1.1.0");
  for (const char* name :
       {"compute_api", "platform", "device", "autotuner", "autotuner_version", "timestamp", "timeunit"}) {
    EXPECT_TRUE(json["metadata"].contains(name)) << name;
  }
  EXPECT_EQ(json["metadata"]["device"], "NVIDIA H200");
  EXPECT_EQ(json["metadata"]["timestamp"], "2023-11-14T22:13:20.123Z");
  ASSERT_EQ(json["results"].size(), 2U);  // The best configuration and the default one.
  const auto& best = json["results"][0];
  EXPECT_EQ(best["invalidity"], "correct");
  EXPECT_EQ(best["correctness"], 1);
  EXPECT_EQ(best["times"]["runtimes"][1], 0.0015);
  EXPECT_EQ(best["times"]["compilation"], 12.5);
  EXPECT_EQ(best["measurements"][0]["name"], "time");
  EXPECT_EQ(best["measurements"][0]["value"], 0.0015);
  EXPECT_EQ(best["measurements"][1]["name"], "dram__throughput.avg.pct");
  EXPECT_EQ(best["compilation_data"]["registers"], 32);
  EXPECT_EQ(best["compilation_data"]["local_memory_size"], 3072);
  EXPECT_EQ(best["compilation_data"]["global_size"], 512 * 256);
  EXPECT_EQ(best["objectives"][0], "time");
}

}  // namespace
}  // namespace warptune::db
