#include "fleet/postgresql/address.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "base/error.h"

namespace warptune::fleet::postgresql::testing {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

TEST(AddressTest, ThePasswordIsNotShown) {
  EXPECT_EQ(postgresql::read_address("postgresql://alice:s3cret@db.example/fleet").shown,
            "postgresql://alice@db.example/fleet");
  EXPECT_EQ(postgresql::read_address("postgresql://alice@db.example:6432/fleet?password=s3cret").shown,
            "postgresql://alice@db.example:6432/fleet");
  EXPECT_EQ(postgresql::read_address("postgres:///fleet?host=/run/postgresql&password=s3cret").shown,
            "postgresql:///fleet?host=/run/postgresql");
  EXPECT_EQ(postgresql::read_address("postgresql://[2001:db8::1]/fleet").shown,
            "postgresql://[2001:db8::1]/fleet");
  EXPECT_EQ(postgresql::read_address("postgresql:///?service=fleet").shown, "postgresql:///?service=fleet");
}

TEST(AddressTest, ATextThatIsNoUriIsRefusedWithoutRepeatingIt) {
  for (const char* text : {"", "host=db password=s3cret", "mysql://alice:s3cret@db/fleet",
                           "postgresql://alice:s3cret@db:port/fleet?no_such_option=s3cret",
                           "postgresql://alice:%s3cret@db/fleet", "postgresql://alice:s3cret@[::1/fleet"}) {
    try {
      postgresql::read_address(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("s3cret")));
      EXPECT_THAT(error.what(), HasSubstr("postgresql://USER@HOST/DATABASE"));
    }
  }
}

TEST(AddressTest, AServerOnAnotherMachineMustShowACertificateWithItsName) {
  const auto parameters = [](const char* uri) { return postgresql::read_address(uri).parameters; };
  const auto verifies = Contains(Pair("sslmode", "verify-full"));
  EXPECT_THAT(parameters("postgresql://db.example/fleet"), verifies);
  EXPECT_THAT(parameters("postgresql://localhost,db.example/fleet"), verifies);
  EXPECT_THAT(parameters("postgresql://localhost/fleet?hostaddr=192.0.2.1"), verifies);
  for (const char* uri :
       {"postgresql:///fleet", "postgresql://localhost/fleet", "postgresql:///fleet?host=/tmp",
        "postgresql://127.0.0.1/fleet", "postgresql://db.example/fleet?sslmode=require",
        "postgresql://db.example/fleet?service=site"})
    EXPECT_THAT(parameters(uri), Not(verifies)) << uri;
  ::setenv("PGSSLMODE", "require", 1);
  EXPECT_THAT(parameters("postgresql://db.example/fleet"), Not(verifies));
  ::unsetenv("PGSSLMODE");
}

}  // namespace warptune::fleet::postgresql::testing
