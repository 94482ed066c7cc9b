// TLS, passwords and certificates against a server that has certificates of its own.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/certificates.h"
#include "tests/fleet/postgresql/ordinary_user.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRules = R"(local all postgres trust
hostssl all certified 127.0.0.1/32 cert
hostssl all all 127.0.0.1/32 scram-sha-256
)";

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("there is no free port");
  ::close(socket);
  return ntohs(address.sin_port);
}

class EncryptionTest : public ::testing::Test {
 protected:
  // One server for all tests of the suite.
  struct Site {
    tests::TemporaryFolder folder;
    Certificates authority;
    Certificates other_authority;
    int port = free_port();
    std::unique_ptr<TestServer> server;

    Site() : authority(prepared(folder) / "authority"), other_authority(folder / "other") {
      authority.make("server", "localhost");
      authority.make("expired", "localhost", true);
      authority.make("client", "certified");
      authority.make("expired-client", "certified", true);
      authority.make("wrong-client", "somebody");
      other_authority.make("stranger", "certified");
      for (const char* name : {"client", "expired-client", "wrong-client"}) own(authority, name);
      own(other_authority, "stranger");
      use("server");
      server = std::make_unique<TestServer>(ServerOptions{
          {"ssl = on", setting("ssl_cert_file", "used.crt"), setting("ssl_key_file", "used.key"),
           setting("ssl_ca_file", "authority/authority.crt"), "listen_addresses = '127.0.0.1'"},
          port,
          kRules});
      prepare();
    }
    static fs::path prepared(const tests::TemporaryFolder& folder) {
      give_to_ordinary_user(folder.path());
      return folder.path();
    }
    // libpq refuses the key of another user.
    static void own(const Certificates& certificates, const std::string& name) {
      if (::chown(certificates.file(name + ".key").c_str(), ::geteuid(), ::getegid()) != 0)
        throw std::runtime_error("cannot take a key");
    }
    std::string setting(const std::string& name, const std::string& file) const {
      return fmt::format("{} = '{}'", name, (folder / file).string());
    }
    // The certificate that the server shows.
    void use(const std::string& name) const {
      for (const char* kind : {".crt", ".key"}) {
        fs::remove(folder / (std::string("used") + kind));
        fs::copy(authority.file(name + kind), folder / (std::string("used") + kind));
        give_to_ordinary_user(folder / (std::string("used") + kind));
      }
    }
    void prepare() const {
      const std::string socket = server->uri("postgres", "postgres");
      postgresql::make_postgresql_store(socket);
      postgresql::Connection connection(socket);
      for (const char* statement :
           {"CREATE ROLE alice LOGIN PASSWORD 'open sesame'", "GRANT warptune_node TO alice",
            "CREATE ROLE certified LOGIN", "GRANT warptune_node TO certified"})
        connection.call(statement);
    }
  };

  static void SetUpTestSuite() {
    if (server_programs()) site_ = new Site();
  }
  static void TearDownTestSuite() {
    delete site_;
    site_ = nullptr;
  }
  void SetUp() override { REQUIRE_SERVER(); }

  static const Site& site() { return *site_; }
  static std::string file(const std::string& name) { return (site().folder / name).string(); }
  // An address with options such as `&sslcert=...`.
  static std::string uri(const std::string& user, const std::string& options = "",
                         const std::string& host = "localhost") {
    return fmt::format(
        "postgresql://{}@{}:{}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={}{}", user, host,
        site().port, file("authority/authority.crt"), options);
  }
  static std::string client(const std::string& name, const std::string& authority = "authority") {
    return fmt::format("&sslcert={0}.crt&sslkey={0}.key", file(authority + "/" + name));
  }
  static void open(const std::string& address) {
    EXPECT_TRUE(postgresql::open_postgresql_store(address, Access::kNode)->campaigns().empty());
  }
  // The sentence with which a connection is refused.
  static std::string refusal_of(const std::string& address) {
    try {
      open(address);
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      EXPECT_THAT(error.what(), Not(HasSubstr("sesame")));
      EXPECT_THAT(error.what(), HasSubstr("/postgres: no connection: "));
      return error.what();
    }
    return "the connection was accepted";
  }

 private:
  inline static Site* site_ = nullptr;
};

TEST_F(EncryptionTest, APasswordIsReadFromAFile) {
  std::ofstream(file("passwords")) << "*:*:*:alice:open sesame\n";
  fs::permissions(file("passwords"), fs::perms::owner_read);
  const auto store =
      postgresql::open_postgresql_store(uri("alice", "&passfile=" + file("passwords")), Access::kNode);
  EXPECT_EQ(store->address(), fmt::format("postgresql://alice@localhost:{}/postgres", site().port));
  open(uri("alice:open%20sesame"));
}

TEST_F(EncryptionTest, AWrongPasswordIsRefused) {
  EXPECT_THAT(refusal_of(uri("alice:wrong%20sesame")),
              HasSubstr("password authentication failed for user \"alice\""));
  EXPECT_THAT(refusal_of(uri("alice", "&passfile=/dev/null")), HasSubstr("no password supplied"));
}

TEST_F(EncryptionTest, AServerOfAnotherAuthorityIsRefused) {
  EXPECT_THAT(refusal_of(uri("alice:open%20sesame", "&sslrootcert=" + file("other/authority.crt"))),
              HasSubstr("certificate verify failed"));
  EXPECT_THAT(refusal_of(uri("alice:open%20sesame", "&sslrootcert=/no/such/file")),
              HasSubstr("root certificate file \"/no/such/file\" does not exist"));
}

TEST_F(EncryptionTest, AServerOfAnotherNameIsRefused) {
  EXPECT_THAT(refusal_of(uri("alice:open%20sesame", "", "db.example")),
              HasSubstr("server certificate for \"localhost\" does not match host name \"db.example\""));
}

TEST_F(EncryptionTest, AnExpiredCertificateOfTheServerIsRefused) {
  site().use("expired");
  site().server->stop();
  TestServer& server = *site().server;
  const auto start = [&] {
    try {
      server.start();
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  };
  start();
  const std::string refusal = refusal_of(uri("alice:open%20sesame"));
  site().use("server");
  server.stop();
  start();
  EXPECT_THAT(refusal, HasSubstr("the server's certificate has expired, or"));
  open(uri("alice:open%20sesame"));
}

TEST_F(EncryptionTest, AClientShowsACertificate) {
  open(uri("certified", client("client")));
  EXPECT_THAT(refusal_of(uri("certified", "&sslcert=/no/such/file")), HasSubstr("certificate"));
  EXPECT_THAT(refusal_of(uri("certified", client("wrong-client"))),
              HasSubstr("certificate authentication failed"));
  EXPECT_THAT(refusal_of(uri("certified", client("expired-client"))), HasSubstr("certificate expired"));
  EXPECT_THAT(refusal_of(uri("certified", client("stranger", "other"))), HasSubstr("unknown ca"));
}

// Without sslmode, libpq tries again without TLS, which the rules of the server do not allow.
TEST_F(EncryptionTest, AWrongPasswordIsSaidAlsoWithoutSslmode) {
  const std::string address =
      fmt::format("postgresql://alice:wrong@localhost:{}/postgres?hostaddr=127.0.0.1", site().port);
  EXPECT_THAT(refusal_of(address), HasSubstr("password authentication failed"));
}

TEST_F(EncryptionTest, AConnectionWithoutTlsIsRefused) {
  const std::string address =
      fmt::format("postgresql://alice@localhost:{}/postgres?hostaddr=127.0.0.1&sslmode=disable", site().port);
  EXPECT_THAT(refusal_of(address), HasSubstr("no pg_hba.conf entry"));
}

}  // namespace warptune::fleet::postgresql::testing
