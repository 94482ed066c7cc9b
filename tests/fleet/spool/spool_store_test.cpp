#include "fleet/spool/spool_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fleet/spool/spool_under_test.h"

namespace warptune::fleet::spool {

using testing::kind_name;
using testing::StoreContract;
using testing::StoreKind;

INSTANTIATE_TEST_SUITE_P(Spool, StoreContract,
                         ::testing::Values(StoreKind{"spool",
                                                     [] { return std::make_unique<SpoolUnderTest>(); }}),
                         kind_name);

}  // namespace warptune::fleet::spool
