#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/error.h"
#include "fleet/fleet_store.h"
#include "tests/temporary_folder.h"

namespace warptune::fleet {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInput);
    return error.message();
  }
  return "nothing was thrown";
}

std::string opening_message(const std::string& address) {
  return message_of([&] { open_store(address, Access::kNode); });
}

TEST(OpeningTest, AddressesOfStoresAreToldFromPaths) {
  for (const char* address : {"spool:/shared/w", "spool:w", "postgresql://h/d", "postgres://u@h/d"})
    EXPECT_TRUE(is_store_address(address)) << address;
  for (const char* path : {"warptune.db", "/data/spool", "./spool:x", "https://h/d", ""})
    EXPECT_FALSE(is_store_address(path)) << path;
}

TEST(OpeningTest, PasswordsInAddressesAreFound) {
  for (const char* address : {"postgresql://u:secret@h/d", "postgres://u:@h", "postgresql://h/d?password=x",
                              "postgresql://h/d?user=u&password=x", "postgresql://h/d?sslpassword=x",
                              "postgresql://h/d?sslkey=k&ssl%70assword=x", "postgresql://h?pass%77ord=x"})
    EXPECT_TRUE(has_password(address)) << address;
  for (const char* address :
       {"postgresql://u@h:5432/d", "postgresql:///d?host=/tmp",
        "postgresql://h/d?passfile=p&sslkey=password=", "postgresql://h/d?application_name=%7",
        "postgresql://u@h/d:e@f", "spool:a:b@c"})
    EXPECT_FALSE(has_password(address)) << address;
}

TEST(OpeningTest, AStoreThatWasMadeIsOpened) {
  const tests::TemporaryFolder folder;
  const std::string address = "spool:" + (folder / "a" / "spool").string();
  EXPECT_EQ(make_store(address)->address(), address);
  EXPECT_EQ(make_store(address)->address(), address) << "a second time";
  EXPECT_EQ(open_store(address, Access::kReader)->address(), address);
}

TEST(OpeningTest, AFolderThatIsMissingOrNotASpoolIsRefused) {
  const tests::TemporaryFolder folder;
  EXPECT_THAT(
      opening_message("spool:" + (folder / "none").string()),
      HasSubstr("is not a spool: it does not exist, and the folder above it, " + folder.path().string() +
                ", is empty; if a file system belongs there, mount it; otherwise, make one with "
                "`warptune campaign init --store spool:"));
  EXPECT_THAT(opening_message("spool:" + (folder / "none/spool").string()),
              HasSubstr("the folder above it, " + (folder / "none").string() + ", is missing; "));
  EXPECT_THAT(opening_message("spool:" + folder.path().string()),
              HasSubstr("is not a spool: the folder is empty; if a file system belongs there, mount it; "));
  std::ofstream(folder / "other") << "text";
  EXPECT_THAT(opening_message("spool:" + (folder / "none").string()),
              HasSubstr("is not a spool: it does not exist; if it was made before, correct the address; "));
  EXPECT_THAT(opening_message("spool:" + folder.path().string()),
              HasSubstr("is not a spool: its file VERSION is missing; "));
}

TEST(OpeningTest, AFolderWithOtherFilesIsNotMadeASpool) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "thesis.tex") << "mine";
  EXPECT_THAT(message_of([&] { make_store("spool:" + folder.path().string()); }),
              HasSubstr("has other files, such as thesis.tex"));
  EXPECT_FALSE(std::filesystem::exists(folder / "campaigns"));
}

TEST(OpeningTest, ASpoolOfAnotherVersionIsRefused) {
  const tests::TemporaryFolder folder;
  const std::string address = "spool:" + (folder / "spool").string();
  make_store(address);
  std::filesystem::remove(folder / "spool" / "VERSION");
  std::ofstream(folder / "spool" / "VERSION") << "warptune spool 1\nmore\n";
  const std::string expected =
      address + " has another version: expected 'warptune spool 2', found 'warptune spool 1'";
  EXPECT_EQ(opening_message(address), expected);
  EXPECT_EQ(message_of([&] { make_store(address); }), expected);
}

TEST(OpeningTest, OtherAddressesAreRefused) {
  EXPECT_THAT(opening_message("warptune.db"), HasSubstr("expected the address of a store: spool:FOLDER or"));
  EXPECT_THAT(opening_message("spool:"), HasSubstr("names no folder"));
  EXPECT_THAT(opening_message("mysql://u:secret@h/d"), ::testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace warptune::fleet
