// The disk of the server is full.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/ordinary_user.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

using ::testing::HasSubstr;
using ::testing::Not;

// A small file system in memory.
class SmallDisk {
 public:
  SmallDisk() : is_mounted_(::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=120m") == 0) {
    if (is_mounted_) give_to_ordinary_user(folder_.path());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_mounted_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  tests::TemporaryFolder folder_;
  bool is_mounted_;
};

TEST(LongFullDiskTest, ABatchIsRefusedAndCanBePublishedLater) {
  REQUIRE_SERVER();
  const SmallDisk disk;
  if (!disk.is_mounted()) GTEST_SKIP() << "only root can mount a small disk";
  std::ofstream(disk / "ballast") << std::string(20'000'000, 'x');
  TestServer server({{"autovacuum = off"}, 5432, {}, false, disk / "data"});
  prepare_store(server);
  const TestStore store(server);
  store.connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  const auto node = store.connect(Access::kNode);
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  std::uint64_t published = 0;
  std::string failure;
  while (failure.empty() && published < 200) {
    try {
      node->publish({lease.key, kNodeA, published}, std::string(1'000'000, 'x'));
      ++published;
    } catch (const base::MachineError& error) {
      failure = error.what();
    }
  }
  EXPECT_THAT(failure, HasSubstr("the server has too few resources: could not extend file"));
  EXPECT_THAT(failure, Not(HasSubstr("\n")));
  std::filesystem::remove(disk / "ballast");
  EXPECT_EQ(node->batches({}, "").batches.size(), published);
  node->publish({lease.key, kNodeA, published}, std::string(1'000'000, 'x'));
  EXPECT_TRUE(node->finish(kNodeA, lease.key, {}));
  EXPECT_EQ(node->batches({}, "").batches.size(), published + 1);
}

}  // namespace warptune::fleet::postgresql::testing
