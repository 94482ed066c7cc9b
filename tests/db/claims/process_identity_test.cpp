#include "db/claims/process_identity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace warptune::db::claims {
namespace {

TEST(ProcessIdentityTest, TheOwnProcessHasNotEnded) {
  const std::string identity = process_identity();
  ASSERT_FALSE(identity.empty());
  EXPECT_EQ(process_identity(), identity);
  EXPECT_FALSE(has_ended(identity));
}

TEST(ProcessIdentityTest, AKilledProcessHasEndedEvenBeforeItsParentWaitsForIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string identity = process_identity();
    ::_exit(::write(ends[1], identity.data(), identity.size()) > 0 && ::pause() != 0 ? 0 : 1);
  }
  char text[200];
  const ssize_t count = ::read(ends[0], text, sizeof(text));
  ASSERT_GT(count, 0);
  const std::string identity(text, static_cast<std::size_t>(count));
  EXPECT_NE(identity, process_identity());
  EXPECT_FALSE(has_ended(identity));
  ::kill(child, SIGKILL);
  siginfo_t ended;
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);  // It stays a zombie.
  EXPECT_TRUE(has_ended(identity));
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(has_ended(identity));
  ::close(ends[0]);
  ::close(ends[1]);
}

// Another process may get the number of one that has ended.
TEST(ProcessIdentityTest, AnotherStartTimeIsAnotherProcess) {
  const std::string identity = process_identity();
  EXPECT_TRUE(has_ended(identity.substr(0, identity.rfind(' ')) + " 1"));
}

TEST(ProcessIdentityTest, NothingIsKnownOfProcessesOfAnotherSystem) {
  const std::string identity = process_identity();
  const std::string foreign = "0123456789abcdef0123456789abcdef" + identity.substr(identity.find(' '));
  for (const std::string& text : {foreign, std::string(), std::string("words of a user")})
    EXPECT_FALSE(has_ended(text)) << text;
}

}  // namespace
}  // namespace warptune::db::claims
