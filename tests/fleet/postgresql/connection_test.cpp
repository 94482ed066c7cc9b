#include "fleet/postgresql/connection.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>

#include "base/error.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"

namespace warptune::fleet::postgresql::testing {

using ::testing::HasSubstr;
using ::testing::Not;

class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override { REQUIRE_SERVER(); }
  TestServer& server() { return shared_server(); }
  std::string uri() { return server().uri("postgres", "postgres"); }
};

pid_t backend_of(postgresql::Connection& connection) {
  return static_cast<pid_t>(connection.call("SELECT pg_backend_pid()").integer(0, 0));
}

// The sentence of a failed action on a machine.
template <class Action>
std::string failure_of(Action&& action) {
  try {
    action();
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "nothing failed";
}

TEST_F(ConnectionTest, ParametersAndRowsKeepAllBytes) {
  postgresql::Connection connection(uri());
  const std::string bytes("a\0b\xff'\\", 6);
  const postgresql::Rows rows = connection.call("SELECT $1::bytea", {postgresql::Parameter::binary(bytes)},
                                                postgresql::Format::kBinary);
  EXPECT_EQ(rows.text(0, 0), bytes);
  const postgresql::Rows texts = connection.call(
      "SELECT $1::text, $2::bigint + 1, $3::boolean, $4::text",
      {postgresql::Parameter("'; DROP"), postgresql::Parameter(std::uint64_t{41}),
       postgresql::Parameter(true), postgresql::Parameter(std::optional<std::string_view>())});
  EXPECT_EQ(texts.text(0, 0), "'; DROP");
  EXPECT_EQ(texts.integer(0, 1), 42);
  EXPECT_TRUE(texts.truth(0, 2));
  EXPECT_TRUE(texts.is_null(0, 3));
}

TEST_F(ConnectionTest, ALargeParameterIsSentWhileTheServerAnswers) {
  postgresql::Connection connection(uri());
  const std::string bytes(30'000'000, '\x7f');
  EXPECT_EQ(connection.call("SELECT length($1::bytea)", {postgresql::Parameter::binary(bytes)}).count(0, 0),
            bytes.size());
}

TEST_F(ConnectionTest, ACallAfterARestartOfTheServerSucceeds) {
  postgresql::Connection connection(uri());
  const pid_t before = backend_of(connection);
  server().stop();
  server().start();
  EXPECT_NE(backend_of(connection), before);
}

TEST_F(ConnectionTest, ABackendThatWasKilledIsReplaced) {
  postgresql::Connection connection(uri());
  const pid_t before = backend_of(connection);
  server().value("postgres", "SELECT pg_terminate_backend(" + std::to_string(before) + ", 1000)");
  EXPECT_NE(backend_of(connection), before);
}

TEST_F(ConnectionTest, AServerThatIsAwayIsReportedAndFoundAgain) {
  postgresql::Connection connection(uri());
  server().stop();
  for (int i = 0; i < 2; ++i) {
    const std::string failure = failure_of([&] { connection.call("SELECT 1"); });
    EXPECT_THAT(failure, HasSubstr(connection.address() + ": the store cannot be reached: "));
  }
  server().start();
  EXPECT_EQ(connection.call("SELECT 1").integer(0, 0), 1);
}

TEST_F(ConnectionTest, AServerThatDoesNotAnswerIsGivenUp) {
  postgresql::Connection connection(uri(), std::chrono::milliseconds(300));
  const pid_t backend = backend_of(connection);
  ::kill(backend, SIGSTOP);
  EXPECT_THAT(failure_of([&] { connection.call("SELECT 1"); }), HasSubstr("the store does not answer"));
  ::kill(backend, SIGCONT);
  EXPECT_EQ(connection.call("SELECT 1").integer(0, 0), 1);
}

TEST_F(ConnectionTest, ATransactionThatIsNotCommittedDoesNothing) {
  postgresql::Connection connection(uri());
  {
    postgresql::Connection::Transaction transaction(connection);
    transaction.run_script("CREATE TABLE kept_by_mistake (x int); INSERT INTO kept_by_mistake VALUES (1)");
    EXPECT_THROW(transaction.run_script("SELECT 1; SELECT 1 / 0; SELECT 2"), base::MachineError);
  }
  EXPECT_EQ(connection.call("SELECT to_regclass('kept_by_mistake') IS NULL").truth(0, 0), true);
}

TEST_F(ConnectionTest, AWrongDatabaseOrUserIsAnErrorOfTheInput) {
  EXPECT_THROW(postgresql::Connection(server().uri("no_such_database", "postgres")), base::InputError);
  EXPECT_THROW(postgresql::Connection(server().uri("postgres", "no_such_user")), base::InputError);
}

}  // namespace warptune::fleet::postgresql::testing
