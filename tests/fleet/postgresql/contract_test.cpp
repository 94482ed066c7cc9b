// The store in PostgreSQL does what every store must do.
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

class PostgresqlUnderTest : public StoreUnderTest {
 public:
  std::unique_ptr<FleetStore> connect(Access access) override { return store_.connect(access); }
  void age_leases(std::int64_t ms) override { store_.age_leases(ms); }

 private:
  TestStore store_;
};

std::vector<StoreKind> installed_kinds() {
  if (!server_programs()) return {};
  return {{"Postgresql", [] { return std::make_unique<PostgresqlUnderTest>(); }}};
}
INSTANTIATE_TEST_SUITE_P(Postgresql, StoreContract, ::testing::ValuesIn(installed_kinds()), kind_name);

}  // namespace warptune::fleet::postgresql::testing
