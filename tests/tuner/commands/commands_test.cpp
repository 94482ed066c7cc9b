// The commands as people use them: a replayed session, then all commands that read the stored session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <set>
#include <string>

#include "db/recording_file.h"
#include "kernel_templates/compile_cache.h"
#include "tests/tuner/commands/toy_session.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// The toy kernel with constraints, and with a parameter that matters only in some configurations.
std::string with_conditions(std::string toy) {
  const auto insert_after = [&toy](const std::string& place, const std::string& text) {
    const std::size_t at = toy.find(place);
    ASSERT_NE(at, std::string::npos) << place;
    toy.insert(at + place.size(), text);
  };
  insert_after("B = [false, true]\n",
               "PAD = { values = [0, 1, 2], when = \"!B\" }\n[constraints]\nlist = [\n"
               "  { expression = \"A < 4\", reason = \"A is small\" },\n"
               "  \"1 / (A - 4) <= 0 || A > 9\",\n]\n");
  insert_after("B = false\n", "PAD = 0\n");
  return toy;
}

class CommandsTest : public ToySessionTest {};

TEST_F(CommandsTest, TuneFromARecordingReportsBestDefaultAndFailures) {
  const testing::ProgramRun done = tune();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("toy N=1024 on"));
  EXPECT_THAT(done.out, HasSubstr("(replayed)"));
  EXPECT_THAT(done.out, HasSubstr("8 configurations evaluated"));
  EXPECT_THAT(done.out, HasSubstr("7 measured, 1 wrong_result; the space is exhausted"));
  EXPECT_THAT(done.out, HasSubstr("1 x wrong_result: x[0] is 3, expected 2"));
  EXPECT_THAT(done.out, HasSubstr("2.01x"));
  EXPECT_THAT(done.out, HasSubstr("stored as session 1"));
  EXPECT_THAT(done.out, Not(HasSubstr("\x1b")));
}

TEST_F(CommandsTest, DroppedConfigurationsSurviveARecordingAndAreShownAsSlowerThan) {
  model::Recording recording = testing::toy_recording(kernel_);
  for (model::Measurement& row : recording.measurements) {
    const bool fast = row.status == model::Status::kMeasured && row.time->median_ns < 1500.0;
    if (!fast && row.status == model::Status::kMeasured) row = testing::dropped(row.configuration, 2500.0);
  }
  db::write_recording(recording_, recording);
  const std::string again = (warptune_ / "again.wtrec.zst").string();
  const testing::ProgramRun done = tune({"--record", again});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("1 measured, 6 dropped, 1 wrong_result"));
  EXPECT_THAT(done.out, Not(HasSubstr("x dropped")));
  EXPECT_THAT(done.out, HasSubstr("> 2.25 us"));
  const testing::ProgramRun shown = warptune_.run({"show", "1"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("1 measured, 6 dropped, the fastest 7:"), HasSubstr("> 2.25 us")));
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("winner").at("best").at("status"), "measured");
  EXPECT_THAT(warptune_.run({"export", kernel_, "--replayed"}).out, HasSubstr("row_count = 1"));
  recording_ = again;
  const json replayed = warptune_.tuned(
      {"tune", kernel_, "--replay", again, "--budget", "all", "--db", (warptune_ / "second.db").string()});
  EXPECT_EQ(replayed.at("by_status").at("dropped"), 6);
  EXPECT_TRUE(replayed.at("speed_up").is_null());
}

TEST_F(CommandsTest, AnObjectiveRanksTuneQueryAndShow) {
  model::Recording recording = testing::toy_recording(kernel_);
  for (model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured) continue;
    const std::int64_t a = std::get<std::int64_t>(row.configuration[0].second);
    row.counters["energy_j"] = a == 4 ? 0.25 : 0.5 + 0.1 * static_cast<double>(a);
  }
  db::write_recording(recording_, recording);
  const json report = warptune_.tuned(
      {"tune", kernel_, "--replay", recording_, "--budget", "all", "--objective", "time,energy"});
  EXPECT_EQ(report.at("objective"), "time,energy");
  EXPECT_EQ(report.at("best").at("configuration"), json({{"A", 4}, {"B", false}}));
  EXPECT_DOUBLE_EQ(report.at("objective_value"), 2040.0 * 0.25);
  EXPECT_TRUE(report.at("objective_unit").is_null()) << "a product of ns and J";
  ASSERT_THAT(report.at("pareto"), SizeIs(5));  // All equal points stay.
  const json& parts = report.at("pareto")[0].at("parts");
  EXPECT_EQ(parts[0], (json{{"objective", "time"}, {"objective_value", 1000.0}, {"objective_unit", "ns"}}));
  EXPECT_EQ(parts[1], (json{{"objective", "energy"}, {"objective_value", 0.7}, {"objective_unit", "J"}}));
  EXPECT_THAT(warptune_.run({"show", "1"}).out, HasSubstr("objective time,energy"));
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("configuration"), json({{"A", 2}, {"B", true}}));
  const json by_energy = warptune_.json_of({"query", kernel_, "--objective", "energy"});
  EXPECT_EQ(by_energy.at("configuration").at("A"), 4);
  EXPECT_DOUBLE_EQ(by_energy.at("objective_value"), 0.25);
  EXPECT_EQ(by_energy.at("objective_unit"), "J");
  const testing::ProgramRun text = warptune_.run({"query", kernel_, "--objective", "time,energy"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("Pareto front of time,energy: 5"), HasSubstr("0.7 J")));
  const std::string tuned = tune({"--objective", "time,energy"}).out;
  EXPECT_THAT(tuned, HasSubstr("of these, the smallest product of time,energy: 510\n"));
  EXPECT_LT(tuned.find("Pareto front of time,energy: 5 configurations\n"), tuned.find("of these"));
  EXPECT_LT(text.out.find("Pareto front of"), text.out.find("of these, the smallest product"));
  EXPECT_EQ(warptune_.run({"query", kernel_, "--strict", "--objective", "power"}).exit_code, 1);
}

TEST_F(CommandsTest, AnObjectiveThatRatesNoConfigurationIsReported) {
  const testing::ProgramRun done = tune({"--objective", "energy"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              HasSubstr("7 configurations were measured, but --objective energy could not rate any"));
  const testing::ProgramRun wrong = tune({"--objective", "time * engergy"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--objective:1:8: unknown name 'engergy'"));
}

TEST_F(CommandsTest, QuerySaysWhyItAnswersTheDefault) {
  const auto answer = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"query", kernel_});
    return warptune_.run(more).out;
  };
  ASSERT_EQ(tune().exit_code, 0);
  EXPECT_THAT(
      answer({"--cache", "warm"}),
      HasSubstr("match: default\nthe definition's default, because there are only measurements from a cold "
                "L2 cache\n"));
  EXPECT_THAT(answer({"--gpu", "cc=80,sms=108"}),
              AllOf(HasSubstr("on a GPU with compute capability 8.0 and 108 SMs (described by --gpu)\n"),
                    HasSubstr("match: portable, measured for N=1024")));
  // A definition with other constraints is another version: rows of the earlier one do not count.
  std::string conditional = with_conditions(testing::slurp(kernel_));
  const std::size_t at = conditional.find("A < 4");
  ASSERT_NE(at, std::string::npos);
  conditional.replace(at, 5, "A < 4 || N > 2000");
  const std::string limited = warptune_.file("limited.cu", conditional);
  const json empty = warptune_.json_of({"query", limited});
  EXPECT_EQ(empty.at("match"), "default");
  EXPECT_THAT(warptune_.run({"query", limited}).out,
              HasSubstr("because there are only measurements of another version of its source; `warptune db "
                        "carry KERNEL`"));
}

TEST_F(CommandsTest, AWarmCacheIsAskedForSeparately) {
  model::Recording recording = testing::toy_recording(kernel_);
  recording.workload.cache = model::CacheState::kWarm;
  db::write_recording(recording_, recording);
  EXPECT_THAT(tune().out, HasSubstr("timed from a warm L2 cache"));
  EXPECT_EQ(tune({"--cache", "cold"}).exit_code, 2);
  EXPECT_EQ(warptune_.run({"query", kernel_, "--strict"}).exit_code, 1);
  EXPECT_EQ(warptune_.run({"export", kernel_, "--replayed"}).exit_code, 1);
  const json found = warptune_.json_of({"query", kernel_, "--strict", "--cache", "warm"});
  EXPECT_EQ(found.at("workload").at("cache"), "warm");
  EXPECT_THAT(warptune_.run({"export", kernel_, "--replayed", "--cache", "warm"}).out,
              HasSubstr("from a warm L2 cache"));
  EXPECT_THAT(warptune_.run({"query", kernel_, "--cache", "hot"}).err,
              HasSubstr("expected cold, warm or unknown"));
}

TEST_F(CommandsTest, TuneAsJsonSaysTheSameForPrograms) {
  const json report = warptune_.tuned({"tune", kernel_, "--replay", recording_, "--budget", "all"});
  EXPECT_EQ(report.at("evaluated"), 8);
  EXPECT_EQ(report.at("known_before"), 0);
  EXPECT_EQ(report.at("by_status").at("measured"), 7);
  EXPECT_EQ(report.at("best").at("configuration"), json({{"A", 2}, {"B", true}}));
  EXPECT_EQ(report.at("best").at("median_ns"), 1000.0);
  EXPECT_DOUBLE_EQ(report.at("speed_up"), 2.01);
  EXPECT_EQ(report.at("replayed"), true);
  EXPECT_EQ(report.at("interrupted"), false);
}

TEST_F(CommandsTest, TuneSaysWhereItsSearchBeganWhyItEndedAndWhatMoreWouldGain) {
  kernel_ = testing::write_toy_kernel(warptune_.folder(), 100).string();
  model::Recording recording = testing::toy_recording(kernel_);
  db::write_recording(recording_, recording);
  EXPECT_THAT(tune({"--until", "0.0005roof", "--strategy", "random"}).out,
              HasSubstr("ended because the best configuration reached 0.05 % of the roof\n"));
  ASSERT_EQ(tune().exit_code, 0);
  recording.workload.gpu.sm_count -= 2;
  db::write_recording(recording_, recording);
  const std::vector<std::string> arguments = {"tune", kernel_,   "--replay", recording_,   "--budget",
                                              "150",  "--until", "90%",      "--strategy", "surrogate"};
  const testing::ProgramRun text = warptune_.run(arguments);
  EXPECT_THAT(text.out, HasSubstr("began with 199 measurements of N=1024 on "));
  EXPECT_THAT(
      text.out,
      HasSubstr("ended because the search's model predicts that more evaluations gain at most 90%\n"));
  EXPECT_THAT(
      text.out,
      ::testing::ContainsRegex(
          "another 50 evaluations would gain at most [0-9.e-]+ %, according to the model of surrogate"));
  const json report = warptune_.tuned(arguments);
  EXPECT_EQ(report.at("source").at("rows"), 199);
  EXPECT_EQ(report.at("source").at("workload").at("problem"), json({{"N", 1024}}));
  EXPECT_EQ(report.at("source").at("workload").at("gpu").at("name"), recording.workload.gpu.name);
  EXPECT_EQ(report.at("until"), (json{{"text", "90%"}, {"reached", true}}));
  EXPECT_EQ(report.at("expected_gain").at("evaluations"), 50);
  EXPECT_EQ(report.at("search_continued"), true);
  std::vector<std::string> alone = arguments;
  alone.emplace_back("--no-transfer");
  EXPECT_TRUE(warptune_.tuned(alone).at("source").is_null());
  EXPECT_THAT(tune({"--until", "2%", "--strategy", "random", "--fresh"}).out, Not(HasSubstr("had no model")));
  EXPECT_THAT(
      warptune_
          .run({"tune", kernel_, "--replay", recording_, "--budget", "5", "--until", "2%", "--strategy",
                "random", "--fresh"})
          .out,
      HasSubstr("--until 2%: strategy random had no model to predict the gain of more evaluations\n"));
}

TEST_F(CommandsTest, ASecondTuneContinuesAndAFreshOneBeginsAgain) {
  const auto report = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"tune", kernel_, "--replay", recording_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return warptune_.tuned(arguments);
  };
  EXPECT_EQ(report({"--budget", "3"}).at("evaluated"), 3);
  const json second = report({"--budget", "all"});
  EXPECT_EQ(second.at("known_before"), 3);
  EXPECT_EQ(second.at("evaluated"), 5);
  EXPECT_EQ(second.at("best").at("median_ns"), 1000.0);
  EXPECT_EQ(report({"--budget", "4", "--fresh"}).at("evaluated"), 4);
  EXPECT_THAT(tune().out, HasSubstr("0 configurations evaluated in 0.0 s, 8 known from earlier sessions"));
}

TEST_F(CommandsTest, QueryGivesTheBestAndHowItMatches) {
  ASSERT_EQ(tune().exit_code, 0);
  const json exact = warptune_.json_of({"query", kernel_});
  EXPECT_EQ(exact.at("match"), "exact");
  EXPECT_EQ(exact.at("configuration"), json({{"A", 2}, {"B", true}}));
  const json near = warptune_.json_of({"query", kernel_, "--size", "N=4096"});
  EXPECT_EQ(near.at("match"), "near_problem");
  EXPECT_EQ(near.at("winner").at("workload").at("problem").at("N"), 1024);
  const testing::ProgramRun text = warptune_.run({"query", kernel_, "--size", "N=4096"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("match: near_problem, measured for N=1024"));
}

TEST_F(CommandsTest, AStrictQueryTakesOnlyAnExactMatch) {
  ASSERT_EQ(tune().exit_code, 0);
  EXPECT_EQ(warptune_.run({"query", kernel_, "--strict"}).exit_code, 0);
  const testing::ProgramRun none = warptune_.run({"query", kernel_, "--strict", "--size", "N=4096"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, AllOf(HasSubstr("nothing is known of toy N=4096"), HasSubstr("warptune tune")));
}

TEST_F(CommandsTest, QueryAfterTheSourceChangedSaysSo) {
  ASSERT_EQ(tune().exit_code, 0);
  warptune_.file("toy.cu", testing::slurp(kernel_) + "// changed\n");
  const testing::ProgramRun changed = warptune_.run({"query", kernel_, "--strict"});
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_THAT(changed.err, HasSubstr("another version of its source"));
}

TEST_F(CommandsTest, AnExportedHeaderIsCheckedUntilTheDatabaseLearnsMore) {
  ASSERT_EQ(tune({"--budget", "1"}).exit_code, 2);  // --budget is given twice.
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "1"}).exit_code, 0);
  const std::string header = (warptune_ / "toy.h").string();
  ASSERT_EQ(warptune_.run({"export", kernel_, "--replayed", "-o", header}).exit_code, 0);
  EXPECT_THAT(testing::slurp(header), HasSubstr("static_assert"));
  EXPECT_EQ(warptune_.run({"export", kernel_, "--replayed", "--check", header}).exit_code, 0);
  ASSERT_EQ(tune().exit_code, 0);
  const testing::ProgramRun stale = warptune_.run({"export", kernel_, "--replayed", "--check", header});
  EXPECT_EQ(stale.exit_code, 1);
  EXPECT_EQ(stale.out, "");
  EXPECT_THAT(stale.err, HasSubstr("no longer matches the database"));
}

TEST_F(CommandsTest, EveryExportFormatGoesToStandardOutput) {
  ASSERT_EQ(tune().exit_code, 0);
  for (const char* format : {"header", "json", "defines", "snapshot", "t4"}) {
    const testing::ProgramRun text =
        warptune_.run({"export", kernel_, "--replayed", "--format", format, "--log-level", "error"});
    EXPECT_EQ(text.exit_code, 0) << format << text.err;
    EXPECT_THAT(text.out, HasSubstr("toy")) << format;
    EXPECT_EQ(text.err, "") << format;
  }
  EXPECT_FALSE(json::parse(warptune_.run({"export", kernel_, "--replayed", "--format", "json"}).out).empty());
}

TEST_F(CommandsTest, ShowListsSessionsAndShowsOne) {
  ASSERT_EQ(tune({"--seed", "7"}).exit_code, 0);
  const json sessions = warptune_.json_of({"show"}).at("sessions");
  ASSERT_THAT(sessions, SizeIs(1));
  EXPECT_EQ(sessions[0].at("workload").at("kernel"), "toy");
  const json one = warptune_.json_of({"show", "1"});
  EXPECT_THAT(one.at("measurements"), SizeIs(8));
  const testing::ProgramRun text = warptune_.run({"show", "1", "--top", "2"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("seed 7"), HasSubstr("7 measured, the fastest 2:"),
                              HasSubstr("1 x wrong_result: x[0] is 3, expected 2")));
}

TEST_F(CommandsTest, ShowTakesTheNumberOfTheFastestInEveryFormat) {
  ASSERT_EQ(tune().exit_code, 0);
  const json two = warptune_.json_of({"show", "1", "--top", "2"});
  ASSERT_THAT(two.at("measurements"), SizeIs(2));
  EXPECT_EQ(two.at("measurements")[0].at("median_ns"), 1000.0);
  EXPECT_LE(two.at("measurements")[0].at("median_ns"), two.at("measurements")[1].at("median_ns"));
  EXPECT_EQ(two.at("by_status").at("measured"), 7) << "of all rows";
  EXPECT_EQ(two.at("by_status").at("timed_out"), 0);
  EXPECT_THAT(warptune_.json_of({"show", "1", "--top", "100"}).at("measurements"), SizeIs(7));
}

TEST_F(CommandsTest, DatabaseInfoCountsWhatIsStored) {
  ASSERT_EQ(tune().exit_code, 0);
  const json info = warptune_.json_of({"db", "info"});
  EXPECT_EQ(info.at("session_count"), 1);
  EXPECT_EQ(info.at("measurement_count"), 8);
  EXPECT_EQ(info.at("kernel_count"), 1);
  EXPECT_EQ(info.at("path"), warptune_.database().string());
}

TEST_F(CommandsTest, AMergeAddsTheRowsOfOtherDatabasesOnce) {
  ASSERT_EQ(tune().exit_code, 0);
  const std::string target = (warptune_ / "all.db").string();
  const std::string source = warptune_.database().string();
  const testing::ProgramRun first = warptune_.run({"db", "merge", source, "--db", target});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.out,
              HasSubstr("8 measurements of 1 new session added, 0 updated, 0 already there, 0 refused\n"));
  const json again = warptune_.json_of({"db", "merge", source, source, "--db", target}).at("merged");
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[1].at("known_count"), 8);
  EXPECT_EQ(again[1].at("added_count"), 0);
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--db", target}).at("configuration"),
            warptune_.json_of({"query", kernel_}).at("configuration"));
  const testing::ProgramRun itself = warptune_.run({"db", "merge", target, "--db", target});
  EXPECT_EQ(itself.exit_code, 2);
  EXPECT_THAT(itself.err, HasSubstr("all.db: a database cannot be merged into itself"));
  EXPECT_THAT(warptune_.run({"db", "merge"}).err, HasSubstr("expected the databases to merge"));
  EXPECT_EQ(warptune_.run({"db", "backup", "a.db", "b.db"}).exit_code, 2);
}

TEST_F(CommandsTest, ABackupHasAllThatIsStoredAndReplacesNoFile) {
  ASSERT_EQ(tune().exit_code, 0);
  const std::string copy = (warptune_ / "copy.db").string();
  const json report = warptune_.json_of({"db", "backup", copy});
  EXPECT_EQ(report.at("backup_path"), copy);
  EXPECT_EQ(report.at("measurement_count"), 8);
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--db", copy}).at("configuration"),
            warptune_.json_of({"query", kernel_}).at("configuration"));
  const testing::ProgramRun again = warptune_.run({"db", "backup", copy});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("copy.db: the file exists already"));
  EXPECT_THAT(warptune_.run({"db", "backup"}).err, HasSubstr("expected the name of the file to make"));
  EXPECT_THAT(warptune_.run({"db", "verify", copy}).err, HasSubstr("see warptune db verify --help"));
  EXPECT_EQ(warptune_.run({"db", "copy"}).exit_code, 2);
  EXPECT_EQ(warptune_.run({"db", "check"}).exit_code, 0);  // The earlier name of `verify`.
}

// The bytes of a time as SQLite stores it: big-endian.
std::string stored_form(double time) {
  const auto bits = std::bit_cast<std::uint64_t>(time);
  std::string bytes;
  for (int i = 7; i >= 0; --i) bytes.push_back(static_cast<char>(bits >> (8 * i) & 0xFFU));
  return bytes;
}

TEST_F(CommandsTest, ARowThatDoesNotFitItsChecksumIsReportedAndNeitherShownNorExported) {
  ASSERT_EQ(tune().exit_code, 0);
  const testing::ProgramRun whole = warptune_.run({"db", "verify"});
  EXPECT_EQ(whole.exit_code, 0);
  EXPECT_THAT(whole.out, HasSubstr("1 session and 8 measurements verified, no damage found"));
  const json best = warptune_.json_of({"query", kernel_});
  const double time = best.at("winner").at("best").at("median_ns").get<double>();
  const double faster = time - 1.0 / 64;
  std::string bytes = testing::slurp(warptune_.database());
  std::size_t changed = 0;
  for (std::size_t at = 0; (at = bytes.find(stored_form(time), at)) != std::string::npos; ++changed)
    bytes.replace(at, 8, stored_form(faster));
  ASSERT_NE(changed, 0U);
  std::ofstream(warptune_.database(), std::ios::binary) << bytes;

  const testing::ProgramRun query = warptune_.run({"query", kernel_, "--format", "json"});
  EXPECT_EQ(query.exit_code, 0);
  EXPECT_NE(json::parse(query.out).at("configuration"), best.at("configuration"));
  EXPECT_THAT(query.err,
              AllOf(HasSubstr("does not fit the checksum stored with it"), HasSubstr("db verify")));
  const testing::ProgramRun exported = warptune_.run({"export", kernel_, "--replayed", "--format", "json"});
  EXPECT_THAT(exported.out, Not(HasSubstr(json(faster).dump())));
  const testing::ProgramRun check = warptune_.run({"db", "verify"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.out, AllOf(HasSubstr("does not fit its checksum\n"), HasSubstr("1 damaged")));
  EXPECT_THAT(json::parse(warptune_.run({"db", "verify", "--format", "json"}).out).at("damage"), SizeIs(1));
}

TEST_F(CommandsTest, TheCompileCacheIsDescribedAndEmptied) {
  const std::string folder = (warptune_ / "compiled").string();
  const json empty = warptune_.json_of({"cache", "info", "--compile-cache", folder});
  EXPECT_EQ(empty.at("path"), folder);
  EXPECT_EQ(empty.at("entry_count"), 0);
  kernel_templates::CompileCache(folder).store(
      std::string(32, 'a'), tl::unexpected(model::Rejection{model::Status::kCompileFailed, "no"}));
  EXPECT_EQ(warptune_.json_of({"cache", "info", "--compile-cache", folder}).at("entry_count"), 1);
  EXPECT_EQ(warptune_.json_of({"cache", "clear", "--compile-cache", folder}).at("removed_count"), 1);
  EXPECT_THAT(warptune_.run({"cache", "info", "--compile-cache", folder}).out,
              HasSubstr(": 0 compiled programs"));
  EXPECT_EQ(warptune_.run({"cache", "empty"}).exit_code, 2);
}

TEST_F(CommandsTest, ListShowsShippedKernelsWithAndWithoutADatabase) {
  EXPECT_THAT(warptune_.json_of({"list"}).at("kernels"), Not(SizeIs(0)));
  ASSERT_EQ(tune().exit_code, 0);
  const testing::ProgramRun text = warptune_.run({"list"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("sgemm"));
}

TEST_F(CommandsTest, TheDatabaseCanLieAnywhere) {
  std::filesystem::create_directory(warptune_ / "a folder");
  const std::string elsewhere = (warptune_ / "a folder/other.db").string();
  ASSERT_EQ(tune({"--db", elsewhere}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--db", elsewhere}).at("match"), "exact");
}

TEST_F(CommandsTest, ARecordingOfASessionReplaysTheSame) {
  const std::string again = (warptune_ / "again.wtrec.zst").string();
  ASSERT_EQ(tune({"--record", again}).exit_code, 0);
  const json report = warptune_.tuned(
      {"tune", kernel_, "--replay", again, "--budget", "all", "--db", (warptune_ / "second.db").string()});
  EXPECT_EQ(report.at("evaluated"), 8);
  EXPECT_EQ(report.at("best").at("median_ns"), 1000.0);
}

TEST_F(CommandsTest, SpaceCountsListsAndChecks) {
  const json report = warptune_.json_of({"space", kernel_});
  EXPECT_EQ(report.at("space_size"), 8);
  EXPECT_EQ(report.at("exact"), true);
  EXPECT_EQ(report.at("valid_share"), 1.0);
  EXPECT_THAT(warptune_.json_of({"space", kernel_, "--list", "3"}).at("configurations"), SizeIs(3));
  EXPECT_THAT(warptune_.json_of({"space", kernel_, "--list", "0"}).at("configurations"), SizeIs(0));
  EXPECT_THAT(warptune_.json_of({"space", kernel_, "--list", "100"}).at("configurations"), SizeIs(8));
  EXPECT_EQ(warptune_.json_of({"space", kernel_, "--sample", "5"}).at("configurations"),
            warptune_.json_of({"space", kernel_, "--sample", "5"}).at("configurations"));
  const json all = warptune_.json_of({"space", kernel_, "--sample", "100"}).at("configurations");
  EXPECT_EQ(std::set<json>(all.begin(), all.end()).size(), 8U);
  const json checked = warptune_.json_of({"space", kernel_, "--check", "A=1", "--check", "B=false"});
  EXPECT_EQ(checked.at("valid"), true);
  EXPECT_EQ(checked.at("index"), 0);
}

TEST_F(CommandsTest, SpaceNamesAllConstraintsThatAConfigurationViolates) {
  const std::string kernel = warptune_.file("many.cu", with_conditions(testing::slurp(kernel_)));
  const json report = warptune_.json_of({"space", kernel});
  EXPECT_EQ(report.at("constraints").size(), 3U);
  EXPECT_EQ(report.at("constraints").at(1).at("solved"), true);
  EXPECT_GT(report.at("constraints").at(2).at("rejected_share"), 0.0);
  const testing::ProgramRun checked =
      warptune_.run({"space", kernel, "--check", "A=4", "--check", "B=true", "--check", "PAD=2"});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.out, HasSubstr("invalid: 'A < 4' is not met: A is small\n"));
  EXPECT_THAT(checked.out,
              HasSubstr("invalid: '1 / (A - 4) <= 0 || A > 9' cannot be evaluated (division by"));
  EXPECT_THAT(checked.out, HasSubstr("PAD matters only when !B, else it is 0"));
}

TEST_F(CommandsTest, NumbersOfTheEnvironmentThatNobodyMeasuredAreShownAsUnknown) {
  model::Recording recording = testing::toy_recording(kernel_);
  recording.environment = {};
  recording.environment.sm_clock_mhz = 1980;
  db::write_recording(recording_, recording);
  ASSERT_EQ(tune().exit_code, 0);
  EXPECT_THAT(warptune_.run({"show", "1"}).out,
              HasSubstr("driver unknown, NVRTC unknown, SM clock 1980 MHz, memory clock unknown, throttle "
                        "reasons unknown"));
}

TEST_F(CommandsTest, ListsOfMetricsAndStrategiesParse) {
  EXPECT_THAT(warptune_.json_of({"metrics"}).at("metrics"), Not(SizeIs(0)));
  EXPECT_THAT(warptune_.json_of({"strategies"}).at("strategies"), Not(SizeIs(0)));
}

}  // namespace
}  // namespace warptune::tuner::commands
