// The store of campaigns in a database of PostgreSQL.
#pragma once

#include <memory>
#include <string>

#include "fleet/fleet_store.h"

namespace warptune::fleet::postgresql {

/// Opens the store in a database. `address` is a connection URI of libpq,
/// `postgresql://USER@HOST/DATABASE?...`
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING). Passwords come from PGPASSFILE,
/// a service file, PGPASSWORD or the URI. Servers on other machines must show a certificate with their name,
/// unless `sslmode` says otherwise. docs/fleet-postgresql.md describes roles and rights.
///
/// Throws `base::InputError` if the address is not a URI, and if the store was not made or has another
/// version. The same is thrown if a password or a certificate is not accepted, or the user may not do what
/// `access` says. Throws `base::MachineError` if the server cannot be reached or libpq is not installed. If a
/// connection is lost, calls connect again.
std::unique_ptr<FleetStore> open_postgresql_store(const std::string& address, Access access);

/// Makes the store's schema and roles in the database, or migrates the schema that is there to the version of
/// this program. Several processes may do this at once. Throws as `open_postgresql_store` does.
std::unique_ptr<FleetStore> make_postgresql_store(const std::string& address);

}  // namespace warptune::fleet::postgresql
