// The parse functions of the commands turn a command line into typed fields. They refuse a wrong one with one
// message, before anything is opened or started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/tuner/session_data.h"
#include "tuner/commands/export_command.h"
#include "tuner/commands/query_command.h"
#include "tuner/commands/replay_command.h"
#include "tuner/commands/report_command.h"
#include "tuner/commands/show_command.h"
#include "tuner/commands/space_command.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Result>
std::string refusal(std::optional<Result> (*parse)(const std::vector<std::string>&),
                    const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(CommandOptionsTest, HelpIsPrintedAndNothingIsAskedFor) {
  ::testing::internal::CaptureStdout();
  const std::optional<QueryOptions> options = parse_query({"--help"});
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("Usage: warptune query KERNEL"));
  EXPECT_FALSE(options.has_value());
}

TEST(QueryOptionsTest, AreTheWorkloadWithWhatRanksIt) {
  const std::optional<QueryOptions> plain = parse_query({"sgemm", "--db", "none.db"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->kernel, "sgemm");
  EXPECT_EQ(plain->cache, model::CacheState::kCold);
  EXPECT_TRUE(plain->objective.is_time());
  EXPECT_FALSE(plain->strict);
  EXPECT_FALSE(plain->json);
  const std::optional<QueryOptions> full =
      parse_query({"sgemm", "--size", "M=64", "--gpu", "H200", "--cache", "warm", "--objective",
                   "time,energy", "--strict", "--format", "json", "--db", "none.db"});
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(model::to_text(full->sizes), "M=64");
  EXPECT_EQ(full->gpu, "H200");
  EXPECT_EQ(full->cache, model::CacheState::kWarm);
  EXPECT_EQ(full->objective.text(), "time,energy");
  EXPECT_TRUE(full->strict);
  EXPECT_TRUE(full->json);
  EXPECT_EQ(full->database, "none.db");
}

TEST(QueryOptionsTest, ASlipIsToldBeforeTheKernelAndTheDatabaseAreLookedFor) {
  const auto refused = [](const std::string& option, const std::string& value) {
    return refusal(parse_query, {"no_such_kernel", "--db", "none.db", option, value});
  };
  EXPECT_THAT(refused("--objective", "tim"), HasSubstr("unknown name 'tim' (did you mean time"));
  EXPECT_EQ(refused("--cache", "hot"), "--cache hot: expected cold, warm or unknown");
  EXPECT_EQ(refused("--size", "N"), "--size N: expected NAME=VALUE");
}

TEST(ExportOptionsTest, AFormatIsOneOfTheTable) {
  const std::optional<ExportOptions> plain = parse_export({"sgemm", "scan", "--db", "none.db"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_THAT(plain->kernels, ElementsAre("sgemm", "scan"));
  EXPECT_EQ(plain->format->name, "header");
  EXPECT_EQ(plain->check, std::nullopt);
  EXPECT_EQ(plain->output, std::nullopt);
  EXPECT_EQ(plain->command, "warptune export sgemm scan --db none.db");
  const std::optional<ExportOptions> json = parse_export(
      {"sgemm", "--format", "json", "-o", "best.json", "--check", "old.json", "--db", "none.db"});
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->format->name, "json");
  EXPECT_EQ(json->output, "best.json");
  EXPECT_EQ(json->check, "old.json");
  EXPECT_EQ(json->command, "warptune export sgemm --format json --db none.db");
  const std::optional<ExportOptions> all =
      parse_export({"sgemm", "--cache", "warm", "--replayed", "--allow-read", "/", "--trust"});
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->command, "warptune export sgemm --cache warm --replayed --allow-read / --trust");
  EXPECT_THAT(refusal(parse_export, {"sgemm", "--format", "text"}),
              HasSubstr("--format text: expected one of header cuda defines snapshot t4 json"));
  EXPECT_EQ(refusal(parse_export, {"no_such_kernel", "--cache", "hot"}),
            "--cache hot: expected cold, warm or unknown");
}

TEST(ReportOptionsTest, AreAFormatAndAQuestionThatLeavesOpenWhatWasNotGiven) {
  const std::optional<ReportOptions> plain = parse_report({"-o", "page.html"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->format, ReportFormat::kHtml);
  EXPECT_EQ(plain->output, "page.html");
  EXPECT_THAT(plain->question.kernels, IsEmpty());
  EXPECT_EQ(plain->question.cache, std::nullopt);
  EXPECT_EQ(plain->question.database, std::nullopt);
  const std::optional<ReportOptions> full =
      parse_report({"sgemm", "--format", "svg", "--plot", "roofline", "--size", "M=64", "--gpu", "H200",
                    "--cache", "cold", "--db", "measured.db"});
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->format, ReportFormat::kSvg);
  EXPECT_EQ(full->plot, "roofline");
  EXPECT_THAT(full->question.kernels, ElementsAre("sgemm"));
  EXPECT_EQ(model::to_text(full->question.sizes), "M=64");
  EXPECT_EQ(full->question.gpu, "H200");
  EXPECT_EQ(full->question.cache, model::CacheState::kCold);
  EXPECT_EQ(full->question.database, "measured.db");
}

TEST(ReportOptionsTest, ASlipIsToldBeforeAnythingIsRead) {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"no_such_kernel", "--db", "none.db"});
    return refusal(parse_report, arguments);
  };
  EXPECT_EQ(refused({"--format", "pdf"}), "--format pdf: expected html, svg, csv, json");
  EXPECT_THAT(refused({"--format", "svg"}), HasSubstr("--format svg needs --plot with one of convergence, "));
  EXPECT_EQ(refused({"--format", "csv", "--plot", "roofline"}),
            "--plot is for --format svg; csv contains all plots");
  EXPECT_EQ(refused({"--format", "csv", "--cache", "hot"}), "--cache hot: expected cold, warm or unknown");
  EXPECT_EQ(refused({"--format", "csv", "--size", "M=1", "--size", "M=2"}), "--size gives M twice");
}

TEST(ReplayOptionsTest, AreAPlanAndFiles) {
  const std::optional<ReplayOptions> plain = parse_replay({"a.json"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_THAT(plain->recordings, ElementsAre("a.json"));
  EXPECT_THAT(plain->plan.strategies, ElementsAre("auto", "random"));
  EXPECT_EQ(plain->plan.repeats, 30U);
  EXPECT_FALSE(plain->plan.budget.has_value()) << "what the score needs";
  EXPECT_EQ(plain->plan.seed, 1U);
  EXPECT_EQ(plain->plan.pending, 1U);
  EXPECT_GE(plain->plan.jobs, 1U);
  const std::optional<ReplayOptions> full = parse_replay({"a.json",
                                                          "--strategy",
                                                          "genetic , random+source",
                                                          "--source",
                                                          "b.json",
                                                          "--repeats",
                                                          "2",
                                                          "--budget",
                                                          "200",
                                                          "--seed",
                                                          "3",
                                                          "--pending",
                                                          "4",
                                                          "--jobs",
                                                          "99999",
                                                          "--with-traces",
                                                          "c.csv",
                                                          "--write-traces",
                                                          "d.csv",
                                                          "--csv",
                                                          "e.csv",
                                                          "--plot",
                                                          "f.svg"});
  ASSERT_TRUE(full.has_value());
  EXPECT_THAT(full->plan.strategies, ElementsAre("genetic", "random+source"));
  EXPECT_EQ(full->plan.source, nullptr);
  EXPECT_EQ(full->source, "b.json");
  EXPECT_EQ(full->plan.repeats, 2U);
  ASSERT_TRUE(full->plan.budget.has_value());
  EXPECT_EQ(full->plan.budget->evaluations, 200U);
  EXPECT_EQ(full->plan.seed, 3U);
  EXPECT_EQ(full->plan.pending, 4U);
  EXPECT_EQ(full->plan.jobs, 1024U) << "no more threads than that";
  EXPECT_THAT(full->traces, ElementsAre("c.csv"));
  EXPECT_EQ(full->traces_output, "d.csv");
  EXPECT_EQ(full->csv_output, "e.csv");
  EXPECT_EQ(full->plot_output, "f.svg");
}

TEST(ReplayOptionsTest, WorkersAskForSimulatedSessions) {
  EXPECT_FALSE(parse_replay({"a.json"})->plan.session.has_value());
  const auto session = parse_replay({"a.json", "--workers", "16"})->plan.session;
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->compile_workers, 16U);
  EXPECT_EQ(session->cached_share, 0.0);
  EXPECT_FALSE(session->choice_s.has_value()) << "measured";
  const auto full =
      parse_replay({"a.json", "--workers", "2", "--cached", "25", "--choice-us", "1500"})->plan.session;
  EXPECT_DOUBLE_EQ(full->cached_share, 0.25);
  EXPECT_DOUBLE_EQ(full->choice_s.value(), 0.0015);
}

TEST(ReplayOptionsTest, ASlipIsToldBeforeARecordingIsRead) {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "none.json");
    return refusal(parse_replay, arguments);
  };
  for (const char* option : {"--repeats", "--pending", "--jobs", "--workers"})
    EXPECT_EQ(refused({option, "0"}), std::string(option) + " 0: expected an integer, 1 or more");
  EXPECT_EQ(refused({"--repeats", "10001"}), "--repeats 10001: expected at most 10000");
  EXPECT_THAT(refused({"--budget", "soon"}), HasSubstr("--budget soon: expected"));
  EXPECT_EQ(refused({"--workers", "1025"}), "--workers 1025: expected at most 1024");
  EXPECT_EQ(refused({"--workers", "2", "--pending", "3"}),
            "--pending cannot be combined with --workers: a simulated session decides how many are pending");
  EXPECT_EQ(refused({"--cached", "30"}), "--cached is for simulated sessions: add --workers N");
  EXPECT_EQ(refused({"--choice-us", "30"}), "--choice-us is for simulated sessions: add --workers N");
  EXPECT_EQ(refused({"--workers", "2", "--cached", "101"}), "--cached 101: expected a percentage, 0 to 100");
  EXPECT_EQ(refused({"--workers", "2", "--choice-us", "60000001"}),
            "--choice-us 60000001: expected at most 60000000 us");
  EXPECT_EQ(refused({"--seed", "x"}), "--seed x: expected an integer, 0 or more");
  EXPECT_EQ(refused({"--strategy", "none,random"}),
            "--strategy none,random: none cannot be combined with other strategies");
  EXPECT_EQ(refused({"--strategy", "none", "--source", "b.json"}),
            "--strategy none runs no strategy that could use --source");
  EXPECT_EQ(refused({"--strategy", "none"}),
            "--strategy none leaves nothing to score; give runs with --with-traces");
}

TEST(ShowOptionsTest, ASessionIsANumberAndWithoutOneAllAreListed) {
  const std::optional<ShowOptions> all = parse_show({"--db", "none.db"});
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->session, std::nullopt);
  EXPECT_EQ(all->top, std::nullopt);
  const std::optional<ShowOptions> one = parse_show({"7", "--top", "3", "--db", "none.db"});
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->session, 7);
  EXPECT_EQ(one->top, 3U);
  EXPECT_EQ(refusal(parse_show, {"first", "--db", "none.db"}),
            "there is no session first; warptune show lists all");
  EXPECT_EQ(refusal(parse_show, {"--top", "few", "--db", "none.db"}),
            "--top few: expected an integer, 0 or more");
}

TEST(SpaceOptionsTest, AtMostOneThingIsPrintedInsteadOfTheDescription) {
  const std::optional<SpaceOptions> plain = parse_space({"sgemm"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_FALSE(plain->sample || plain->list || plain->check);
  EXPECT_EQ(plain->seed, 1U);
  const std::optional<SpaceOptions> check = parse_space({"sgemm", "--check", "A=1", "--check", "B=false"});
  ASSERT_TRUE(check.has_value() && check->check.has_value());
  EXPECT_EQ(model::to_text(*check->check), "A=1 B=false");
  for (const std::vector<std::string>& two :
       {std::vector<std::string>{"--list", "1", "--sample", "1"}, {"--list", "1", "--check", "A=1"}}) {
    std::vector<std::string> arguments = {"no_such_kernel"};
    arguments.insert(arguments.end(), two.begin(), two.end());
    EXPECT_EQ(refusal(parse_space, arguments), "expected only one of --sample, --list and --check");
  }
  EXPECT_EQ(refusal(parse_space, {"no_such_kernel", "--sample", "2", "--seed", "x"}),
            "--seed x: expected an integer, 0 or more");
}

}  // namespace
}  // namespace warptune::tuner::commands
