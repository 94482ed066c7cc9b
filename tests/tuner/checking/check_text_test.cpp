#include "tuner/checking/check_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner::checking {
namespace {

using kernel_templates::inspection::Severity;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

CheckedProgram compiled() {
  CheckedProgram program;
  program.role = Role::kDefault;
  program.configuration = {{"A", std::int64_t{2}}};
  program.resources.registers_per_thread = 40;
  program.resources.threads_per_block = 128;
  program.resources.static_shared_bytes = 10240;
  program.resources.dynamic_shared_bytes = 10240;
  program.spill_bytes = 24;
  program.occupancy = 0.625;
  program.limited_by = {"registers", "shared memory"};
  program.compile_ms = 12.4;
  return program;
}

CheckReport report_of(CheckedProgram program) {
  CheckReport report;
  report.kernel = "toy";
  report.problem = {{"N", std::int64_t{1024}}};
  report.gpus.push_back({model::fictional_gpu(), 8.0, {std::move(program)}});
  return report;
}

TEST(CheckTextTest, ACompiledProgramIsARowWithWhatItTakes) {
  const std::string text = programs_text(report_of(compiled()));
  EXPECT_THAT(text, ::testing::StartsWith("toy N=1024\n\nsm_90, "));
  EXPECT_THAT(text, HasSubstr("size of the space 8\n"));
  EXPECT_THAT(text, ContainsRegex("default +40 +20.0 Ki +24 +63|62 % +registers, shared memory +12 +A=2\n"));
  EXPECT_THAT(text, HasSubstr("registers, shared memory"));
  EXPECT_THAT(text, Not(HasSubstr("earlier command")));
}

TEST(CheckTextTest, ProgramsOfTheCacheAreMarkedAndTheMarkIsExplained) {
  CheckedProgram cached = compiled();
  cached.from_cache = true;
  const std::string text = programs_text(report_of(cached));
  EXPECT_THAT(text, HasSubstr("12 *"));
  EXPECT_THAT(text, HasSubstr("\n* compiled by an earlier command\n"));
}

TEST(CheckTextTest, AProgramWithoutCodeIsARowWithTheFirstLineOfItsReason) {
  CheckedProgram failed;
  failed.role = Role::kReference;
  failed.rejection = model::Rejection{model::Status::kCompileFailed, "no such type\nmore of the log"};
  const std::string text = programs_text(report_of(failed));
  EXPECT_THAT(text, ContainsRegex("reference +compile_failed: no such type\n"));
  EXPECT_THAT(text, Not(HasSubstr("more of the log")));
}

TEST(CheckTextTest, FindingsAreLinesWithTheirPlacesAndAreCountedByKind) {
  CheckReport report = report_of(compiled());
  EXPECT_EQ(verdict_text(report), "toy: no errors and no warnings were found\n");
  report.findings = {{Severity::kError, {"toy.cu", 3, 7}, "wrong"},
                     {Severity::kWarning, {"toy.cu", 9, 1}, "odd"},
                     {Severity::kWarning, {"toy.cu", 10, 1}, "odd too"}};
  EXPECT_EQ(findings_text(report.findings),
            "toy.cu:3:7: error: wrong\ntoy.cu:9:1: warning: odd\ntoy.cu:10:1: warning: odd too\n");
  EXPECT_EQ(verdict_text(report), "toy: 1 error, 2 warnings\n");
}

TEST(CheckTextTest, TheHostsRunsAndWhatPreventedOthersAreSaid) {
  CheckReport report;
  EXPECT_EQ(host_text(report), "");
  report.host.obstacle = "it uses inline PTX";
  EXPECT_EQ(host_text(report), "\nNothing is run on the host's CPU: it uses inline PTX.\n");
  report.host.runs = 2;
  report.host.problems = {{{"N", std::int64_t{7}}}, {{"N", std::int64_t{8}}}};
  EXPECT_EQ(host_text(report),
            "\nRun on the host's CPU and compared with the reference: 2 runs at N=7; N=8.\n"
            "Not all is run on the host's CPU: it uses inline PTX.\n");
}

}  // namespace
}  // namespace warptune::tuner::checking
