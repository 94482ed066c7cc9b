// Tests of the corpus of cheats and mistakes. Its index is in order, and its kernels compile. The honest
// siblings are honest, and the evaluator distinguishes the cheats from them.

#include "tests/profiling/cheats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/emulation/emulation_program.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using model::GpuDescription;
using model::Measurement;
using model::NamedValues;
using model::Status;

TEST(CheatIndex, NamesEveryDefinitionOnceAndAtLeastForty) {
  std::vector<std::string> names;
  for (const Cheat& cheat : cheats()) names.push_back(cheat.name);
  EXPECT_EQ(names, cheat_files());
  EXPECT_GE(names.size(), 40U);
}

TEST(CheatIndex, GivesTheChanceOfThoseThatAreWrongInOneOfSoManyLaunches) {
  std::vector<double> chances;
  for (const Cheat& cheat : cheats()) {
    EXPECT_EQ(cheat.chance.has_value(), cheat.kind == CheatKind::kOneInN) << cheat.name;
    if (cheat.chance) chances.push_back(*cheat.chance);
  }
  EXPECT_THAT(chances, ::testing::UnorderedElementsAre(1.0 / 16, 0.01));
}

TEST(CheatIndex, TheDefinitionsHaveTheirFilesNamesADescriptionAndThatParameterAlone) {
  for (const Cheat& cheat : cheats()) {
    const kernel_templates::KernelDefinition definition = load_cheat(cheat.name);
    EXPECT_EQ(definition.name, cheat.name);
    EXPECT_EQ(definition.source.filename().string(), cheat.name + ".cu");
    EXPECT_FALSE(definition.description.empty()) << cheat.name;
    EXPECT_EQ(definition.default_configuration, cheat_configuration(0)) << cheat.name;
    EXPECT_EQ(KernelInstance(definition, {}, model::fictional_gpu()).space().size(), 2U) << cheat.name;
  }
}

class CheatCompile : public ::testing::TestWithParam<Cheat> {
 protected:
  // Compiles both values and the reference. Skips when the machine lacks NVRTC or the linker of device
  // libraries.
  static void compile_all(const Cheat& cheat, const GpuDescription& gpu) {
    const KernelInstance instance(load_cheat(cheat.name), {}, gpu);
    for (const auto& request :
         {instance.compile_request(cheat_configuration(0)), instance.compile_request(cheat_configuration(1)),
          instance.reference_request()}) {
      ASSERT_TRUE(request.has_value()) << request.error().reason;
      try {
        const model::Outcome<CompiledKernel> compiled = kernel_templates::compile(*request);
        if (!compiled && model::is_environment_failure(compiled.error()))
          GTEST_SKIP() << compiled.error().reason;
        ASSERT_TRUE(compiled.has_value()) << gpu.architecture() << "\n" << compiled.error().reason;
        EXPECT_EQ(compiled->log.find("warning"), std::string::npos) << compiled->log;
      } catch (const base::MachineError& error) {
        GTEST_SKIP() << error.what();
      }
    }
    for (const int value : {0, 1}) {
      const auto plan = instance.screened_plan(cheat_configuration(value));
      EXPECT_TRUE(plan.has_value()) << plan.error().reason;
    }
  }
};

std::string name_of(const ::testing::TestParamInfo<Cheat>& parameter) { return parameter.param.name; }

TEST_P(CheatCompile, BothValuesAndTheReferenceCompile) { compile_all(GetParam(), model::fictional_gpu()); }
INSTANTIATE_TEST_SUITE_P(Corpus, CheatCompile, ::testing::ValuesIn(cheats()), name_of);

class CheatCompileEverywhere : public CheatCompile {};

TEST_P(CheatCompileEverywhere, BothValuesAndTheReferenceCompileForEveryArchitecture) {
  for (const GpuDescription& gpu : kernel_templates::tested_gpus()) compile_all(GetParam(), gpu);
}
INSTANTIATE_TEST_SUITE_P(Long, CheatCompileEverywhere, ::testing::ValuesIn(cheats()), name_of);

// Returns small sizes that no tile divides, if the kernel supports them.
NamedValues small_problem(const kernel_templates::KernelDefinition& definition) {
  const std::vector<std::pair<std::string, std::int64_t>> sizes = {
      {"N", 10000}, {"ROWS", 37}, {"COLUMNS", 128}, {"SIZE", 64}, {"WIDTH", 33}, {"HEIGHT", 5}};
  NamedValues problem;
  for (const auto& [name, value] : sizes) {
    if (model::find(definition.problem, name) != nullptr) problem.emplace_back(name, value);
  }
  return problem;
}

// Runs the given kernels on the host with one value of CHEAT, each of them twice, against their references.
kernel_templates::emulation::ProgramOutcome emulate(const std::vector<Cheat>& chosen, int value) {
  GpuDescription gpu = model::fictional_gpu();
  gpu.sm_count = 2;
  kernel_templates::emulation::EmulationProgram program("");
  for (const Cheat& cheat : chosen) {
    const kernel_templates::KernelDefinition definition = load_cheat(cheat.name);
    const auto added = program.add_against_reference(
        KernelInstance(definition, small_problem(definition), gpu), cheat_configuration(value));
    EXPECT_TRUE(added.has_value()) << added.error();
  }
  return kernel_templates::compile_and_run(program);
}

TEST(CheatEmulation, TheHonestSiblingsEqualTheirReferences) {
  const kernel_templates::emulation::ProgramOutcome outcome = emulate(cheats(), 0);
  ASSERT_TRUE(outcome.compiled) << outcome.output;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST(CheatEmulation, CheatsThatShowOnTheHostDoNot) {
  std::vector<Cheat> shown;
  std::copy_if(cheats().begin(), cheats().end(), std::back_inserter(shown),
               [](const Cheat& cheat) { return cheat.shows_on_host; });
  const kernel_templates::emulation::ProgramOutcome outcome = emulate(shown, 1);
  ASSERT_TRUE(outcome.compiled) << outcome.output;
  EXPECT_THAT(outcome.output,
              ::testing::HasSubstr(fmt::format("{} of {} runs are wrong", shown.size(), shown.size())));
}

// The result of evaluating one cheat, for the table at the end.
struct CheatRow {
  std::string name;
  Measurement honest;
  // One for each evaluation.
  std::vector<Measurement> cheated;
  std::size_t caught = 0;
  // The cheat's time over its sibling's, launched in turn. It is 0 when unknown.
  double ratio = 0.0;
};

class GpuCheats : public ::testing::TestWithParam<Cheat> {
 protected:
  static constexpr std::size_t kRoundsOfOneInN = 10;
  // Each evaluation catches the cheat with a probability of 0.95 or more. Fewer than this many of ten occur
  // once in a thousand runs.
  static constexpr std::size_t kCaughtOfOneInN = 7;
  static constexpr std::size_t kRoundsOfLucky = 8;
  // A cheat whose time is above this ratio gains nothing.
  static constexpr double kNoGain = 0.95;

  void SetUp() override {
    const GpuList list = enumerate_gpus();
    if (list.gpus.empty()) GTEST_SKIP() << list.reason;
  }

  static void TearDownTestSuite() {
    if (rows().empty()) return;
    std::cout << fmt::format("{:<24} {:>9} {:>9} {:>6} {:>7}  {}\n", "kernel", "honest us", "cheat us",
                             "ratio", "caught", "verdict on the cheat");
    for (const CheatRow& row : rows()) {
      const Measurement last = row.cheated.empty() ? Measurement() : row.cheated.back();
      std::string verdict = std::string(model::to_string(last.status)) + ": " + last.reason;
      if (row.cheated.empty())
        verdict = fmt::format("the honest sibling is refused: {}: {}", model::to_string(row.honest.status),
                              row.honest.reason);
      std::cout << fmt::format("{:<24} {:>9.2f} {:>9.2f} {:>6.2f} {:>3} / {:<2} {}\n", row.name,
                               row.honest.time->median_ns * 1e-3, last.time->median_ns * 1e-3, row.ratio,
                               row.caught, row.cheated.size(), verdict);
    }
  }

  static std::vector<CheatRow>& rows() {
    static std::vector<CheatRow> all;
    return all;
  }

  // Evaluates the cheat with another seed and in its own runner, after its sibling.
  static void evaluate(const Cheat& cheat, std::uint64_t seed, CheatRow& row) {
    RunnerOptions options = without_counters();
    options.seed = seed;
    RunnerUnderTest runner(load_cheat(cheat.name), {}, options);
    row.honest = judge(runner, 0);
    ASSERT_EQ(row.honest.status, Status::kMeasured) << "the honest sibling: " << row.honest.reason;
    row.cheated.push_back(judge(runner, 1));
    if (is_caught(cheat, row.honest, row.cheated.back())) ++row.caught;
    if (row.cheated.size() == 1 && !runner.runner().context_lost()) row.ratio = ratio_of_times(runner);
  }

  // Returns 0 if one of them is wrong, because it is not timed then.
  static double ratio_of_times(RunnerUnderTest& runner) {
    const CompiledKernel honest = runner.compile(cheat_configuration(0));
    const CompiledKernel cheated = runner.compile(cheat_configuration(1));
    try {
      const std::vector<timing::FinalistTiming> timings = runner.runner().time_interleaved(
          {{cheat_configuration(0), &honest}, {cheat_configuration(1), &cheated}}, 7);
      if (timings.at(0).fault || timings.at(1).fault) return 0.0;
      return model::summarise(timings.at(1).samples_ns).value().median_ns /
             model::summarise(timings.at(0).samples_ns).value().median_ns;
    } catch (const std::exception&) {
      return 0.0;
    }
  }

  // Evaluates as a session does with a configuration that may be the best: it is confirmed if it was
  // measured.
  static Measurement judge(RunnerUnderTest& runner, int value) {
    Measurement measurement = runner.evaluate(cheat_configuration(value), static_cast<std::uint64_t>(value));
    if (measurement.status != Status::kMeasured) return measurement;
    const timing::Confirmation confirmation = runner.confirm(cheat_configuration(value));
    measurement.counters["verified_launches"] = static_cast<double>(confirmation.launches);
    if (!confirmation.has_passed()) {
      measurement.status = confirmation.verdict.status;
      measurement.reason = confirmation.verdict.reason;
    }
    return measurement;
  }

  static bool is_caught(const Cheat& cheat, const Measurement& honest, const Measurement& cheated) {
    if (cheated.status != Status::kMeasured) return true;
    return cheat.honest_if_slow && cheated.time->median_ns >= kNoGain * honest.time->median_ns;
  }

  static std::string text_of(const CheatRow& row) {
    const auto one = [](const Measurement& measurement) {
      return fmt::format("{} {}, {:.2f} us", model::to_string(measurement.status), measurement.reason,
                         measurement.time->median_ns * 1e-3);
    };
    std::string text = "the honest sibling: " + one(row.honest);
    for (const Measurement& cheated : row.cheated) text += "\nthe cheat: " + one(cheated);
    return text;
  }
};

TEST_P(GpuCheats, AreNotRankedAndTheirHonestSiblingsAre) {
  const Cheat& cheat = GetParam();
  CheatRow& row = rows().emplace_back();
  row.name = cheat.name;
  const std::size_t rounds = cheat.kind == CheatKind::kOneInN  ? kRoundsOfOneInN
                             : cheat.kind == CheatKind::kLucky ? kRoundsOfLucky
                                                               : 1;
  for (std::size_t round = 0; round < rounds && !HasFatalFailure(); ++round) {
    evaluate(cheat, round + 1, row);
    if (cheat.kind == CheatKind::kLucky && row.caught > 0) break;
  }
  for (const Measurement& cheated : row.cheated) {
    EXPECT_NE(cheated.status, Status::kCompileFailed) << cheated.reason;
    EXPECT_NE(cheated.status, Status::kLaunchInvalid) << cheated.reason;
  }
  EXPECT_GE(row.caught, cheat.kind == CheatKind::kOneInN ? kCaughtOfOneInN : 1U) << text_of(row);
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuCheats, ::testing::ValuesIn(cheats()), name_of);

}  // namespace
}  // namespace warptune::profiling::verification
