#pragma once

#include "db/detail/sqlite.h"
#include "db/store.h"

namespace warptune::db {

struct Store::Connection {
  mutable detail::Database database;
};

}  // namespace warptune::db
