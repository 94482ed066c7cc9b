#include "tuner/explaining/hot_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "kernel_templates/library.h"
#include "model/gpu_description.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::explaining {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using ::testing::SizeIs;

class SampleHotLinesTest : public ::testing::Test {
 protected:
  profiling::HotLines sample() const {
    return sample_hot_lines(instance_, instance_.default_configuration(), {});
  }

  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  kernel_templates::KernelInstance instance_{
      kernel_templates::load_kernel("transpose"), {}, model::fictional_gpu()};
};

TEST_F(SampleHotLinesTest, LinesComeWithTheirText) {
  const profiling::HotLines lines = sample();
  EXPECT_EQ(lines.problem, "");
  ASSERT_THAT(lines.lines, SizeIs(2));
  EXPECT_EQ(lines.lines[0].text, "[kernel]");
  EXPECT_EQ(lines.lines[0].samples, 30U);
  EXPECT_EQ(lines.lines[1].text, "");
}

TEST_F(SampleHotLinesTest, AWorkerThatDiesIsTheReasonWhyThereAreNone) {
  const ScopedVariable dies("FAKE_SAMPLING_DIES", "1");
  const profiling::HotLines lines = sample();
  EXPECT_THAT(lines.lines, IsEmpty());
  EXPECT_THAT(lines.problem, HasSubstr("exit code 1"));
}

// The line information of machine code comes from the source. A #line in it can name any file.
class NamedFileTest : public ::testing::Test {
 protected:
  NamedFileTest() {
    fs::create_directory(folder_ / "own");
    write("secret", "a secret line\n");
    write("own/header.cuh", "a line that may be shown\n");
    fs::copy_file(testing::write_toy_kernel(folder_), folder_ / "own/toy.cu");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  // The text that a sample in the first line of `file` gets.
  std::string shown(const std::string& file, const std::vector<fs::path>& granted = {}) const {
    const ScopedVariable named("FAKE_SAMPLED_FILE", file);
    const kernel_templates::KernelInstance instance(
        kernel_templates::load_kernel_definition(folder_ / "own/toy.cu", {granted}), {},
        model::fictional_gpu());
    const profiling::HotLines lines = sample_hot_lines(instance, instance.default_configuration(), {});
    EXPECT_EQ(lines.problem, "");
    return lines.lines.at(1).text;
  }

  testing::TemporaryFolder folder_;
  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
};

TEST_F(NamedFileTest, OutsideOfWhatTheDefinitionMayReadIsNotShown) {
  EXPECT_EQ(shown(folder_ / "own/header.cuh"), "a line that may be shown");
  EXPECT_EQ(shown(folder_ / "secret"), "");
  EXPECT_EQ(shown(folder_ / "own/../secret"), "");
  fs::create_symlink(folder_ / "secret", folder_ / "own/link.cuh");
  EXPECT_EQ(shown(folder_ / "own/link.cuh"), "");
  EXPECT_EQ(shown("/etc/passwd"), "");
  EXPECT_EQ(shown(folder_ / "secret", {folder_.path()}),
            "a secret line");  // The user has granted the folder.
}

TEST_F(NamedFileTest, OfNoRegularKindIsNotShown) {
  ASSERT_EQ(::mkfifo((folder_ / "own/pipe").c_str(), 0600), 0);  // Reading it would wait for ever.
  EXPECT_EQ(shown(folder_ / "own/pipe"), "");
  EXPECT_EQ(shown(folder_ / "own"), "");
}

}  // namespace
}  // namespace warptune::tuner::explaining
