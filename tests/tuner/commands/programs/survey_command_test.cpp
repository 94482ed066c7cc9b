#include "tuner/commands/programs/survey_command.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/error.h"
#include "db/store.h"
#include "model/gpu_description.h"
#include "model/roof_reading.h"
#include "profiling/counters/metrics.h"
#include "survey/records/survey_file.h"
#include "tests/survey/synthetic_survey.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands::programs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string survey_refusal(const std::vector<std::string>& arguments) {
  try {
    parse_survey(arguments);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(SurveyOptionsTest, AreAProgramWithWhatToKeepOfIt) {
  const auto read =
      parse_survey({"--after", "2.5",   "--duration",     "1",      "--range", "step",    "--records",
                    "1000",    "-o",    "a.wtsurvey.zst", "--html", "a.html",  "--trace", "a.json.gz",
                    "--",      "./app", "--size",         "4",      "--",      "x"});
  ASSERT_TRUE(read.has_value());
  const auto& run = std::get<survey::collecting::SurveyRequest>(read->source);
  EXPECT_THAT(run.command, ElementsAre("./app", "--size", "4", "--", "x"))
      << "what follows -- belongs to the program";
  EXPECT_EQ(run.after, 2.5);
  EXPECT_EQ(run.duration, 1.0);
  EXPECT_EQ(run.range, "step");
  EXPECT_EQ(run.record_limit, 1000);
  EXPECT_EQ(read->output, "a.wtsurvey.zst");
  EXPECT_EQ(read->page, "a.html");
  EXPECT_EQ(read->trace, "a.json.gz");
  EXPECT_FALSE(read->json);
}

TEST(SurveyOptionsTest, SayWhatIsCounted) {
  const auto usual = parse_survey({"--counters", "--", "./app"});
  ASSERT_TRUE(usual && usual->counting);
  EXPECT_EQ(usual->counting->launches, 3);
  EXPECT_THAT(usual->counting->metrics, IsEmpty()) << "the core set";
  const auto named =
      parse_survey({"--counters=7", "--metrics", "dram__bytes.sum,lts__t_bytes.sum", "--", "./app"});
  ASSERT_TRUE(named && named->counting);
  EXPECT_EQ(named->counting->launches, 7);
  EXPECT_THAT(named->counting->metrics, ElementsAre("dram__bytes.sum", "lts__t_bytes.sum"));
  EXPECT_EQ(parse_survey({"--counters", "--metrics", "full", "--", "./app"})->counting->metrics,
            profiling::counters::full_metrics());
  EXPECT_FALSE(parse_survey({"--", "./app"})->counting);
}

TEST(SurveyOptionsTest, CapturesALaunchIntoAFileWithTheNameOfTheFunction) {
  const auto first = parse_survey({"--capture", "void app::scale<float>(float*)", "--", "./app"});
  ASSERT_TRUE(first->capturing);
  EXPECT_EQ(first->capturing->kernel, "void app::scale<float>(float*)");
  EXPECT_EQ(first->capturing->launch, 1U);
  EXPECT_EQ(first->capturing->limit_mib, 1024U);
  EXPECT_EQ(first->capture_output, "scale.wtcapture.zst");
  const auto output = [](const std::string& kernel) {
    return parse_survey({"--capture", kernel, "--", "./app"})->capture_output;
  };
  EXPECT_EQ(output("at::native::(anonymous namespace)::foo<float>"), "foo.wtcapture.zst");
  EXPECT_EQ(output("void foo<int>(int*)"), "foo.wtcapture.zst");
  EXPECT_EQ(output("<"), "kernel.wtcapture.zst");
  const auto named = parse_survey({"--capture", "scale", "--capture-launch", "7", "--capture-limit", "100",
                                   "--capture-output", "seventh.zst", "--", "./app"});
  EXPECT_EQ(named->capturing->launch, 7U);
  EXPECT_EQ(named->capturing->limit_mib, 100U);
  EXPECT_EQ(named->capture_output, "seventh.zst");
  EXPECT_FALSE(parse_survey({"--", "./app"})->capturing);
}

TEST(SurveyOptionsTest, WithoutOptionsAllIsKeptAndNothingIsWritten) {
  const auto read = parse_survey({"--", "app", "--help"});
  ASSERT_TRUE(read.has_value());
  const auto& run = std::get<survey::collecting::SurveyRequest>(read->source);
  EXPECT_EQ(run.record_limit, survey::collecting::SurveyRequest().record_limit);
  EXPECT_FALSE(run.after || run.duration || read->output || read->page || read->trace);
}

TEST(SurveyOptionsTest, AreAStoredSurveyAndOneToCompareWith) {
  const auto read = parse_survey({"new.wtsurvey.zst", "--compare", "old.wtsurvey.zst"});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(std::get<std::filesystem::path>(read->source), "new.wtsurvey.zst");
  EXPECT_EQ(read->compared_with, "old.wtsurvey.zst");
}

TEST(SurveyOptionsTest, AreRefusedByOneSentence) {
  EXPECT_THAT(survey_refusal({}),
              HasSubstr("a program or a stored survey is missing; usage: warptune survey -- PROGRAM"));
  EXPECT_THAT(survey_refusal({"--"}), HasSubstr("PROGRAM is missing after --"));
  EXPECT_THAT(survey_refusal({"some.zst", "--", "./app"}), HasSubstr("cannot be combined; --compare FILE"));
  EXPECT_THAT(survey_refusal({"one.zst", "two.zst"}), HasSubstr("one FILE is expected, found 2"));
  EXPECT_THAT(survey_refusal({"some.zst", "--after", "1"}), HasSubstr("--after is for running a program"));
  EXPECT_THAT(survey_refusal({"--after", "-1", "--", "app"}),
              HasSubstr("--after -1: expected seconds, from 0"));
  EXPECT_THAT(survey_refusal({"--after", "nan", "--", "app"}), HasSubstr("--after nan: expected seconds"));
  EXPECT_THAT(survey_refusal({"--duration", "0", "--", "app"}),
              HasSubstr("--duration 0: expected seconds, from 0.001"));
  EXPECT_THAT(survey_refusal({"--duration", "5s", "--", "app"}),
              HasSubstr("--duration 5s: expected seconds"));
  EXPECT_THAT(survey_refusal({"--records", "0", "--", "app"}), HasSubstr("--records 0"));
  EXPECT_THAT(survey_refusal({"--records", "99999999999", "--", "app"}), HasSubstr("at most 20000000"));
  EXPECT_THAT(survey_refusal({"--metrics", "full", "--", "app"}), HasSubstr("--metrics is for --counters"));
  EXPECT_THAT(survey_refusal({"--counters=0", "--", "app"}), HasSubstr("--counters=0"));
  EXPECT_THAT(survey_refusal({"--counters", "some.zst"}),
              HasSubstr("--counters=some.zst: expected an integer, 1 or more"));
  EXPECT_THAT(survey_refusal({"--counters=101", "--", "app"}),
              HasSubstr("--counters=101: expected at most 100"));
  EXPECT_THAT(survey_refusal({"--counters", "--metrics", "none", "--", "app"}),
              HasSubstr("leave out --counters instead"));
  EXPECT_THAT(survey_refusal({"--counters", "--metrics", "energy_j", "--", "app"}),
              HasSubstr("a survey does not measure energy"));
  EXPECT_THAT(survey_refusal({"--counters", "--metrics", "coer", "--", "app"}),
              HasSubstr("did you mean core"));
  EXPECT_THAT(survey_refusal({"some.zst", "--counters"}), HasSubstr("--counters is for running a program"));
  EXPECT_THAT(survey_refusal({"--range", "", "--", "app"}), HasSubstr("--range: expected the name"));
  EXPECT_THAT(survey_refusal({"-o", "missing/folder/a", "--", "app"}),
              HasSubstr("the folder missing/folder does not exist"));
  EXPECT_THAT(survey_refusal({"--db", "missing/folder/a.db", "--", "app"}),
              HasSubstr("the folder missing/folder does not exist"));
  EXPECT_THAT(survey_refusal({"-o", "a", "--html", "./a", "--", "app"}),
              HasSubstr("--output and --html name the same file"));
  for (const char* output : {"--output", "--html", "--trace", "--capture-output"}) {
    EXPECT_THAT(survey_refusal({"--db", "a.db", "--capture", "f", output, "./a.db", "--", "app"}),
                HasSubstr(std::string(output) + " and --db name the same file"));
  }
}

class SurveyCommandTest : public ::testing::Test {
 protected:
  std::string stored(const std::string& name, const survey::records::Survey& survey) {
    const std::filesystem::path path = warptune_ / name;
    survey::records::write_survey(survey, path);
    return path.string();
  }

  testing::Warptune warptune_;
};

TEST_F(SurveyCommandTest, AStoredSurveyIsShownStoredAgainAndConverted) {
  const std::string file = stored("some.wtsurvey.zst", survey::testing::synthetic_survey(300));
  const std::string again = (warptune_ / "again.zst").string();
  const std::string page = (warptune_ / "page.html").string();
  const std::string trace = (warptune_ / "trace.json").string();
  const testing::ProgramRun done =
      warptune_.run({"survey", file, "-o", again, "--html", page, "--trace", trace, "--compare", file});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("300"));
  EXPECT_EQ(testing::slurp(again), testing::slurp(file));
  EXPECT_THAT(testing::slurp(page), StartsWith("<!DOCTYPE html>"));
  EXPECT_FALSE(nlohmann::json::parse(testing::slurp(trace)).at("traceEvents").empty());
  for (const std::string& path : {again, page, trace}) EXPECT_THAT(done.err, HasSubstr(path));
  EXPECT_THAT(done.err, Not(HasSubstr("not stored")));
}

TEST_F(SurveyCommandTest, JsonIsAloneOnStandardOutput) {
  const std::string file = stored("some.wtsurvey.zst", survey::testing::small_survey());
  EXPECT_EQ(warptune_.json_of({"survey", file}).at("format"), "warptune-survey");
  EXPECT_EQ(warptune_.json_of({"survey", file, "--compare", file}).at("format"),
            "warptune-survey-comparison");
}

TEST_F(SurveyCommandTest, HowTheProgramEndedIsSaidOnStandardError) {
  const testing::ProgramRun done =
      warptune_.run({"survey", stored("some.zst", survey::testing::small_survey())});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("The program was ended by signal 11 (Segmentation fault) after 5.00 s."));
}

TEST_F(SurveyCommandTest, WhatIsNotASurveyIsRefused) {
  const testing::ProgramRun missing = warptune_.run({"survey", (warptune_ / "missing").string()});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("cannot be read"));
  const std::string text = warptune_.file("text", "no survey");
  const testing::ProgramRun other = warptune_.run({"survey", text});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("expected a zstd-compressed survey"));
  EXPECT_THAT(other.err, Not(HasSubstr("to run a program")));
  const testing::ProgramRun program = warptune_.run({"survey", "/bin/true"});
  EXPECT_EQ(program.exit_code, 2);
  EXPECT_THAT(program.err, HasSubstr("to run a program, write -- before it: warptune survey -- /bin/true"));
  EXPECT_THAT(program.out, IsEmpty());
}

// A run may not be repeatable, so a full disk must not lose what it said.
TEST_F(SurveyCommandTest, WhatCannotBeWrittenStopsNothingElse) {
  const std::string file = stored("some.zst", survey::testing::small_survey());
  const std::string page = (warptune_ / "page.html").string();
  const testing::ProgramRun done =
      warptune_.run({"survey", file, "-o", "/dev/full", "--html", page, "--format", "json"});
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("/dev/full"));
  EXPECT_EQ(nlohmann::json::parse(done.out).at("format"), "warptune-survey");
  EXPECT_THAT(testing::slurp(page), StartsWith("<!DOCTYPE html>"));
}

// Nobody reads standard output at first, so warptune is still at work when the signal comes.
TEST_F(SurveyCommandTest, ASignalAfterTheProgramLosesNothing) {
  std::filesystem::create_directories(warptune_ / "cuda/lib64");
  warptune_.file("cuda/lib64/libcupti.so.13", "no process loads it");
  warptune_.variables["WARPTUNE_CUDA_PATH"] = (warptune_ / "cuda").string();
  const testing::ProgramRun done =
      warptune_.shell("cd '" + warptune_.folder().path().string() +
                      "' && mkfifo out && exec 3<>out && head -c 65536 /dev/zero >&3\n"
                      "\"$WARPTUNE\" survey -o run.zst --format json -- /bin/true >&3 & pid=$!\n"
                      "for i in $(seq 3000); do [ -e run.zst ] && break; sleep 0.01; done\n"
                      "kill -TERM $pid; head -c 65536 <&3 >/dev/null; wait $pid");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NO_THROW(survey::records::read_survey(warptune_ / "run.zst"));
}

// A process that the program leaves behind must not keep the pipe of standard output open.
TEST_F(SurveyCommandTest, TheProgramGetsNoFurtherDescriptorWithJson) {
  std::filesystem::create_directories(warptune_ / "cuda/lib64");
  warptune_.file("cuda/lib64/libcupti.so.13", "no process loads it");
  warptune_.variables["WARPTUNE_CUDA_PATH"] = (warptune_ / "cuda").string();
  const auto descriptors = [&](const std::string& format) {
    const std::string file = (warptune_ / format).string();
    const testing::ProgramRun done =
        warptune_.run({"survey", "--format", format, "--", "sh", "-c", "ls /proc/self/fd >'" + file + "'"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return testing::slurp(file);
  };
  const std::string usual = descriptors("text");
  EXPECT_THAT(usual, StartsWith("0\n1\n2\n"));
  EXPECT_EQ(descriptors("json"), usual);
}

// No process initialises CUDA, or the first run is killed.
TEST_F(SurveyCommandTest, WithNothingToCountThereIsNoSecondRun) {
  std::filesystem::create_directories(warptune_ / "cuda/lib64");
  warptune_.file("cuda/lib64/libcupti.so.13", "no process loads it");
  warptune_.variables["WARPTUNE_CUDA_PATH"] = (warptune_ / "cuda").string();
  const std::string runs = (warptune_ / "runs").string();
  const std::string program = "echo run >>'" + runs + "'";
  const testing::ProgramRun done = warptune_.run({"survey", "--counters", "--", "sh", "-c", program});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("note on counters: The survey has no kernel that could be counted.\n"));
  EXPECT_THAT(done.err, Not(HasSubstr("a second time")));
  const testing::ProgramRun killed =
      warptune_.run({"survey", "--counters", "--", "sh", "-c", program + "; kill -9 $$"});
  EXPECT_THAT(killed.out, HasSubstr("Nothing was counted, because the first run was ended by a signal.\n"));
  EXPECT_EQ(testing::slurp(runs), "run\nrun\n");
}

// The second run may end warptune, too. It finds the file here. What it captures does not matter.
TEST_F(SurveyCommandTest, TheSurveyIsStoredBeforeTheSecondRun) {
  warptune_.variables["WARPTUNE_CUDA_PATH"] =
      std::filesystem::path(WARPTUNE_FAKE_CUPTI).parent_path().parent_path().string();
  const std::string output = (warptune_ / "run.zst").string();
  const std::string found = (warptune_ / "found.zst").string();
  const std::string program = "[ -e '" + output + "' ] && cp '" + output + "' '" + found + "'; exec '" +
                              WARPTUNE_SURVEYED_PROGRAM "' exit 4";
  const testing::ProgramRun done =
      warptune_.run({"survey", "-o", output, "--capture", "addup", "--", "sh", "-c", program});
  EXPECT_THAT(done.err, HasSubstr("to capture launch 1 of addup"));
  ASSERT_TRUE(std::filesystem::exists(found)) << done.err;
  EXPECT_EQ(survey::records::read_survey(found).launches.size(), 4U);
}

TEST_F(SurveyCommandTest, AFileAsStandardInputIsReadAgainByTheSecondRun) {
  warptune_.variables["WARPTUNE_CUDA_PATH"] =
      std::filesystem::path(WARPTUNE_FAKE_CUPTI).parent_path().parent_path().string();
  warptune_.variables["PROGRAM"] = WARPTUNE_SURVEYED_PROGRAM;
  warptune_.variables["SEEN"] = (warptune_ / "seen").string();
  const std::string input = warptune_.file("input", "for another program\none\ntwo\n");
  const testing::ProgramRun done = warptune_.shell(
      "exec <'" + input + "'; read another\n" +
      "\"$WARPTUNE\" survey --capture addup -- sh -c 'cat >>\"$SEEN\"; exec \"$PROGRAM\" exit'");
  EXPECT_THAT(done.err, HasSubstr("to capture launch 1 of addup"));
  EXPECT_EQ(testing::slurp(warptune_ / "seen"), "one\ntwo\none\ntwo\n");
}

// A run may take hours.
TEST_F(SurveyCommandTest, AnOutputThatCannotBeWrittenIsFoundBeforeTheProgramRuns) {
  const std::string mark = (warptune_ / "mark").string();
  const std::string folder = warptune_.folder().path().string();
  for (const char* option : {"--output", "--html", "--trace", "--capture-output"}) {
    const testing::ProgramRun done =
        warptune_.run({"survey", "--capture", "f", option, folder, "--", "/usr/bin/touch", mark});
    EXPECT_EQ(done.exit_code, 2) << option;
    EXPECT_THAT(done.err, HasSubstr("expected a file to write, found a folder")) << option;
    const testing::ProgramRun refused =
        warptune_.run({"survey", "--capture", "f", option, "/proc/no_file", "--", "/usr/bin/touch", mark});
    EXPECT_EQ(refused.exit_code, 3) << option;
    EXPECT_THAT(refused.err, HasSubstr("/proc/no_file: cannot be written")) << option;
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
}

// The pipe of standard output has no reader.
TEST_F(SurveyCommandTest, ALostReaderLosesNoFiles) {
  stored("some.zst", survey::testing::small_survey());
  for (const char* format : {"text", "json"}) {
    const testing::ProgramRun done =
        warptune_.shell("cd '" + warptune_.folder().path().string() +
                        "' && rm -f a.* out && mkfifo out && exec 3<>out 4>out 3<&-\n"
                        "\"$WARPTUNE\" survey some.zst -o a.zst --html a.html --trace a.json --format " +
                        format + " >&4 2>&4");
    EXPECT_NE(done.exit_code, 0);
    for (const char* file : {"a.zst", "a.html", "a.json"})
      EXPECT_TRUE(std::filesystem::exists(warptune_ / file)) << file << " " << format;
  }
}

TEST_F(SurveyCommandTest, AnOutputMayBeADevice) {
  const std::string file = stored("some.zst", survey::testing::small_survey());
  const testing::ProgramRun done = warptune_.run({"survey", file, "--html", "/dev/null"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("page /dev/null\n"));
}

TEST_F(SurveyCommandTest, NoOutputReplacesASurveyThatIsRead) {
  const std::string file = stored("some.zst", survey::testing::small_survey());
  const std::string link = (warptune_ / "link.zst").string();
  std::filesystem::create_symlink(file, link);
  const std::string before = testing::slurp(file);
  for (const std::vector<std::string>& outputs :
       std::vector<std::vector<std::string>>{{file, "--trace", file},
                                             {file, "--html", link},
                                             {file, "-o", link, "--trace", file},
                                             {"--compare", file, "--trace", link, "--", "/bin/true"}}) {
    std::vector<std::string> arguments{"survey"};
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    const testing::ProgramRun done = warptune_.run(arguments);
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, HasSubstr("name the same file"));
  }
  EXPECT_EQ(testing::slurp(file), before);
}

TEST_F(SurveyCommandTest, ABadFileToCompareWithIsFoundBeforeTheProgramRuns) {
  const std::string mark = (warptune_ / "mark").string();
  const testing::ProgramRun done = warptune_.run(
      {"survey", "--compare", warptune_.file("text", "no survey"), "--", "/usr/bin/touch", mark});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(mark));
}

// A survey needs no database: what is missing or no database changes nothing but the rate of the link.
TEST_F(SurveyCommandTest, TheMeasuredHostLinkOfTheDatabaseIsUsed) {
  survey::records::Survey survey = survey::testing::small_survey();
  survey.devices[0].gpu = model::fictional_gpu();
  const std::string file = stored("some.zst", survey);
  const std::string database = (warptune_ / "roofs.db").string();
  const auto shown = [&] { return warptune_.json_of({"survey", file, "--db", database}); };
  EXPECT_FALSE(shown().at("host_link_is_measured").get<bool>());
  EXPECT_NEAR(shown().at("host_link_bytes_per_s").get<double>(), 63e9, 1e8);
  model::RoofReading pinned;
  pinned.name = "host_to_device_pinned";
  pinned.value = 51e9;
  db::Store(database).set_roofs(survey.devices[0].gpu, {pinned});
  EXPECT_TRUE(shown().at("host_link_is_measured").get<bool>());
  EXPECT_EQ(shown().at("host_link_bytes_per_s").get<double>(), 51e9);
  const testing::ProgramRun bad = warptune_.run({"survey", file, "--db", warptune_.file("bad.db", "text")});
  EXPECT_EQ(bad.exit_code, 0);
  EXPECT_THAT(bad.err, HasSubstr("the measured rate of the host link cannot be read: "));
  EXPECT_THAT(bad.out, Not(HasSubstr("as measured")));
  const testing::ProgramRun compared =
      warptune_.run({"survey", file, "--compare", file, "--db", (warptune_ / "bad.db").string()});
  const std::size_t first = compared.err.find("cannot be read");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(compared.err.find("cannot be read", first + 1), std::string::npos) << "said once";
}

}  // namespace
}  // namespace warptune::tuner::commands::programs
