// Definitions, recordings and arguments may contain terminal escapes. None of them reaches a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "db/recording_file.h"
#include "kernel_templates/kernel_instance.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::text_output {
namespace {

using ::testing::HasSubstr;

constexpr const char* kEvil =
    "\x1b]0;owned\x07\xC2\x9b"
    "2J\xE2\x80\xAE\x7f";
constexpr const char* kEvilToml = "\\u001b]0;owned\\u0007\\u009b2J\\u202e\\u007f";

// The toy kernel with a second parameter whose values are texts, and escapes in every text.
std::string evil_kernel(const testing::Warptune& warptune) {
  std::string toy = testing::slurp(testing::write_toy_kernel(warptune.folder()));
  const auto change = [&](const std::string& from, const std::string& to) {
    toy.replace(toy.find(from), from.size(), to);
  };
  const std::string evil = kEvilToml;
  change("doubles numbers", "doubles " + evil);
  change("B = [false, true]", "B = { values = [\"x" + evil + "\", \"y\"], description = \"" + evil + "\" }");
  change("B = false", "B = \"y\"");
  change("N = 1024", "N = { value = 1024, description = \"" + evil + "\" }\nkind = \"k" + evil + "\"");
  change("[default]",
         "[constraints]\nlist = [{ expression = \"A <= 4\", reason = \"" + evil + "\" }]\n[default]");
  return warptune.file("evil.cu", toy);
}

// In every second row compiling failed, with a compile log.
model::Recording evil_recording(const std::string& kernel) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel_definition(kernel), {},
                                                  model::fictional_gpu());
  const model::Space& space = instance.space();
  model::Recording recording;
  recording.workload = {instance.definition().name, instance.definition().hash, instance.problem(),
                        instance.gpu()};
  recording.workload.gpu.name += kEvil;
  recording.parameters = space.parameters();
  recording.constraints = space.constraints();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
  recording.roofs = {4.2e12, 60e12};
  recording.environment = {"0.1.0", 13000, 13000, 1980, 3201, std::string("0x0") + kEvil};
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const model::NamedValues values = space.values_of(space.at(i));
    recording.measurements.push_back(testing::measured(values, 1000.0 + 10.0 * static_cast<double>(i)));
    if (i % 2 == 1)
      recording.measurements.back() =
          testing::failed(values, model::Status::kCompileFailed,
                          std::string("evil.cu(3): error: #error ") + kEvil + "\nmore");
  }
  return recording;
}

class EscapesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_ = evil_kernel(warptune_);
    recording_ = (warptune_ / "evil.wtrec.zst").string();
    db::write_recording(recording_, evil_recording(kernel_));
  }

  static void expect_harmless(const std::string& text, const std::string& where) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = base::printable_size(std::string_view(text).substr(at));
      ASSERT_GT(size, 0U) << where << ": byte " << at << " of\n" << base::printable(text);
      at += size;
    }
  }

  // Runs the program. Only what it prints matters, not its exit code.
  testing::ProgramRun run(const std::vector<std::string>& arguments) {
    testing::ProgramRun done = warptune_.run(arguments);
    expect_harmless(done.out, arguments.front() + "'s standard output");
    expect_harmless(done.err, arguments.front() + "'s standard error");
    return done;
  }

  // The file that a command writes.
  std::string file_of(std::vector<std::string> arguments) {
    const std::string file = (warptune_ / "written").string();
    arguments.insert(arguments.end(), {"-o", file});
    const testing::ProgramRun done = run(arguments);
    EXPECT_EQ(done.exit_code, 0) << arguments.front() << ": " << done.err;
    return testing::slurp(file);
  }

  testing::Warptune warptune_;
  std::string kernel_;
  std::string recording_;
};

TEST_F(EscapesTest, OfADefinitionAndARecordingNeverReachATerminal) {
  const testing::ProgramRun tuned =
      run({"tune", kernel_, "--replay", recording_, "--budget", "all", "--log-level", "debug"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("\\u001b]0;owned\\u0007\\u009b2J\\u202e\\u007f"));
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"query", kernel_},
                                             {"query", kernel_, "--gpu", "no such \x1b[1m"},
                                             {"explain", kernel_},
                                             {"explain", recording_},
                                             {"profile", kernel_},
                                             {"profile", recording_},
                                             {"show", "1"},
                                             {"list"},
                                             {"space", kernel_},
                                             {"space", kernel_, "--list", "8"},
                                             {"space", kernel_, "--check", "A=1", "--check", "B=\x1b"},
                                             {"document", kernel_},
                                             {"export", kernel_, "--replayed"},
                                             {"report", kernel_, "--format", "csv"},
                                             {"report", kernel_, "--format", "svg", "--plot", "effects"},
                                             {"replay", recording_, "--strategy", "random", "--repeats", "2"},
                                             {"check", kernel_},
                                             {"lab", kernel_},
                                             {"lab", std::string("no such ") + kEvil}}) {
    run(arguments);
    if (arguments.front() == "export" || arguments.front() == "report" || arguments.front() == "document")
      continue;
    std::vector<std::string> as_json = arguments;
    as_json.insert(as_json.end(), {"--format", "json"});
    const testing::ProgramRun done = run(as_json);
    EXPECT_TRUE(done.exit_code != 0 || nlohmann::json::accept(done.out)) << arguments.front();
  }
  run({"tune", kernel_, "--replay", recording_, "--budget", "all", "--progress", "json"});
  run({"new", std::string("k") + kEvil});
  run({"new", std::string("k") + kEvil, "-o", (warptune_ / (std::string("new") + kEvil + ".cu")).string()});
  for (const char* format : {"json", "defines", "snapshot", "t4", "cuda"})
    run({"export", kernel_, "--replayed", "--format", format});
}

TEST_F(EscapesTest, OfACompileLogAreToldInWords) {
  model::Recording failing = evil_recording(kernel_);
  for (model::Measurement& row : failing.measurements)
    row = testing::failed(row.configuration, model::Status::kCompileFailed, std::string("#error ") + kEvil);
  db::write_recording(recording_, failing);
  const testing::ProgramRun done = run({"tune", kernel_, "--replay", recording_, "--budget", "all"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("#error \\u001b]0;owned\\u0007"));
}

TEST_F(EscapesTest, OfArgumentsAndFileNamesNeverReachATerminal) {
  const std::string evil = kEvil;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{evil},
                                             {"tune", evil},
                                             {"tune", "--" + evil},
                                             {"tune", kernel_, "--size", evil},
                                             {"query", kernel_, "--db", evil},
                                             {"tune", kernel_, "--log-level", evil},
                                             {"show", evil},
                                             {"replay", evil + "\xff"},
                                             {"export", kernel_, "--format", evil}})
    EXPECT_EQ(run(arguments).exit_code, 2);
}

TEST_F(EscapesTest, AreNotInFilesThatPeopleLookInto) {
  ASSERT_EQ(run({"tune", kernel_, "--replay", recording_, "--budget", "all"}).exit_code, 0);
  for (const char* format : {"csv", "html"})
    expect_harmless(file_of({"report", kernel_, "--format", format}), format);
  expect_harmless(file_of({"report", kernel_, "--format", "svg", "--plot", "effects"}), "svg");
  expect_harmless(file_of({"document", kernel_}), "document");
  expect_harmless(file_of({"export", kernel_, "--replayed"}), "header");
}

TEST_F(EscapesTest, APictureStaysWellFormed) {
  if (warptune_.shell("python3 -c 0").exit_code != 0) GTEST_SKIP() << "no python3 to parse it";
  ASSERT_EQ(run({"tune", kernel_, "--replay", recording_, "--budget", "all"}).exit_code, 0);
  file_of({"report", kernel_, "--format", "svg", "--plot", "effects"});
  const testing::ProgramRun parsed =
      warptune_.shell("python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse(\"written\")'");
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
}

}  // namespace
}  // namespace warptune::tuner::text_output
