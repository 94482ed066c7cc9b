// The schema `warptune` in a database: made, migrated and compared.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fleet/fleet_store.h"
#include "fleet/postgresql/connection.h"

namespace warptune::fleet::postgresql {

/// A schema: the steps that lead from each version to the next one, and the functions of the newest version.
struct Schema {
  std::span<const std::string_view> steps;  ///< The step at index i leads from version i to version i + 1.
  std::string_view functions;
};
/// The schema of this program.
Schema this_schema();

/// Makes the roles and the schema, or brings the schema to the newest version, in one transaction. Several
/// clients may do this at once. Throws `base::InputError` if the user may not, or if the schema there is
/// newer.
void make_schema(Connection& connection, const Schema& schema);

/// Throws `base::InputError` unless the database has the newest version of the schema.
void require_schema(Connection& connection, const Schema& schema);
/// Throws `base::InputError` unless the user is a member of the role that the access needs.
void require_role(Connection& connection, Access access);

}  // namespace warptune::fleet::postgresql
