// Strategies replayed on recordings: figures of made-up runs against values computed by hand, and the command
// as people use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "db/recording_file.h"
#include "model/fields.h"
#include "search/scoring/aggregate_score.h"
#include "tests/sanitizers.h"
#include "tests/tuner/program.h"
#include "tuner/replay/regret_plot.h"
#include "tuner/replay/replay_figures.h"
#include "tuner/replay/replay_report.h"
#include "tuner/replay/replay_source.h"
#include "tuner/replay/replay_traces.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// X = 1 .. count. X = 1 takes 1000 ns, each further value 100 ns more. An evaluation takes a second.
model::Recording line_recording(std::int64_t count) {
  model::Recording recording;
  recording.workload.kernel = "line";
  recording.listed = true;
  recording.parameters.emplace_back();
  recording.parameters[0].name = "X";
  for (std::int64_t x = 1; x <= count; ++x) {
    recording.parameters[0].values.emplace_back(x);
    recording.measurements.push_back(
        testing::measured(testing::at(x), 1000.0 + 100.0 * static_cast<double>(x - 1)));
    recording.measurements.back().compile_ms = 1000.0;
    recording.measurements.back().measure_ms = 0.0;
  }
  return recording;
}

std::vector<replay::ReplayWorkload> workloads() {
  std::vector<replay::ReplayWorkload> all;
  all.emplace_back("one", line_recording(40));
  all.emplace_back("two", line_recording(30));
  return all;
}

search::scoring::Trace trace_of(const std::vector<double>& objectives_ns) {
  search::scoring::Trace trace;
  for (const double objective : objectives_ns) {
    trace.add(static_cast<double>(trace.points.size() + 1), model::from_nan(objective));
  }
  return trace;
}

replay::StrategyRuns runs_of(const std::string& strategy, const std::vector<double>& first,
                             const std::vector<double>& second) {
  return {strategy, {{trace_of(first), trace_of(first)}, {trace_of(second), trace_of(second)}}};
}

TEST(RecordingNameTest, IsTheFilesWithoutFoldersAndKnownEndings) {
  EXPECT_EQ(replay::recording_name("/a/b/gemm-RTX_3090.json.gz"), "gemm-RTX_3090");
  EXPECT_EQ(replay::recording_name("sgemm-h200.wtrec.zst"), "sgemm-h200");
  EXPECT_EQ(replay::recording_name("convolution.T4.json"), "convolution.T4");
  EXPECT_EQ(replay::recording_name("v1.5"), "v1.5");
}

TEST(ReplayStrategiesTest, RunsEveryStrategyOnEveryRecordingWhateverTheJobs) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  replay::ReplayPlan plan;
  plan.strategies = {"random", "exhaustive"};
  plan.repeats = 5;
  plan.budget = session::Budget::parse("12");
  const auto objectives = [&](std::size_t jobs) {
    plan.jobs = jobs;
    std::uint64_t told = 0;
    const std::vector<replay::StrategyRuns> runs =
        replay::replay_strategies(plan, all, [&](std::uint64_t, std::uint64_t) { ++told; });
    EXPECT_EQ(told, 20U);
    return replay::traces_csv(runs, all);
  };
  const std::string alone = objectives(1);
  EXPECT_EQ(alone, objectives(3));
  EXPECT_THAT(alone, AllOf(StartsWith("strategy,recording,repeat,evaluation,objective_ns,seconds\n"),
                           HasSubstr("exhaustive,two,4,12,2100,12\n"), Not(HasSubstr(",13,"))));
}

TEST(ReplayStrategiesTest, WithoutABudgetRunsLastForTheScoreAndTwoHundredEvaluations) {
  std::vector<replay::ReplayWorkload> all;
  all.emplace_back("long", line_recording(400));
  replay::ReplayPlan plan;
  plan.strategies = {"random"};
  plan.repeats = 1;
  const auto runs = replay::replay_strategies(plan, all, [](std::uint64_t, std::uint64_t) {});
  EXPECT_EQ(runs[0].by_recording[0][0].points.size(), 200U);
}

TEST(ReplayStrategiesTest, RefusesUnknownAndRepeatedStrategies) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  replay::ReplayPlan plan;
  plan.strategies = {"random", "random"};
  EXPECT_THROW(replay::replay_strategies(plan, all, {}), base::InputError);
  plan.strategies = {"randm"};
  EXPECT_THROW(replay::replay_strategies(plan, all, {}), base::InputError);
}

TEST(ReplayStrategiesTest, StartNoMoreThreadsThanThereAreRuns) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  replay::ReplayPlan plan;
  plan.strategies = {"random"};
  plan.repeats = 1;
  plan.budget = session::Budget::parse("5");
  plan.jobs = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(replay::replay_strategies(plan, all, [](std::uint64_t, std::uint64_t) {}), SizeIs(1));
}

TEST(ReplayStrategiesTest, KnowWhenTheyMayTakeEverything) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  const auto traces = [&](const std::string& strategy, const std::string& budget) {
    replay::ReplayPlan plan;
    plan.strategies = {strategy};
    plan.repeats = 2;
    plan.budget = session::Budget::parse(budget);
    std::vector<replay::StrategyRuns> runs =
        replay::replay_strategies(plan, all, [](std::uint64_t, std::uint64_t) {});
    runs[0].strategy = "any";
    return replay::traces_csv(runs, all);
  };
  EXPECT_EQ(traces("auto", "all"), traces("exhaustive", "all"));
  EXPECT_EQ(traces("auto", "40"), traces("exhaustive", "40"));
  EXPECT_NE(traces("auto", "29"), traces("exhaustive", "29"));
}

TEST(ReplaySourceTest, NamesSayWhatAStrategyIsToldOf) {
  EXPECT_EQ(replay::ReplayedStrategy::parse("auto").source, replay::ReplaySource::kNone);
  EXPECT_EQ(replay::ReplayedStrategy::parse("auto+source").source, replay::ReplaySource::kGiven);
  EXPECT_EQ(replay::ReplayedStrategy::parse("auto+shuffled").source, replay::ReplaySource::kShuffled);
  EXPECT_EQ(replay::ReplayedStrategy::parse("auto+shuffled").name, "auto");
  EXPECT_EQ(replay::ReplayedStrategy::parse("auto+other").name, "auto+other");
}

TEST(ReplaySourceTest, IsMatchedByTheValuesOfTheParameters) {
  model::Recording recording = line_recording(40);
  std::reverse(recording.parameters[0].values.begin(), recording.parameters[0].values.end());
  recording.measurements[4].status = model::Status::kLaunchFailed;
  const search::scoring::RecordedSpace source(recording);
  const replay::ReplayWorkload workload("short", line_recording(5));
  const std::vector<search::Observation> told = replay::observations_of(source, workload.space().space());
  ASSERT_THAT(told, SizeIs(5));
  for (std::uint32_t x = 0; x < 4; ++x) {
    EXPECT_THAT(told[x].configuration, ElementsAre(x));
    EXPECT_EQ(told[x].objective, 1000.0 + 100.0 * x);
  }
  EXPECT_EQ(told[4].status, model::Status::kLaunchFailed);
}

TEST(ReplaySourceTest, ShufflingExchangesTimesAndKeepsFailures) {
  model::Recording recording = line_recording(40);
  recording.measurements[4].status = model::Status::kLaunchFailed;
  const search::scoring::RecordedSpace source(recording);
  const std::vector<search::Observation> told = replay::observations_of(source, source.space());
  const auto shuffled = [&](std::uint64_t seed) {
    std::vector<search::Observation> observations = told;
    replay::shuffle_objectives(observations, seed);
    EXPECT_EQ(observations[4].status, model::Status::kLaunchFailed);
    std::vector<double> objectives;
    for (const search::Observation& observation : observations) objectives.push_back(observation.objective);
    return objectives;
  };
  std::vector<double> in_order;
  for (const search::Observation& observation : told) in_order.push_back(observation.objective);
  EXPECT_THAT(shuffled(1), ::testing::UnorderedElementsAreArray(in_order));
  EXPECT_NE(shuffled(1), in_order);
  EXPECT_EQ(shuffled(1), shuffled(1));
  EXPECT_NE(shuffled(1), shuffled(2));
}

TEST(ReplayStrategiesTest, AskForTheBestOfTheSourceFirstWhereTheyAreToldOfIt) {
  std::vector<replay::ReplayWorkload> all;
  all.emplace_back("one", line_recording(400));
  const replay::ReplayWorkload source("other", line_recording(400));
  replay::ReplayPlan plan;
  plan.strategies = {"random", "random+source", "random+shuffled"};
  plan.repeats = 20;
  plan.budget = session::Budget::parse("3");
  plan.source = &source;
  const auto runs = replay::replay_strategies(plan, all, [](std::uint64_t, std::uint64_t) {});
  const auto found = [&](std::size_t strategy) {
    return std::count_if(runs[strategy].by_recording[0].begin(), runs[strategy].by_recording[0].end(),
                         [](const search::scoring::Trace& trace) { return trace.best_after(3) == 1000.0; });
  };
  EXPECT_LE(found(0), 2);
  EXPECT_EQ(found(1), 20);
  EXPECT_LE(found(2), 2);
  EXPECT_EQ(runs[1].by_recording[0][0].strategy, "random+source");
}

TEST(ReplayFiguresTest, CombineRecordingsAndCompareWithTheFirst) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  std::vector<double> slow(20, 1400.0);
  std::vector<double> good(20, 1100.0);
  std::vector<double> best(20, 1000.0);
  const std::vector<replay::StrategyRuns> runs = {runs_of("good", good, best), runs_of("slow", slow, slow)};
  const replay::ReplayFigures figures = replay::replay_figures(runs, all);
  EXPECT_THAT(figures.budgets, ElementsAre(20U));
  EXPECT_THAT(figures.common, ElementsAre(0U, 1U));
  EXPECT_THAT(figures.scored, SizeIs(2));  // All runs are scored, because no cut-off reaches 100.
  EXPECT_NEAR(figures.strategies[0].at[0].slow_down, std::sqrt(1.1), 1e-12);
  EXPECT_NEAR(figures.strategies[1].at[0].slow_down, 1.4, 1e-12);
  EXPECT_DOUBLE_EQ(figures.strategies[0].at[0].within_share, 1.0);
  EXPECT_DOUBLE_EQ(figures.strategies[1].at[0].within_share, 0.0);
  EXPECT_DOUBLE_EQ(figures.strategies[0].by_recording[1].evaluations_to[2].value().median, 1.0);
  ASSERT_THAT(figures.comparisons, SizeIs(1));
  const replay::Comparison& comparison = figures.comparisons[0];
  EXPECT_EQ(comparison.over_recordings.above, 2U);
  EXPECT_DOUBLE_EQ(comparison.over_recordings.p_value, 0.5);
  EXPECT_EQ(comparison.over_runs.above, 4U);
  EXPECT_DOUBLE_EQ(comparison.over_runs.p_value, 2.0 / 16.0);
  EXPECT_NEAR(comparison.ratio.mean, 1.4 / std::sqrt(1.1), 1e-12);
  EXPECT_LE(comparison.ratio.low, comparison.ratio.mean);
  EXPECT_NEAR(comparison.excess_ratio, (std::sqrt(1.1) - 1.0) / 0.4, 1e-12);
}

TEST(ReplayFiguresTest, ARecordingThatAStrategyLacksIsNoCommonOne) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  std::vector<replay::StrategyRuns> runs = {runs_of("a", {1000.0}, {1000.0}),
                                            runs_of("b", {1200.0}, {1000.0})};
  runs[1].by_recording[1].clear();
  const replay::ReplayFigures figures = replay::replay_figures(runs, all);
  EXPECT_THAT(figures.common, ElementsAre(0U));
  EXPECT_EQ(figures.strategies[1].by_recording[1].score, std::nullopt);
  EXPECT_THAT(replay::replay_text(figures, all), HasSubstr("Over 1 recording: "));
  EXPECT_THAT(replay::replay_csv(figures, all), HasSubstr("b,two,score,\n"));
  EXPECT_TRUE(json::parse(replay::replay_json(figures, all))
                  .at("strategies")
                  .at("b")
                  .at("two")
                  .at("score")
                  .is_null());
  EXPECT_THAT(replay::regret_plot(runs, all), HasSubstr("</svg>"));
  runs[0].by_recording[0].clear();
  EXPECT_THROW(replay::replay_figures(runs, all), base::InputError);
}

TEST(ReplayFiguresTest, TwoStrategiesOfOneNameAreRefused) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  const std::vector<replay::StrategyRuns> runs = {runs_of("a", {1000.0}, {1000.0}),
                                                  runs_of("a", {1200.0}, {1000.0})};
  EXPECT_THROW(replay::replay_figures(runs, all), base::InputError);
}

TEST(ReplayReportTest, MarksScoresOfRunsThatEndEarly) {
  std::vector<replay::ReplayWorkload> all;
  all.emplace_back("long", line_recording(400));
  const double whole_s = search::scoring::cut_off(all[0].space(), search::scoring::kLastPercentile).seconds;
  const std::vector<double> enough(static_cast<std::size_t>(whole_s) + 1, 1100.0);
  const std::vector<replay::StrategyRuns> runs = {{"whole", {{trace_of(enough)}}},
                                                  {"early", {{trace_of({1100.0, kNan})}}}};
  const replay::ReplayFigures figures = replay::replay_figures(runs, all);
  EXPECT_DOUBLE_EQ(figures.strategies[0].score_covered, 1.0);
  EXPECT_DOUBLE_EQ(figures.strategies[1].score_covered, 2.0 / whole_s);
  EXPECT_THAT(replay::replay_text(figures, all), ::testing::ContainsRegex("early[^\n]*[0-9]\\*"));
  EXPECT_THAT(replay::replay_text(figures, all), Not(::testing::ContainsRegex("whole[^\n]*[0-9]\\*")));
}

TEST(RegretPlotTest, HasALineForEachStrategyInEachPanelAndEscapesNames) {
  const std::vector<replay::ReplayWorkload> all = workloads();
  const std::vector<replay::StrategyRuns> runs = {runs_of("a<b&c", {1000.0, 1000.0}, {1000.0}),
                                                  runs_of("other", {1300.0, 1200.0}, {1000.0})};
  const std::string plot = replay::regret_plot(runs, all);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = plot.find("<polyline", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 6U);
  EXPECT_THAT(plot, AllOf(StartsWith("<svg"), HasSubstr(">a&lt;b&amp;c<"), Not(HasSubstr("nan"))));
}

class ReplayTracesTest : public ::testing::Test {
 protected:
  std::vector<replay::StrategyRuns> read(const std::string& text) {
    const std::filesystem::path path = folder_ / "traces.csv";
    std::ofstream(path, std::ios::binary) << text;
    return replay::read_traces(path, workloads_);
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  testing::TemporaryFolder folder_;
  std::vector<replay::ReplayWorkload> workloads_ = workloads();
};

TEST_F(ReplayTracesTest, AreReadInAnyOrderOfColumnsAndRows) {
  const auto runs = read(
      "note,evaluation,seconds,strategy,recording,repeat,objective_ns\r\n"
      "x,2,3.5,other,one,0,1500\nx,1,1.5,other,one,0,\n\nx,1,,third,two,4,2000\nx,1,1,other,elsewhere,0,1\n");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].strategy, "other");
  ASSERT_THAT(runs[0].by_recording[0], SizeIs(1));
  const search::scoring::Trace& trace = runs[0].by_recording[0][0];
  ASSERT_THAT(trace.points, SizeIs(2));
  EXPECT_EQ(trace.points[0].objective_ns, std::nullopt);
  EXPECT_EQ(trace.points[1].best_ns, 1500.0);
  EXPECT_EQ(trace.points[1].seconds, 3.5);
  EXPECT_TRUE(runs[0].by_recording[1].empty());
  EXPECT_EQ(runs[1].by_recording[1][0].repeat, 4U);
  EXPECT_EQ(runs[1].by_recording[1][0].points[0].seconds, std::nullopt);
}

TEST_F(ReplayTracesTest, ComeBackAsTheyWereWritten) {
  std::vector<replay::StrategyRuns> runs = {runs_of("a", {1234.5, kNan, 1000.0}, {2000.0})};
  for (auto& recording : runs[0].by_recording) recording[1].repeat = 1;
  const std::string text = replay::traces_csv(runs, workloads_);
  EXPECT_EQ(replay::traces_csv(read(text), workloads_), text);
}

TEST_F(ReplayTracesTest, ComeBackWhateverNamesHold) {
  std::vector<replay::ReplayWorkload> odd;
  odd.emplace_back("a,b \"c\"", line_recording(40));
  odd.emplace_back(" \"", line_recording(30));
  const std::vector<replay::StrategyRuns> runs = {
      {"tuner:one,two", {{trace_of({1000.0})}, {trace_of({1100.0})}}}};
  const std::string text = replay::traces_csv(runs, odd);
  EXPECT_THAT(text, HasSubstr("\n\"tuner:one,two\",\"a,b \"\"c\"\"\",0,1,1000,1\n"));
  EXPECT_THAT(replay::replay_csv(replay::replay_figures(runs, odd), odd),
              HasSubstr("\n\"tuner:one,two\",\"a,b \"\"c\"\"\",score,"));
  workloads_ = std::move(odd);
  const auto again = read(text);
  EXPECT_EQ(again[0].strategy, "tuner:one,two");
  EXPECT_EQ(replay::traces_csv(again, workloads_), text);
  std::vector<replay::ReplayWorkload> broken;
  broken.emplace_back("two\nlines", line_recording(40));
  EXPECT_THROW(replay::traces_csv({{"a", {{trace_of({1000.0})}}}}, broken), base::InputError);
}

TEST_F(ReplayTracesTest, SayFileLineAndWhatWasExpected) {
  const std::string heading = "strategy,recording,repeat,evaluation,objective_ns\n";
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal("strategy,recording\n"), HasSubstr("traces.csv:1: expected the columns strategy,"));
  EXPECT_THAT(refusal(heading + "\"a,one,0,1,5\n"), HasSubstr("traces.csv:2: expected cells between commas"));
  EXPECT_THAT(refusal(heading + "\"a\"b,one,0,1,5\n"), HasSubstr("expected cells between commas"));
  EXPECT_THAT(refusal(heading + "a,one,0,1\n"), HasSubstr("traces.csv:2: expected 5 columns, found 4"));
  EXPECT_THAT(refusal(heading + "a,one,0,one,5\n"), HasSubstr("evaluation: expected an integer"));
  EXPECT_THAT(refusal(heading + "a,one,-1,1,5\n"), HasSubstr("repeat: expected an integer, 0 or more"));
  EXPECT_THAT(refusal(heading + "a,one,0,1,fast\n"),
              HasSubstr("objective_ns: expected a number or an empty cell"));
  EXPECT_THAT(refusal(heading + "a,one,0,1,-5\n"), HasSubstr("expected a positive number"));
  EXPECT_THAT(refusal(heading + "a,one,0,1,5\na,one,0,3,5\n"),
              HasSubstr("traces.csv:3: expected evaluation 2 of this run, found 3"));
  EXPECT_THAT(refusal(heading + "a,one,0,1,5\na,one,0,1,6\n"),
              HasSubstr("expected evaluation 2 of this run"));
}

class ReplayCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    recording_ = (warptune_ / "line.wtrec.zst").string();
    db::write_recording(recording_, line_recording(60));
    cache_ = warptune_.file("cache.json",
                            R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2, 3]}, "cache": {
        "1": {"x": 1, "time": 3.0, "compile_time": 10.0}, "2": {"x": 2, "time": 1.0},
        "3": {"x": 3, "time": "CompilationFailedConfig"}}})");
  }

  testing::Warptune warptune_;
  std::string recording_;
  std::string cache_;
};

TEST_F(ReplayCommandTest, PrintsATableForEachFigure) {
  const testing::ProgramRun done = warptune_.run({"replay", recording_, cache_, "--strategy",
                                                  "local_search,random", "--repeats", "4", "--budget", "50"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("Over 2 recordings"), HasSubstr("slow-down @50"),
                    HasSubstr("Evaluations to within 5 % of the best"),
                    HasSubstr("Simulated seconds to within 1 % of the best"), HasSubstr("Aggregate score P"),
                    HasSubstr("Compared with local_search"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST_F(ReplayCommandTest, SaysTheSameAsJsonWhateverTheJobs) {
  const std::vector<std::string> arguments = {"replay",    recording_, "--strategy", "exhaustive,random",
                                              "--repeats", "3",        "--seed",     "9",
                                              "--pending", "2",        "--budget",   "20s"};
  const auto with_jobs = [&](const std::string& jobs) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--jobs", jobs});
    json report = warptune_.json_of(all);
    for (auto& [name, strategy] : report.at("strategies").items())
      strategy.at("all").erase("strategy_cpu_us");
    return report;
  };
  const json report = with_jobs("1");
  EXPECT_EQ(report, with_jobs("3"));
  EXPECT_EQ(report.at("recordings")[0].at("configurations"), 60);
  EXPECT_EQ(report.at("strategies").at("exhaustive").at("line").at("slow_down_at_20"), 1.0);
  EXPECT_EQ(report.at("comparisons")[0].at("against"), "exhaustive");
}

TEST_F(ReplayCommandTest, WritesFiguresPlotAndTracesThatItReadsAgain) {
  const std::string traces = (warptune_ / "traces.csv").string();
  const std::string csv = (warptune_ / "figures.csv").string();
  const std::string plot = (warptune_ / "regret.svg").string();
  const testing::ProgramRun done =
      warptune_.run({"replay", recording_, "--strategy", "random", "--repeats", "3", "--budget", "20",
                     "--write-traces", traces, "--csv", csv, "--plot", plot});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(testing::slurp(csv),
              StartsWith("strategy,recording,figure,value\nrandom,all,slow_down_at_20,"));
  EXPECT_THAT(testing::slurp(plot), HasSubstr("</svg>"));
  const auto figures = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"replay", recording_};
    all.insert(all.end(), more.begin(), more.end());
    json strategy = warptune_.json_of(all).at("strategies").at("random");
    strategy.at("all").erase("strategy_cpu_us");
    return strategy;
  };
  EXPECT_EQ(figures({"--strategy", "none", "--with-traces", traces}),
            figures({"--strategy", "random", "--repeats", "3", "--budget", "20"}));
}

TEST_F(ReplayCommandTest, GoesOnWithTheThreadsThatThereAreMemoryFor) {
  if (tests::kAddressSanitizer) GTEST_SKIP() << "a sanitizer needs more memory than the limit leaves";
  const testing::ProgramRun done =
      warptune_.shell("ulimit -v 3000000; $WARPTUNE replay " + recording_ +
                      " --strategy random --repeats 2000 --budget 5 --jobs 1024");
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST_F(ReplayCommandTest, ReplaysAPartialRecordingWithConstraintsAsItsRows) {
  model::Recording partial = line_recording(60);
  partial.listed = false;
  partial.measurements.erase(partial.measurements.begin() + 10, partial.measurements.end());
  db::write_recording(recording_, partial);
  const json report = warptune_.json_of({"replay", recording_, "--strategy", "random", "--repeats", "2"});
  EXPECT_EQ(report.at("recordings")[0].at("configurations"), 10);
}

TEST_F(ReplayCommandTest, SaysWhatIsWrong) {
  const std::string empty = warptune_.file("empty.json", "");
  const std::string failing = warptune_.file(
      "failing.json", R"({"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": "Bad"}}})");
  const std::string traces = warptune_.file("bad.csv", "strategy\n");
  const auto says = [&](std::vector<std::string> arguments, const std::string& wanted) {
    arguments.insert(arguments.begin(), "replay");
    const testing::ProgramRun done = warptune_.run(arguments);
    EXPECT_EQ(done.exit_code, 2) << wanted << done.err;
    EXPECT_EQ(done.out, "") << wanted;
    EXPECT_THAT(done.err, HasSubstr(wanted));
  };
  says({}, "RECORDING is missing; usage: warptune replay RECORDING...");
  says({"none.json"}, "none.json");
  says({empty}, "empty.json: expected a recording, found an empty file");
  says({failing}, "failing.json: none of the 1 recorded configurations has a time to replay");
  says({recording_, recording_}, "two recordings are named line");
  says({recording_, "--strategy", "rndom"}, "unknown strategy 'rndom' (did you mean random");
  says({recording_, "--strategy", "random,random"}, "--strategy names random twice");
  says({recording_, "--strategy", "none"}, "leaves nothing to score");
  says({recording_, "--strategy", " none"}, "leaves nothing to score");
  says({recording_, "--strategy", "random, none"}, "--strategy random,none: none cannot be combined");
  says({recording_, "--strategy", "none,none"}, "none cannot be combined");
  says({recording_, "--strategy", "none", "--source", cache_}, "--strategy none runs no strategy");
  says({recording_, "--repeats", "10001"}, "--repeats 10001: expected at most 10000");
  says({recording_, "--repeats", "9223372036854775807"}, "expected at most 10000");
  says({recording_, "--repeats", "0"}, "--repeats 0: expected an integer, 1 or more");
  says({recording_, "--pending", "0"}, "--pending 0: expected an integer, 1 or more");
  says({recording_, "--jobs", "x"}, "--jobs x: expected an integer");
  says({recording_, "--strategy", "random+source"},
       "--strategy random+source needs a source: add --source RECORDING");
  says({recording_, "--strategy", "random", "--source", cache_}, "--source is for strategies named");
  says({recording_, "--strategy", "random+source", "--source", recording_},
       "--source line is also one of the replayed recordings");
  says({recording_, "--strategy", "random+source", "--source", cache_},
       "--source cache has no configuration of line: its parameters or values differ");
  says({recording_, "--strategy", "random+source", "--source", "none.json"}, "none.json");
  says({recording_, "--strategy", "random+sauce", "--source", cache_}, "unknown strategy 'random+sauce'");
  says({recording_, "--budget", "soon"}, "--budget soon: expected a number of evaluations");
  says({recording_, "--with-traces", traces}, "bad.csv:1: expected the columns");
}

}  // namespace
}  // namespace warptune::tuner::commands
