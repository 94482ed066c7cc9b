#include "tuner/commands/outputs/output_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands::outputs {
namespace {

using ::testing::HasSubstr;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    machine_.run({"tune", "vector_add", "--budget", "4", "--db", machine_ / "rows.db", "--record",
                  machine_ / "rows.wtrec.zst"});
  }

  // The message of a command that would overwrite `file`, which must stay as it is.
  std::string refusal(const std::string& command, const std::string& file) {
    const std::string before = base::read_file(machine_ / file);
    const testing::ProgramRun done =
        machine_.shell("cd " + machine_.folder().path().string() + " && $WARPTUNE " + command);
    EXPECT_EQ(done.exit_code, 2) << command << "\n" << done.out;
    EXPECT_EQ(base::read_file(machine_ / file), before) << command;
    return done.err;
  }

  testing::Warptune machine_;
};

TEST_F(OutputFileTest, WhatACommandReadsIsNotOverwritten) {
  for (const std::string command :
       {"report vector_add --db rows.db -o rows.db", "db export vector_add --db rows.db -o ./rows.db",
        "export vector_add --replayed --db rows.db -o ../$(basename $PWD)/rows.db",
        "tune vector_add --budget 2 --db rows.db --record rows.db"})
    EXPECT_THAT(refusal(command, "rows.db"), HasSubstr("name the same file: ")) << command;
  for (const std::string command :
       {"report rows.wtrec.zst -o rows.wtrec.zst", "replay rows.wtrec.zst --csv rows.wtrec.zst",
        "tune vector_add --budget 2 --replay rows.wtrec.zst --record rows.wtrec.zst"})
    EXPECT_THAT(refusal(command, "rows.wtrec.zst"), HasSubstr("name the same file: ")) << command;
}

TEST_F(OutputFileTest, ADatabaseIsNotOverwrittenEitherWay) {
  EXPECT_THAT(refusal("report rows.wtrec.zst -o rows.db", "rows.db"),
              HasSubstr("--output: 'rows.db' is a database"));
}

TEST_F(OutputFileTest, OtherFilesAreOverwritten) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(
        machine_.run({"report", "vector_add", "--db", machine_ / "rows.db", "-o", machine_ / "report.html"})
            .exit_code,
        0);
    EXPECT_EQ(machine_
                  .run({"tune", "vector_add", "--budget", "2", "--db", machine_ / "rows.db", "--record",
                        machine_ / "rows.wtrec.zst"})
                  .exit_code,
              0);
  }
  EXPECT_EQ(machine_.run({"replay", machine_ / "rows.wtrec.zst", "--csv", "/dev/null", "--plot", "/dev/null"})
                .exit_code,
            0);
}

}  // namespace
}  // namespace warptune::tuner::commands::outputs
