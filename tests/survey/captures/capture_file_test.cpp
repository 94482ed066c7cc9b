#include "survey/captures/capture_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/zstd_text.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::captures {

namespace {

using profiling::captures::CapturedBuffer;
using profiling::captures::CapturedLaunch;
using ::testing::HasSubstr;

CapturedLaunch small_launch() {
  CapturedLaunch launch;
  launch.kernel = "_Z3addPf";
  launch.name = "add(float*)";
  launch.image = std::string(
      "\x7F"
      "ELF\n\0code",
      10);
  launch.grid = {4, 2, 1};
  launch.block = {256, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.dynamic_shared_bytes = 512;
  launch.cooperative = true;
  launch.carveout = 50;
  launch.parameters = {{0, 8}, {8, 4}};
  launch.parameter_bytes = std::string("\0\x10\0\0\0\0\0\0\5\0\0\0", 12);
  launch.buffers = {{4096, "", "before", "after!"}, {8192, "weights", std::string("\0\1\n", 3), {}}};
  launch.notes = {"A note."};
  launch.launch = 7;
  launch.command = {"./app", "\xFF not UTF-8"};
  launch.gpu_name = "Fictional GPU";
  launch.compute_major = 9;
  launch.driver_version = 13000;
  launch.cupti_version = 130001;
  launch.warptune_version = "0.1";
  launch.captured_ms = 1'700'000'000'000;
  launch.application_ns = 1234.5;
  launch.application_launches = 50;
  return launch;
}

class CaptureFileTest : public ::testing::Test {
 protected:
  CaptureFileTest() : path_(folder_.path() / "a.wtcapture.zst") {}
  std::string fault(const std::string& bytes) {
    base::write_file_atomically(path_, bytes);
    try {
      read_capture(path_);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  }
  std::string fault_of_text(const std::string& text) { return fault(base::streams::zstd_compress(text, 1)); }
  std::string text() {
    write_capture(small_launch(), path_);
    std::string text;
    base::streams::zstd_decompress(base::read_file(path_), path_, "capture",
                                   [&](std::string_view piece) { text += piece; });
    return text;
  }

  tests::TemporaryFolder folder_;
  std::filesystem::path path_;
};

TEST_F(CaptureFileTest, ReadsWhatWasWritten) {
  CapturedLaunch launch = small_launch();
  launch.command[1] = "ASCII";
  write_capture(launch, path_);
  EXPECT_EQ(read_capture(path_), launch);
}

TEST_F(CaptureFileTest, TextThatIsNotUtf8IsReplaced) {
  write_capture(small_launch(), path_);
  EXPECT_THAT(read_capture(path_).command[1], HasSubstr(" not UTF-8"));
}

TEST_F(CaptureFileTest, RefusesDamageAndOtherFiles) {
  const std::string whole = text();
  std::string bytes = base::read_file(path_);
  EXPECT_THAT(fault(bytes.substr(0, bytes.size() - 3)), HasSubstr(path_.string()));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  EXPECT_THAT(fault(bytes), HasSubstr(path_.string()));
  EXPECT_THAT(fault_of_text(whole.substr(0, whole.size() - 3)), HasSubstr("cut off"));
  EXPECT_THAT(fault_of_text(whole + "x"), HasSubstr("bytes after its end"));
  EXPECT_THAT(fault_of_text("{}\n"), HasSubstr("found another file"));
  EXPECT_THAT(fault_of_text("no JSON"), HasSubstr("found another file"));
  EXPECT_THAT(fault_of_text("{\"format\":\"warptune capture\",\"version\":2}\n"), HasSubstr("version 2"));
  EXPECT_THAT(fault_of_text("{\"format\":\"warptune capture\",\"version\":1}\n"),
              HasSubstr("missing or of another type"));
}

TEST_F(CaptureFileTest, RefusesAParameterOutsideOfTheBlock) {
  CapturedLaunch launch = small_launch();
  launch.parameters.push_back({10, 4});
  write_capture(launch, path_);
  EXPECT_THROW(read_capture(path_), base::InputError);
}

TEST_F(CaptureFileTest, RefusesNumbersThatNoLaunchHas) {
  const std::string whole = text();
  const auto fault_with = [&](const std::string& old, const std::string& changed) {
    std::string altered = whole;
    const std::size_t place = altered.find(old);
    if (place == std::string::npos) throw base::InternalError("the text has no " + old);
    return fault_of_text(altered.replace(place, old.size(), changed));
  };
  EXPECT_EQ(fault_with("\"grid\":[4,2,1]", "\"grid\":[5,2,1]"), "");
  EXPECT_THAT(fault_with("\"grid\":[4,2,1]", "\"grid\":[1.9,2,1]"), HasSubstr("found 1.9 where"));
  EXPECT_THAT(fault_with("\"grid\":[4,2,1]", "\"grid\":[4,-1,1]"), HasSubstr("found -1 where"));
  EXPECT_THAT(fault_with("\"grid\":[4,2,1]", "\"grid\":[4,65536,1]"), HasSubstr("at most 65535"));
  EXPECT_THAT(fault_with("\"block\":[256,1,1]", "\"block\":[1025,1,1]"), HasSubstr("at most 1024"));
  EXPECT_THAT(fault_with("\"block\":[256,1,1]", "\"block\":[256,8,1]"), HasSubstr("more threads"));
  EXPECT_THAT(fault_with("\"cluster\":[2,1,1]", "\"cluster\":[17,1,1]"), HasSubstr("at most 16"));
  EXPECT_THAT(fault_with("{\"offset\":0,", "{\"offset\":4294967296,"), HasSubstr("found 4294967296 where"));
  EXPECT_THAT(fault_with("\"compute_major\":9", "\"compute_major\":4294967297"), HasSubstr("at most 1000"));
}

TEST_F(CaptureFileTest, KeepsToTheLimit) {
  write_capture(small_launch(), path_);
  EXPECT_THROW(read_capture(path_, 100), base::InputError);
}

}  // namespace

}  // namespace warptune::survey::captures
