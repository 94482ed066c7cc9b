// How commands and recordings treat an earlier version of a shipped kernel: docs/database.md, "Renamed
// kernels".
#include "tuner/knowledge/renamed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "db/recording_file.h"
#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"
#include "tuner/html_report/report_workloads.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::knowledge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kBefore = "00000000000000000000000000000001";

// A share folder with one kernel, toy, whose parameter A was once called HEIGHT.
class RenamedRows : public ::testing::Test {
 protected:
  RenamedRows() {
    const std::filesystem::path written = testing::write_toy_kernel(program_.folder());
    std::filesystem::create_directories(share_ / "kernels");
    std::filesystem::create_directories(share_ / "names");
    std::filesystem::rename(written, kernel_);
    after_ = kernel_templates::load_kernel_definition(kernel_).hash;
    map("true");
    program_.variables["WARPTUNE_SHARE"] = share_;
  }

  void map(const std::string& identical, const std::string& added = "") const {
    std::ofstream(share_ / "names" / "renamed.toml")
        << "[[renaming]]\nnames.HEIGHT = \"A\"\n"
        << added << "[[renaming.definition]]\nkernel = \"toy\"\nbefore = \"" << kBefore << "\"\nafter = \""
        << after_ << "\"\nidentical = " << identical << "\n";
  }

  // The rows as the earlier version would have recorded them.
  model::Recording earlier_recording() const {
    model::Recording recording = testing::toy_recording(kernel_);
    recording.workload.kernel = "toy";
    recording.workload.kernel_hash = kBefore;
    const model::Renaming back{"toy", after_, kBefore, {{"A", "HEIGHT", {}}}, std::nullopt};
    for (model::Parameter& parameter : recording.parameters) parameter.name = back.renamed(parameter.name);
    for (model::Measurement& row : recording.measurements)
      row.configuration = back.renamed(row.configuration);
    recording.default_configuration = back.renamed(recording.default_configuration);
    for (model::Constraint& constraint : recording.constraints) {
      std::string text = constraint.expression.text();
      for (std::size_t at = 0; (at = text.find('A', at)) != std::string::npos; at += 6)
        text.replace(at, 1, "HEIGHT");
      constraint.expression = model::Expression::parse(text);
    }
    return recording;
  }

  // The same of a version that had no parameter B and did what the present one does with B = true.
  model::Recording recording_without_b() const {
    const auto is_b = [](const auto& named) { return named.first == "B"; };
    model::Recording recording = earlier_recording();
    std::erase_if(recording.parameters, [](const model::Parameter& one) { return one.name == "B"; });
    recording.constraints.clear();
    std::erase_if(recording.default_configuration, is_b);
    std::erase_if(recording.measurements, [](const model::Measurement& row) {
      return *model::find(row.configuration, "B") != model::Value(true);
    });
    for (model::Measurement& row : recording.measurements) std::erase_if(row.configuration, is_b);
    return recording;
  }

  void store_earlier() const { store(earlier_recording()); }

  void store(const model::Recording& recording) const {
    std::filesystem::create_directories(program_.database().parent_path());
    db::Store store(program_.database());
    db::Session session;
    session.workload = recording.workload;
    session.finished_ms = 1;
    session.default_configuration = recording.default_configuration;
    const std::int64_t id = store.begin_session(session);
    for (const model::Measurement& row : recording.measurements) store.add_measurement(id, row);
  }

  testing::ProgramRun query() {
    return program_.run({"query", "toy", "--gpu", earlier_recording().workload.gpu.key(), "--strict"});
  }

  testing::Warptune program_;
  std::filesystem::path share_ = program_ / "share";
  std::filesystem::path kernel_ = share_ / "kernels" / "toy.cu";
  std::string after_;
};

TEST_F(RenamedRows, AreTheAnswerOfEveryCommandUnderThePresentNames) {
  store_earlier();
  EXPECT_THAT(query().out, HasSubstr("match: exact"));
  EXPECT_THAT(program_.run({"list"}).out, HasSubstr("current"));
  EXPECT_THAT(program_.run({"export", "toy", "--replayed", "--format", "json"}).out,
              ::testing::AllOf(HasSubstr("\"A\""), Not(HasSubstr("HEIGHT"))));
  EXPECT_THAT(program_.run({"show", "1"}).out, Not(HasSubstr("earlier version")));
  EXPECT_EQ(program_.run({"db", "check"}).exit_code, 0);
}

TEST_F(RenamedRows, OfOtherCodeAreShownAndNeverTheAnswer) {
  map("false");
  store_earlier();
  const testing::ProgramRun asked = query();
  EXPECT_NE(asked.exit_code, 0);
  EXPECT_THAT(asked.err, HasSubstr("measurements of another version of its source"));
  const testing::ProgramRun exported = program_.run({"export", "toy", "--replayed"});
  EXPECT_NE(exported.exit_code, 0);
  EXPECT_THAT(exported.err, ::testing::AllOf(HasSubstr("nothing is known of toy"),
                                             HasSubstr("measurements of another version of its source")));
  EXPECT_THAT(program_.run({"list"}).out, HasSubstr("another ("));
  const testing::ProgramRun shown = program_.run({"show", "1"});
  EXPECT_THAT(shown.out, ::testing::AllOf(HasSubstr(kOtherVersion), HasSubstr("HEIGHT=2")));
  EXPECT_EQ(program_.json_of({"show", "1"})["session"]["current_source"], false);
  const testing::ScopedVariable share("WARPTUNE_SHARE", share_);
  html_report::ReportQuestion all;
  all.database = program_.database();
  const std::vector<html_report::ReportWorkload> workloads = html_report::report_workloads(all);
  ASSERT_THAT(workloads, SizeIs(1));
  EXPECT_THAT(workloads[0].origin, HasSubstr(kOtherVersion));
}

TEST_F(RenamedRows, StayWhereTheDatabaseCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everything";
  store_earlier();
  std::filesystem::permissions(program_.database(), std::filesystem::perms::owner_read);
  std::filesystem::permissions(program_.database().parent_path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const testing::ProgramRun listed = program_.run({"list"});
  std::filesystem::permissions(program_.database().parent_path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, HasSubstr("older"));
  EXPECT_THAT(listed.err, HasSubstr("keep their earlier names"));
}

TEST_F(RenamedRows, OfARecordingHaveThePresentNamesToo) {
  const testing::ScopedVariable share("WARPTUNE_SHARE", share_);
  const std::filesystem::path file = program_ / "earlier.wtrec.zst";
  db::write_recording(file, earlier_recording());
  WorkloadQuestion question;
  question.kernel = file;
  const KnownRows known = recorded_rows(question);
  ASSERT_NE(known.instance, nullptr) << "the definition that it belongs to";
  EXPECT_EQ(known.recording.workload.kernel_hash, after_);
  EXPECT_EQ(model::to_text(known.best), "A=2 B=true");
  EXPECT_EQ(known.recording.space().hash(), testing::toy_recording(kernel_).space().hash());

  map("false");
  const KnownRows other = recorded_rows(question);
  EXPECT_EQ(other.instance, nullptr);
  EXPECT_EQ(model::to_text(other.best), "HEIGHT=2 B=true");
}

TEST_F(RenamedRows, GetTheParametersThatThePresentVersionHasAdded) {
  map("true", "added.B = true\n");
  store(recording_without_b());
  EXPECT_THAT(query().out, HasSubstr("match: exact"));
  EXPECT_THAT(program_.run({"export", "toy", "--replayed", "--format", "json"}).out,
              ::testing::AllOf(HasSubstr("\"A\": 2"), HasSubstr("\"B\": true")));
  EXPECT_EQ(program_.run({"db", "check"}).exit_code, 0);

  const testing::ScopedVariable share("WARPTUNE_SHARE", share_);
  const std::filesystem::path file = program_ / "earlier.wtrec.zst";
  db::write_recording(file, recording_without_b());
  WorkloadQuestion question;
  question.kernel = file;
  const KnownRows known = recorded_rows(question);
  ASSERT_NE(known.instance, nullptr) << "the definition that it belongs to";
  EXPECT_EQ(model::to_text(known.best), "A=2 B=true");
}

}  // namespace
}  // namespace warptune::tuner::knowledge
