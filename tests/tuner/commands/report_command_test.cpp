// `warptune report` as people use it, from recordings and from a database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "db/recording_file.h"
#include "tests/tuner/program.h"
#include "tuner/html_report/embedded_text.h"
#include "tuner/html_report/report_page.h"
#include "tuner/html_report/report_plots.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReportCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
    recording_ = (warptune_ / "toy.wtrec.zst").string();
    db::write_recording(recording_, testing::toy_recording(kernel_));
  }

  void tune(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"tune", kernel_, "--replay", recording_, "--budget", "all"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const testing::ProgramRun done = warptune_.run(arguments);
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }

  void expect_refused(std::vector<std::string> arguments, int exit_code, const std::string& message) {
    arguments.insert(arguments.end(), {"--log-level", "error"});  // The toy kernel has no [check].
    const testing::ProgramRun done = warptune_.run(arguments);
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(done.out, "");
  }

  testing::Warptune warptune_;
  std::string kernel_;
  std::string recording_;
};

TEST_F(ReportCommandTest, WritesOneFileThatNeedsNoOther) {
  const std::string file = (warptune_ / "report.html").string();
  const testing::ProgramRun done = warptune_.run({"report", recording_, "-o", file});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string page = testing::slurp(file);
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("Chart.js v"));
  EXPECT_THAT(page, HasSubstr("THE SOFTWARE IS PROVIDED \"AS IS\"")) << "the library's licence goes with it";
  EXPECT_THAT(page, AllOf(Not(HasSubstr("{{")), Not(HasSubstr("src=\"")), Not(HasSubstr("<link"))));
}

TEST_F(ReportCommandTest, TheDataIsThatOfTheRecording) {
  const json data = warptune_.json_of({"report", recording_});
  ASSERT_EQ(data.at("workloads").size(), 1U);
  const json& workload = data.at("workloads").at(0);
  EXPECT_EQ(workload.at("kernel"), "toy");
  EXPECT_EQ(workload.at("rows").at("count"), 8);
  EXPECT_EQ(workload.at("rows").at("time_ns").at(0), 1000);
  EXPECT_EQ(workload.at("sessions").size(), 1U);
}

TEST_F(ReportCommandTest, NamesFromFilesCannotBringMarkup) {
  model::Recording evil = testing::toy_recording(kernel_);
  evil.workload.kernel = "</script><script>alert(1)</script><!--";
  evil.measurements[0].status = model::Status::kWrongResult;
  evil.measurements[0].reason = "<img src=x onerror=alert(1)>";
  const std::string path = (warptune_ / "evil.wtrec.zst").string();
  db::write_recording(path, evil);
  const testing::ProgramRun done = warptune_.run({"report", path});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img src=x")),
                              Not(HasSubstr("onerror"))));
}

TEST_F(ReportCommandTest, TheDatabaseGivesEveryWorkloadOfAKernelWithItsSessions) {
  tune();
  tune({"--fresh", "--seed", "2"});
  const json data = warptune_.json_of({"report", kernel_});
  ASSERT_EQ(data.at("workloads").size(), 1U);
  const json& workload = data.at("workloads").at(0);
  EXPECT_EQ(workload.at("sessions").size(), 2U);
  EXPECT_EQ(workload.at("sessions").at(0).at("evaluations"), 8);
  EXPECT_EQ(workload.at("origin"), "the database");
  EXPECT_EQ(workload.at("rows").at("session").at(0), 1) << "the newest measurement counts";
  const json everything = warptune_.json_of({"report"});
  EXPECT_EQ(everything.at("workloads").at(0).at("rows").at("count"), 8);
}

TEST_F(ReportCommandTest, SeveralArgumentsAreSeveralWorkloads) {
  tune();
  EXPECT_EQ(warptune_.json_of({"report", recording_, kernel_}).at("workloads").size(), 2U);
}

TEST_F(ReportCommandTest, TheSelectionLeavesWhatFits) {
  tune();
  EXPECT_EQ(
      warptune_.json_of({"report", kernel_, "--size", "N=1024", "--cache", "cold"}).at("workloads").size(),
      1U);
  expect_refused({"report", kernel_, "--size", "N=2048"}, 1,
                 "nothing is known of toy N=2048; run `warptune tune");
  expect_refused({"report", kernel_, "--size", "M=1"}, 2, "--size M: toy has the sizes N=1024");
  expect_refused({"report", kernel_, "--gpu", "unheard"}, 1, "on unheard");
  expect_refused({"report", kernel_, "--cache", "lukewarm"}, 2, "expected cold, warm or unknown");
}

TEST_F(ReportCommandTest, WithoutMeasurementsOneLineSaysWhatToDo) {
  expect_refused({"report"}, 2, "warptune tune");
  expect_refused({"report", kernel_}, 2, "warptune tune");
  tune();
  const std::string other = testing::write_toy_kernel(warptune_.folder(), 3).string();
  expect_refused({"report", other}, 1, "another version of its source");
}

TEST_F(ReportCommandTest, BadInputIsSaidInOneLine) {
  expect_refused({"report", "no_such_kernel"}, 2, "unknown kernel 'no_such_kernel'");
  expect_refused({"report", warptune_.file("broken", "{")}, 2, "broken");
  expect_refused({"report", recording_, "--format", "pdf"}, 2, "--format pdf: expected html, svg, csv, json");
  expect_refused({"report", recording_, "--format", "svg"}, 2, "needs --plot with one of convergence, ");
  expect_refused({"report", recording_, "--plot", "roofline"}, 2, "--plot is for --format svg");
  expect_refused({"report", recording_, "--format", "svg", "--plot", "rooflin"}, 2, "did you mean roofline");
  expect_refused({"report", recording_, recording_, "--format", "svg", "--plot", "roofline"}, 2,
                 "draws one workload");
  expect_refused({"report", recording_, "-o", "/proc/none/report.html"}, 2,
                 "the folder /proc/none does not exist");
  expect_refused({"report", recording_, "-o", "/proc/report.html"}, 3, "cannot be written");
  expect_refused({"report", recording_, "-o", warptune_.folder().path().string()}, 2, "found a folder");
}

TEST_F(ReportCommandTest, AMissingPartOfThePageIsSaidWithWhatToDo) {
  std::filesystem::create_directories(warptune_ / "share" / "report");
  warptune_.file("share/report/report.html", "<script>{{chart.min.js}}</script>");
  warptune_.variables["WARPTUNE_SHARE"] = (warptune_ / "share").string();
  expect_refused({"report", recording_}, 3, "chart.min.js");
}

TEST_F(ReportCommandTest, EveryPlotIsAPicture) {
  for (const html_report::ReportPlot& plot : html_report::report_plots()) {
    const testing::ProgramRun done =
        warptune_.run({"report", recording_, "--format", "svg", "--plot", std::string(plot.name)});
    ASSERT_EQ(done.exit_code, 0) << plot.name << done.err;
    EXPECT_THAT(done.out, AllOf(StartsWith("<svg"), HasSubstr("toy N=1024"), Not(HasSubstr("nan")),
                                Not(HasSubstr("inf"))));
  }
}

TEST_F(ReportCommandTest, APlotOfDataThatIsMissingSaysSo) {
  model::Recording bare = testing::toy_recording(kernel_);
  bare.work = {};
  const std::string path = (warptune_ / "bare.wtrec.zst").string();
  db::write_recording(path, bare);
  expect_refused({"report", path, "--format", "svg", "--plot", "roofline"}, 1, "[work]");
  for (model::Measurement& row : bare.measurements)
    row = testing::failed(row.configuration, model::Status::kCompileFailed, "no");
  db::write_recording(path, bare);
  for (const html_report::ReportPlot& plot : html_report::report_plots())
    EXPECT_EQ(warptune_.run({"report", path, "--format", "svg", "--plot", std::string(plot.name)}).exit_code,
              1)
        << plot.name;
  EXPECT_EQ(warptune_.run({"report", path}).exit_code, 0) << "the page still shows why";
}

TEST(ReportPageTest, ReplacesMarkersOfTheFrameAloneAndTheDataOnce) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  write("report.html", "a{{part.js}}b{{data}}c {{ never closed");
  write("part.js", "{{data}}");
  const std::string data = R"({"text":"{{part.js}}</script>"})";
  EXPECT_EQ(html_report::report_page(folder.path(), data),
            "a{{data}}b" + html_report::gzip_base64(data) + "c {{ never closed");
}

TEST(ReportPageTest, DataIsPackedSoThatStandardToolsUnpackIt) {
  testing::Warptune warptune;
  for (const std::string text : {"", "a", "ab", "abc", "</script> and more, more, more"}) {
    const std::string packed = html_report::gzip_base64(text);
    EXPECT_EQ(packed.find('<'), std::string::npos);
    const std::string file = warptune.file("packed", packed);
    EXPECT_EQ(warptune.shell("base64 -d " + file + " | gzip -dc").out, text);
  }
}

}  // namespace
}  // namespace warptune::tuner::commands
