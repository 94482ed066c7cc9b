// `warptune export --check`: files that are older than the database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "db/store.h"
#include "tests/tuner/commands/toy_session.h"
#include "tests/tuner/program.h"
#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ExportCheckTest : public ToySessionTest {
 protected:
  testing::ProgramRun export_toy(const std::string& format, const std::string& option,
                                 const std::string& file) {
    return warptune_.run({"export", kernel_, "--replayed", "--format", format, option, file});
  }
};

// A session that was interrupted leaves rows that were measured, but not confirmed.
TEST_F(ExportCheckTest, WhatIsNotConfirmedIsToldAndMarkedInTheFile) {
  std::string toy = testing::slurp(kernel_);
  toy.insert(toy.find("[work]"), "[check]\nreference = \"expression\"\nexpression = \"2\"\n");
  warptune_.file(kernel_.substr(kernel_.rfind('/') + 1), toy);
  const model::Recording recording = testing::toy_recording(kernel_);
  std::int64_t row = 0;
  std::filesystem::create_directories(warptune_.database().parent_path());
  {
    db::Store store(warptune_.database());
    db::Session session;
    session.workload = recording.workload;
    session.default_configuration = recording.default_configuration;
    row = store.add_measurement(store.begin_session(session), recording.measurements.front());
  }
  const testing::ProgramRun unconfirmed = warptune_.run({"export", kernel_});
  EXPECT_EQ(unconfirmed.exit_code, 0) << unconfirmed.err;
  EXPECT_THAT(unconfirmed.err, AllOf(HasSubstr("toy: 1 result is not confirmed"),
                                     HasSubstr("warptune tune " + kernel_ + " confirms")));
  for (const char* format : {"header", "defines", "cuda"}) {
    EXPECT_THAT(warptune_.run({"export", kernel_, "--format", format}).out,
                HasSubstr("not confirmed on new inputs"))
        << format;
  }
  db::Store(warptune_.database()).add_counters(row, {{"verified_launches", 300.0}});
  const testing::ProgramRun confirmed = warptune_.run({"export", kernel_});
  EXPECT_THAT(confirmed.err + confirmed.out, Not(HasSubstr("not confirmed")));
}

TEST_F(ExportCheckTest, AFileOfAnyFormatIsRefusedWithTheDifferenceWhenTheDatabaseKnowsBetter) {
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "1"}).exit_code, 0);
  for (const exporting::ExportFormat& format : exporting::export_formats()) {
    if (format.from_covers) continue;
    const std::string file = (warptune_ / format.name).string();
    ASSERT_EQ(export_toy(format.name, "-o", file).exit_code, 0) << format.name;
    EXPECT_EQ(export_toy(format.name, "--check", file).exit_code, 0) << format.name;
  }
  ASSERT_EQ(tune().exit_code, 0);
  for (const exporting::ExportFormat& format : exporting::export_formats()) {
    if (format.from_covers) continue;
    const std::string file = (warptune_ / format.name).string();
    const std::string before = testing::slurp(file);
    const testing::ProgramRun stale = export_toy(format.name, "--check", file);
    EXPECT_EQ(stale.exit_code, 1) << format.name;
    EXPECT_THAT(stale.err,
                AllOf(HasSubstr("no longer matches the database; write it again with warptune export " +
                                kernel_ + " --format " + format.name + " --replayed -o " + file),
                      HasSubstr("\n- "), HasSubstr("\n+ ")))
        << format.name;
    EXPECT_EQ(testing::slurp(file), before) << format.name;
  }
}

TEST_F(ExportCheckTest, TheOrderOfKernelsDoesNotMatter) {
  ASSERT_EQ(tune().exit_code, 0);
  ASSERT_EQ(warptune_.run({"tune", "reduction", "--budget", "3"}).exit_code, 0);
  const std::string file = (warptune_ / "both.h").string();
  ASSERT_EQ(warptune_.run({"export", kernel_, "reduction", "--replayed", "-o", file}).exit_code, 0);
  EXPECT_EQ(warptune_.run({"export", "reduction", kernel_, "--replayed", "--check", file}).exit_code, 0);
}

TEST_F(ExportCheckTest, AFileOfAnotherKernelOrNoneIsRefused) {
  ASSERT_EQ(tune().exit_code, 0);
  ASSERT_EQ(warptune_.run({"tune", "reduction", "--budget", "3"}).exit_code, 0);
  const std::string file = (warptune_ / "reduction.cuh").string();
  ASSERT_EQ(warptune_.run({"export", "reduction", "--format", "cuda", "--replayed", "-o", file}).exit_code,
            0);
  EXPECT_THAT(export_toy("cuda", "--check", file).err, HasSubstr("no longer matches the database"));
  const testing::ProgramRun missing = export_toy("cuda", "--check", (warptune_ / "none.cuh").string());
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.cuh"));
}

}  // namespace
}  // namespace warptune::tuner::commands
