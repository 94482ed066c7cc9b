#pragma once

#include <gtest/gtest.h>

#include "tests/fleet/postgresql/test_server.h"

/// Skips a test where no server is installed.
#define REQUIRE_SERVER()                                          \
  if (!::warptune::fleet::postgresql::testing::server_programs()) \
  GTEST_SKIP() << "PostgreSQL's server is not installed (scripts/setup checks)"
