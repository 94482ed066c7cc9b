#include "fleet/postgresql/server_errors.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace warptune::fleet::postgresql::testing {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServerErrorsTest, AServerThatIsAwayIsAnErrorOfTheMachine) {
  for (const char* text :
       {"connection to server on socket \"/tmp/.s.PGSQL.5432\" failed: No such file or directory\n\tIs the "
        "server running "
        "locally and accepting connections on that socket?\n",
        "connection to server at \"db\" (192.0.2.1), port 5432 failed: Connection refused\n",
        "connection to server at \"db\", port 5432 failed: FATAL:  sorry, too many clients already\n",
        "could not translate host name \"db\" to address: Name or service not known\n"}) {
    try {
      postgresql::throw_connection_error("postgresql://db/fleet", text);
    } catch (const base::MachineError& error) {
      EXPECT_THAT(error.what(), HasSubstr("postgresql://db/fleet: the store cannot be reached: "));
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      EXPECT_THAT(error.what(), Not(HasSubstr("FATAL")));
    }
  }
}

TEST(ServerErrorsTest, TheLastOfSeveralServersGivesTheReason) {
  try {
    postgresql::throw_connection_error(
        "postgresql://a,b/fleet",
        "connection to server at \"a\", port 5432 failed: Connection refused\n\tIs the "
        "server running on that host?\nconnection to server at \"b\", port 5432 failed: "
        "FATAL:  password authentication failed for user \"alice\"\n");
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "postgresql://a,b/fleet: no connection: password authentication failed for user \"alice\"; "
                 "check the user "
                 "and the password in PGPASSFILE (~/.pgpass)");
  }
}

// With hostssl rules and without sslmode, libpq tries again without TLS.
TEST(ServerErrorsTest, AFurtherAttemptWithoutTlsDoesNotHideTheReason) {
  const std::string server = "connection to server at \"db\" (192.0.2.1), port 5432 failed: FATAL:  ";
  const std::string plain =
      server + "no pg_hba.conf entry for host \"192.0.2.7\", user \"a\", database \"f\", no encryption\n";
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      postgresql::throw_connection_error("postgresql://db/f", text);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "no InputError";
  };
  EXPECT_EQ(message_of(server + "password authentication failed for user \"a\"\n" + plain),
            "postgresql://db/f: no connection: password authentication failed for user \"a\"; check the user "
            "and the password in PGPASSFILE (~/.pgpass)");
  EXPECT_THAT(message_of(plain), HasSubstr("no pg_hba.conf entry"));
}

TEST(ServerErrorsTest, TheCodeOfAStatementSaysWhoMustMendIt) {
  const auto throws = [](const char* code) {
    postgresql::throw_statement_error("postgresql:///x", code, "reason");
  };
  for (const char* code : {"WT001", "42501", "42P01", "3F000", "42883"})
    EXPECT_THROW(throws(code), base::InputError) << code;
  for (const char* code : {"53100", "53300", "57014", "25006", "XX000"})
    EXPECT_THROW(throws(code), base::MachineError) << code;
  EXPECT_TRUE(postgresql::needs_new_connection("57P01"));
  EXPECT_FALSE(postgresql::needs_new_connection("57014"));
  EXPECT_TRUE(postgresql::is_conflict("40P01"));
  EXPECT_FALSE(postgresql::is_conflict("23505"));
}

}  // namespace warptune::fleet::postgresql::testing
