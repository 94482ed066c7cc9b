#include "base/streams/file_writer.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "base/error.h"
#include "base/files.h"
#include "tests/temporary_folder.h"

namespace warptune::base::streams {
namespace {

namespace fs = std::filesystem;

class FileWriterTest : public ::testing::Test {
 protected:
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  tests::TemporaryFolder folder_;
  fs::path path_ = folder_ / "file";
};

TEST_F(FileWriterTest, TheFileHasItsNameOnlyWhenItIsComplete) {
  write_file_atomically(path_, "old");
  FileWriter writer(path_);
  writer.add("new");
  EXPECT_EQ(read_file(path_), "old");
  writer.add(" text");
  writer.finish();
  EXPECT_EQ(read_file(path_), "new text");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileWriterTest, WithoutTheEndNothingStays) {
  { FileWriter(path_).add("half"); }
  EXPECT_EQ(files(), 0);
}

TEST_F(FileWriterTest, LinksAreFollowed) {
  write_file_atomically(path_, "old");
  fs::create_symlink(path_, folder_ / "link");
  FileWriter writer(folder_ / "link");
  writer.add("new");
  writer.finish();
  EXPECT_EQ(read_file(path_), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

TEST_F(FileWriterTest, FoldersAndMissingFoldersAreInputErrors) {
  EXPECT_THROW(FileWriter{folder_.path()}, InputError);
  EXPECT_THROW(FileWriter{folder_ / "missing/file"}, InputError);
}

TEST_F(FileWriterTest, AFullDeviceIsAMachineError) {
  FileWriter writer("/dev/full");
  EXPECT_THROW(writer.add("text"), MachineError);
}

}  // namespace
}  // namespace warptune::base::streams
