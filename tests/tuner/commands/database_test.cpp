// The actions of `warptune db` that bring rows into a database, write them, and remove them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "db/recording_file.h"
#include "tests/tuner/commands/toy_session.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class DatabaseTest : public ToySessionTest {
 protected:
  std::string at(const std::string& name) const { return (warptune_ / name).string(); }

  json imported(const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"db", "import", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return warptune_.json_of(arguments).at("imported");
  }

  // A Kernel Tuner cache of the toy kernel, whose B is 0 or 1 and which has a parameter that does not vary.
  std::string cache() const {
    json cache = {{"device_name", "NVIDIA A100"},
                  {"kernel_name", "toy"},
                  {"problem_size", {1024}},
                  {"tune_params_keys", {"A", "B", "nvml_clock"}},
                  {"tune_params", {{"A", {1, 2, 9}}, {"B", {0, 1}}, {"nvml_clock", {1400}}}}};
    const auto add = [&](int a, int b, const json& time) {
      cache["cache"][std::to_string(a) + "," + std::to_string(b) + ",1400"] = {
          {"A", a}, {"B", b}, {"nvml_clock", 1400}, {"time", time}};
    };
    add(1, 0, 0.004);
    add(2, 0, 0.002);
    add(2, 1, "RuntimeFailedConfig");
    add(9, 0, 0.001);
    return warptune_.file("cache.json", cache.dump());
  }

  // What the cache does not say.
  std::vector<std::string> said() const {
    return {"--kernel", kernel_, "--size", "N=1024", "--gpu", "cc=80,sms=108"};
  }
};

TEST_F(DatabaseTest, AnImportedRecordingIsMarkedWhereverItsBestIsNamed) {
  const json rows = imported(recording_);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].at("file_format"), "warptune recording");
  EXPECT_EQ(rows[0].at("added_count"), 8);
  EXPECT_EQ(rows[0].at("session_id"), 1);
  EXPECT_EQ(imported(recording_)[0].at("known_count"), 8);
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("session_count"), 1);

  const json query = warptune_.json_of({"query", kernel_});
  EXPECT_EQ(query.at("match"), "exact");
  EXPECT_EQ(query.at("winner").at("best").at("imported"), true);
  EXPECT_EQ(query.at("winner").at("best").at("replayed"), false);
  EXPECT_EQ(query.at("winner").at("best").at("confirmed"), false);
  EXPECT_THAT(warptune_.run({"query", kernel_}).out,
              HasSubstr("imported from a file: warptune has neither measured nor verified it"));
  EXPECT_THAT(warptune_.run({"show"}).out, HasSubstr("imported"));
  EXPECT_THAT(warptune_.run({"show", "1"}).out, HasSubstr("(imported)"));
  EXPECT_EQ(warptune_.json_of({"show"}).at("sessions")[0].at("imported"), true);
  EXPECT_THAT(warptune_.run({"explain", kernel_}).out, HasSubstr("imported from a file and not verified"));
  EXPECT_EQ(warptune_.json_of({"explain", kernel_}).at("to").at("measurement").at("imported"), true);
  EXPECT_THAT(warptune_.run({"report", kernel_, "--format", "csv"}).out, HasSubstr(",false,true"));
  const json report = json::parse(warptune_.run({"report", kernel_, "--format", "json"}).out);
  EXPECT_EQ(report.at("workloads")[0].at("rows").at("imported")[0], true);
}

TEST_F(DatabaseTest, ImportedRowsGiveWayToMeasuredOnesAndAreExportedOnlyOnRequest) {
  imported(recording_);
  const testing::ProgramRun refused = warptune_.run({"export", kernel_});
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("was imported from a file, not measured; --imported exports it"));
  EXPECT_THAT(warptune_.run({"export", kernel_, "--imported"}).out,
              HasSubstr("imported from a file, not verified"));
  const json winners = json::parse(warptune_.run({"export", kernel_, "--imported", "--format", "json"}).out);
  EXPECT_THAT(winners.dump(), HasSubstr("\"imported\":true"));
  ASSERT_EQ(tune().exit_code, 0);  // A replay stands in for a GPU: its rows rank above the imported ones.
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("winner").at("best").at("replayed"), true);
  const testing::ProgramRun mixed = warptune_.run({"export", kernel_, "--replayed", "--imported"});
  EXPECT_THAT(mixed.out, Not(HasSubstr("imported")));
}

TEST_F(DatabaseTest, AKernelTunerCacheBecomesRowsOfADefinition) {
  std::vector<std::string> options = said();
  const json rows = imported(cache(), options);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].at("file_format"), "Kernel Tuner cache");
  EXPECT_EQ(rows[0].at("added_count"), 3);
  EXPECT_EQ(rows[0].at("unknown_value_count"), 1);  // A has no value 9.
  EXPECT_EQ(rows[0].at("ignored_parameters"), json({"nvml_clock"}));
  EXPECT_EQ(rows[0].at("workload").at("gpu").at("name"), "NVIDIA A100");
  EXPECT_EQ(rows[0].at("workload").at("cache"), "unknown");
  const json answer = warptune_.json_of({"query", kernel_, "--cache", "unknown", "--gpu", "A100"});
  EXPECT_EQ(answer.at("configuration"), json({{"A", 2}, {"B", false}}));
  EXPECT_EQ(answer.at("winner").at("best").at("median_ns"), 2000.0);
  EXPECT_EQ(warptune_.run({"db", "verify", "--definition", kernel_}).exit_code, 0);
  // Now the database knows the GPU by the name that the file gives.
  options.erase(options.end() - 2, options.end());
  EXPECT_EQ(imported(cache(), options)[0].at("known_count"), 3);
  EXPECT_THAT(warptune_.run({"db", "import", cache(), "--kernel", kernel_, "--size", "N=1024"}).out,
              AllOf(HasSubstr("0 rows imported, 3 already there"), HasSubstr("left out: 1 row with values"),
                    HasSubstr("nvml_clock")));
}

TEST_F(DatabaseTest, WhatAFileDoesNotSayIsOneSentence) {
  const std::string file = cache();
  const auto error = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"db", "import", file});
    const testing::ProgramRun run = warptune_.run(options);
    EXPECT_EQ(run.exit_code, 2);
    return run.err;
  };
  EXPECT_THAT(error({}), HasSubstr("the file's kernel, toy, may be any of this name; --kernel KERNEL names"));
  EXPECT_THAT(error({"--kernel", kernel_}),
              HasSubstr("the file does not give N of the kernel toy (it says problem_size_x=1024)"));
  EXPECT_THAT(error({"--kernel", kernel_, "--size", "N=1024"}),
              HasSubstr("the database does not know the file's GPU, NVIDIA A100; --gpu NAME|cc=80,sms=108"));
  EXPECT_THAT(error({"--kernel", kernel_, "--size", "N=1024", "--gpu", "H200"}),
              HasSubstr("--gpu H200: none of"));
  std::vector<std::string> in_seconds = said();
  in_seconds.insert(in_seconds.end(), {"--unit", "s"});
  EXPECT_THAT(error(in_seconds), HasSubstr("the file states the unit ms, and --unit s"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database())) << "nothing is written";
  EXPECT_THAT(warptune_.run({"db", "import", recording_, "--gpu", "cc=80,sms=108"}).err,
              HasSubstr("the file says its kernel, problem, GPU and cache state"));
  EXPECT_THAT(warptune_.run({"db", "import"}).err, HasSubstr("FILE is missing"));
  EXPECT_THAT(warptune_.run({"db", "import", kernel_}).err, HasSubstr("toy.cu"));
}

TEST_F(DatabaseTest, OfAmbiguousOrContradictoryGpusNothingIsImported) {
  const std::string file = cache();
  const std::vector<std::string> kernel = {"db", "import", file, "--kernel", kernel_, "--size", "N=1024"};
  const auto run = [&](const std::vector<std::string>& gpu) {
    std::vector<std::string> arguments = kernel;
    arguments.insert(arguments.end(), gpu.begin(), gpu.end());
    return warptune_.run(arguments);
  };
  imported(recording_);
  const testing::ProgramRun other = run({"--gpu", "H200"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("cache.json: the file names the GPU NVIDIA A100, and --gpu H200 is"));
  EXPECT_EQ(run({"--gpu", "cc=80,sms=108"}).exit_code, 0);
  EXPECT_EQ(run({"--gpu", "a100"}).exit_code, 0);
  EXPECT_EQ(run({}).exit_code, 0);
  EXPECT_EQ(run({"--gpu", "cc=80,sms=98"}).exit_code, 0);
  const testing::ProgramRun either = run({});
  EXPECT_EQ(either.exit_code, 2);
  EXPECT_THAT(either.err,
              AllOf(HasSubstr("the database has 2 GPUs with the name NVIDIA A100; --gpu KEY says"),
                    HasSubstr("(108 SMs)"), HasSubstr("(98 SMs)")));
}

TEST_F(DatabaseTest, ACorrectedFileDoesNotMixWithTheEarlierOne) {
  imported(cache(), said());
  json corrected = json::parse(testing::slurp(at("cache.json")));
  corrected["cache"]["1,0,1400"]["time"] = 0.005;
  std::vector<std::string> arguments = said();
  arguments.insert(arguments.begin(), {"db", "import", warptune_.file("corrected.json", corrected.dump())});
  const testing::ProgramRun run = warptune_.run(arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("corrected.json: the configuration A=1 B=false of toy was imported before"),
                    HasSubstr("`warptune db prune --kernel toy --imported --with-best`")));
}

TEST_F(DatabaseTest, ABadFileAmongSeveralLeavesNothing) {
  const std::string bad = warptune_.file("bad.json", "{\"results\": [");
  const testing::ProgramRun run = warptune_.run({"db", "import", recording_, bad});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("bad.json"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
}

TEST_F(DatabaseTest, AT4FileWithoutAUnitNeedsOne) {
  const std::string file =
      warptune_.file("t4.json", R"({"results": [{"configuration": {"A": 1, "B": 0}, "invalidity": "correct",
                     "times": {"runtimes": [3.0]}}]})");
  std::vector<std::string> options = said();
  options.insert(options.begin(), {"db", "import", file});
  EXPECT_THAT(warptune_.run(options).err,
              HasSubstr("the file does not state the unit of its times; --unit ms|us|ns|s names it"));
  options.insert(options.end(), {"--unit", "us", "--cache", "warm"});
  EXPECT_EQ(warptune_.run(options).exit_code, 0);
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--cache", "warm", "--gpu", "cc=80,sms=108"})
                .at("winner")
                .at("best")
                .at("median_ns"),
            3000.0);
}

TEST_F(DatabaseTest, AnExportThatIsImportedGivesTheSameRows) {
  imported(recording_);
  for (const std::string format : {"recording", "t4"}) {
    const std::string file = at("rows-" + format);
    ASSERT_EQ(warptune_.run({"db", "export", "--all", "--imported", "--as", format, "-o", file}).exit_code,
              0);
    const std::string other = at(format + ".db");
    const json rows = imported(file, {"--db", other});
    EXPECT_EQ(rows[0].at("added_count"), 8) << format;
    const json before = warptune_.json_of({"show", "1"});
    const json after = warptune_.json_of({"show", "1", "--db", other});
    EXPECT_EQ(after.at("by_status"), before.at("by_status")) << format;
    EXPECT_EQ(after.at("session").at("workload"), before.at("session").at("workload"));
    EXPECT_EQ(after.at("session").at("work"), before.at("session").at("work"));
    ASSERT_EQ(after.at("measurements").size(), before.at("measurements").size());
    for (std::size_t i = 0; i < before.at("measurements").size(); ++i) {
      const json& one = before.at("measurements")[i];
      const json& two = after.at("measurements")[i];
      EXPECT_EQ(two.at("configuration"), one.at("configuration"));
      EXPECT_EQ(two.at("status"), one.at("status"));
      EXPECT_EQ(two.at("reason"), one.at("reason"));
      EXPECT_EQ(two.at("counters"), one.at("counters"));
      for (const char* time : {"median_ns", "low_ns", "high_ns"}) {
        if (one.at(time).is_null()) continue;
        EXPECT_NEAR(two.at(time).get<double>(), one.at(time).get<double>(), 0.051) << time;
      }
    }
  }
}

TEST_F(DatabaseTest, RowsThatWereImportedFromAnotherFormatAreKnown) {
  imported(recording_);
  const std::string file = at("rows.t4");
  ASSERT_EQ(warptune_.run({"db", "export", "--all", "--imported", "--as", "t4", "-o", file}).exit_code, 0);
  EXPECT_EQ(imported(file)[0].at("known_count"), 8);
  EXPECT_EQ(imported(file, {"--db", at("t4.db")})[0].at("added_count"), 8);
  EXPECT_EQ(imported(recording_, {"--db", at("t4.db")})[0].at("known_count"), 8);
}

TEST_F(DatabaseTest, TheNameOfAnImportedGpuIsOneLine) {
  json file = json::parse(testing::slurp(cache()));
  file["device_name"] = "NVIDIA\nA100";
  std::vector<std::string> arguments = said();
  arguments.insert(arguments.begin(), {"db", "import", warptune_.file("lines.json", file.dump())});
  EXPECT_THAT(warptune_.run(arguments).out, HasSubstr("on NVIDIA\\nA100, timed"));
}

TEST_F(DatabaseTest, ARecordingWithImportedRowsIsWrittenWithAWarning) {
  imported(recording_);
  const auto warning_of = [&](const std::string& format) {
    return warptune_
        .run(
            {"db", "export", "--all", "--replayed", "--imported", "--as", format, "-o", at("rows." + format)})
        .err;
  };
  EXPECT_THAT(warning_of("recording"), HasSubstr("8 imported rows are written as any other"));
  EXPECT_THAT(warning_of("t4"), Not(HasSubstr("written as any other")));
  ASSERT_EQ(tune().exit_code, 0);  // The replayed rows take the place of the imported ones.
  EXPECT_THAT(warning_of("recording"), Not(HasSubstr("written as any other")));
}

TEST_F(DatabaseTest, AnExportLeavesOutWhatWasNotMeasuredAndNamesFiles) {
  imported(recording_);
  const testing::ProgramRun none = warptune_.run({"db", "export"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("--replayed and --imported also select rows"));
  ASSERT_EQ(tune().exit_code, 0);
  const testing::ProgramRun csv = warptune_.run({"db", "export", "toy", "--replayed", "--as", "csv"});
  EXPECT_THAT(csv.out, StartsWith("kernel,problem,gpu,cache,A,B,status,"));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 2) << "the winner";
  EXPECT_EQ(warptune_.run({"db", "export", "other", "--replayed"}).exit_code, 1);
  EXPECT_THAT(warptune_.run({"db", "export", "--as", "recording"}).err, HasSubstr("expected -o FILE"));
  std::filesystem::create_directories(warptune_ / "folder");
  ASSERT_EQ(warptune_.run({"db", "export", "--replayed", "--as", "recording", "-o", at("folder")}).exit_code,
            0);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(at("folder")))
    files.push_back(entry.path().filename().string());
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_THAT(files[0], AllOf(StartsWith("toy-N_1024-"), HasSubstr("-cold-1.wtrec.zst")));
  imported(cache(), said());
  EXPECT_THAT(
      warptune_
          .run({"db", "export", "--replayed", "--imported", "--as", "recording", "-o", at("one.wtrec.zst")})
          .err,
      HasSubstr("a recording holds one workload, and 2 are selected"));
}

TEST_F(DatabaseTest, PruneNamesWhatItRemovesFirst) {
  ASSERT_EQ(tune().exit_code, 0);
  EXPECT_THAT(warptune_.run({"db", "prune"}).err, HasSubstr("expected at least one of --kernel"));
  EXPECT_THAT(warptune_.run({"db", "prune", "--kernel", "toi"}).err, HasSubstr("it has toy"));
  const json dry = warptune_.json_of({"db", "prune", "--failed", "--dry-run"});
  EXPECT_EQ(dry.at("removed_count"), 1);
  EXPECT_EQ(dry.at("dry_run"), true);
  EXPECT_EQ(dry.at("workloads")[0].at("problem"), json({{"N", 1024}}));
  const testing::ProgramRun text = warptune_.run({"db", "prune", "--failed"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("toy"), HasSubstr("1 row of 1 workload removed")));
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("measurement_count"), 7);
  const json rest = warptune_.json_of({"db", "prune", "--kernel", "toy"});
  EXPECT_GT(rest.at("protected_count"), 0);
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("match"), "exact");
  warptune_.json_of({"db", "prune", "--kernel", "toy", "--with-best"});
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("session_count"), 0);
}

TEST_F(DatabaseTest, MergeSaysWhatWasDeletedHere) {
  imported(recording_);
  warptune_.run({"db", "backup", at("copy.db")});
  warptune_.run({"db", "prune", "--imported"});
  const json merged = warptune_.json_of({"db", "merge", at("copy.db")}).at("merged")[0];
  EXPECT_GT(merged.at("skipped_count"), 0);
  EXPECT_EQ(merged.at("skipped_count").get<int>() + merged.at("known_count").get<int>(), 8);
  EXPECT_THAT(warptune_.run({"db", "merge", at("copy.db")}).out,
              HasSubstr(" not added, because they were deleted here"));
}

TEST_F(DatabaseTest, ARefusedMergeMakesNoDatabase) {
  imported(recording_);
  const testing::ProgramRun run =
      warptune_.run({"db", "merge", warptune_.database(), at("none.db"), "--db", at("new.db")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("none.db: there is no database to merge"));
  EXPECT_FALSE(std::filesystem::exists(at("new.db")));
}

TEST_F(DatabaseTest, CompactSaysTheBytesBeforeAndAfter) {
  ASSERT_EQ(tune().exit_code, 0);
  const json report = warptune_.json_of({"db", "compact"});
  EXPECT_EQ(report.at("after_bytes"), std::filesystem::file_size(warptune_.database()));
  EXPECT_THAT(warptune_.run({"db", "compact"}).out, HasSubstr(" bytes before, "));
  EXPECT_EQ(warptune_.run({"db", "compact", "--db", at("missing.db")}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(at("missing.db")));
}

TEST_F(DatabaseTest, VerifyComparesConfigurationsWithDefinitions) {
  ASSERT_EQ(tune().exit_code, 0);
  EXPECT_THAT(warptune_.run({"db", "verify"}).out,
              AllOf(HasSubstr("no damage found"), HasSubstr("1 workload not compared")));
  const json good = warptune_.json_of({"db", "verify", "--definition", kernel_});
  EXPECT_EQ(good.at("compared_configuration_count"), 8);
  EXPECT_THAT(good.at("outside_definition"), SizeIs(0));
  // A recording that says values and a kernel that do not belong together.
  model::Recording wrong = testing::toy_recording(kernel_);
  wrong.listed = true;
  for (model::Value& value : wrong.parameters[0].values)
    value = std::get<std::int64_t>(value) == 4 ? model::Value(std::int64_t{5}) : value;
  for (model::Measurement& row : wrong.measurements) {
    if (row.configuration[0].second == model::Value(std::int64_t{4}))
      row.configuration[0].second = std::int64_t{5};
  }
  db::write_recording(at("wrong.wtrec.zst"), wrong);
  imported(at("wrong.wtrec.zst"));
  const testing::ProgramRun bad = warptune_.run({"db", "verify", "--definition", kernel_});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.out,
              AllOf(HasSubstr("no damage found"), HasSubstr("does not fit the definition of toy N=1024"),
                    HasSubstr("2 do not fit them")));
}

TEST_F(DatabaseTest, TheSystemsDatabaseAnswersBelowTheUsers) {
  const std::string system = at("system.db");
  ASSERT_EQ(tune({"--db", system}).exit_code, 0);
  const std::string before = testing::slurp(system);
  warptune_.variables["WARPTUNE_SYSTEM_DB"] = system;
  const json of_system = warptune_.json_of({"query", kernel_});
  EXPECT_EQ(of_system.at("winner").at("system_database"), true);
  EXPECT_THAT(warptune_.run({"query", kernel_}).out, HasSubstr("of the system's database"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
  // The user's winner of the same match comes first, although it is slower.
  model::Recording slow = testing::toy_recording(kernel_);
  for (model::Measurement& row : slow.measurements) row.time->median_ns *= 2.0;
  db::write_recording(at("slow.wtrec.zst"), slow);
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", at("slow.wtrec.zst"), "--budget", "all"}).exit_code,
            0);
  const json of_user = warptune_.json_of({"query", kernel_});
  EXPECT_EQ(of_user.at("winner").at("system_database"), false);
  EXPECT_GT(of_user.at("winner").at("best").at("median_ns"),
            of_system.at("winner").at("best").at("median_ns"));
  EXPECT_EQ(testing::slurp(system), before) << "nothing writes it";
  warptune_.variables["WARPTUNE_SYSTEM_DB"] = at("missing.db");
  const testing::ProgramRun missing = warptune_.run({"query", kernel_});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("missing.db: there is no database"));
  EXPECT_THAT(missing.err, HasSubstr("(WARPTUNE_SYSTEM_DB names this file)"));
}

TEST_F(DatabaseTest, EachActionHasItsHelpAndAWrongOneIsNamed) {
  EXPECT_THAT(warptune_.run({"db", "import", "--help"}).out, StartsWith("Usage: warptune db import FILE..."));
  EXPECT_THAT(warptune_.run({"db", "--db", at("x.db"), "info"}).err, HasSubstr("x.db"));
  EXPECT_THAT(warptune_.run({"db", "--all", "export", "--db", at("x.db")}).err, HasSubstr("x.db"));
  EXPECT_THAT(warptune_.run({"db", "imprt"}).err, HasSubstr("did you mean"));
  EXPECT_THAT(warptune_.run({"db", "prune", "--faild"}).err, HasSubstr("see warptune db prune --help"));
}

}  // namespace
}  // namespace warptune::tuner::commands
