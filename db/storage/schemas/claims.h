#pragma once

namespace warptune::db::storage::schemas {

/// Version 12 of the schema: sessions that search the same at the same time claim configurations, so that
/// each is evaluated once (`db/claims/claims.h`). These rows last only as long as their session. Neither a
/// merge nor a backup takes them.
inline constexpr const char* kVersion12 = R"sql(
CREATE TABLE claimant(
  id INTEGER PRIMARY KEY, scope TEXT NOT NULL, process TEXT NOT NULL, publishes INTEGER NOT NULL,
  renewals INTEGER NOT NULL) STRICT;
CREATE TABLE claim(
  scope TEXT NOT NULL, configuration TEXT NOT NULL,
  claimant_id INTEGER NOT NULL REFERENCES claimant ON DELETE CASCADE,
  PRIMARY KEY(scope, configuration)) STRICT, WITHOUT ROWID;
CREATE INDEX claim_by_claimant ON claim(claimant_id);
)sql";

}  // namespace warptune::db::storage::schemas
