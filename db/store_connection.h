#pragma once

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db {

struct Store::Connection {
  mutable storage::Database database;
};

}  // namespace warptune::db
