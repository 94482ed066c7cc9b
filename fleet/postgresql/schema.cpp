#include "fleet/postgresql/schema.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "fleet/postgresql/schema_texts.h"
#include "fleet/task_record.h"

namespace warptune::fleet::postgresql {

namespace {

// Roles belong to all databases of the server. The user becomes a member of warptune_administrator, which
// owns everything in the schema, so that any administrator can migrate it.
constexpr const char* kRoles = R"(
DO $$
DECLARE
  wanted name;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['warptune_reader', 'warptune_node', 'warptune_administrator'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        IF wanted = 'warptune_node' THEN
          GRANT warptune_reader TO warptune_node;
        ELSIF wanted = 'warptune_administrator' THEN
          GRANT warptune_node TO warptune_administrator;
        END IF;
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;  -- Made for another database of the server at the same time.
    END;
  END LOOP;
  IF NOT pg_has_role(session_user, 'warptune_administrator', 'USAGE') THEN
    EXECUTE format('GRANT warptune_administrator TO %I', session_user);
  END IF;
END $$;)";

// Policies need may_use, so it stays.
constexpr const char* kDropFunctions = R"(
DO $$
DECLARE
  old regprocedure;
BEGIN
  FOR old IN SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
             WHERE n.nspname = 'warptune' AND p.proname <> 'may_use' LOOP
    EXECUTE 'DROP FUNCTION ' || old;
  END LOOP;
END $$;)";

std::string with_constants(std::string_view functions) {
  const std::array<std::pair<std::string_view, std::int64_t>, 3> constants{
      {{"@lease_ms@", kLeaseMs},
       {"@quarantine_losses@", kQuarantineLosses},
       {"@quarantine_nodes@", kQuarantineNodes}}};
  std::string text(functions);
  for (const auto& [name, value] : constants) {
    const std::string digits = std::to_string(value);
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + digits.size()))
      text.replace(at, name.size(), digits);
  }
  return text;
}

void throw_newer(const Connection& connection, std::uint64_t version, std::uint64_t newest) {
  throw base::InputError(fmt::format(
      "{}: the store has version {}, and this program knows versions up to {}; use a newer warptune",
      connection.address(), version, newest));
}

std::string_view role_of(Access access) {
  switch (access) {
    case Access::kAdministrator:
      return "warptune_administrator";
    case Access::kNode:
      return "warptune_node";
    case Access::kReader:
      break;
  }
  return "warptune_reader";
}

}  // namespace

Schema this_schema() {
  static constexpr std::array<std::string_view, 2> kSteps{kSchema1, kSchema2};
  return {kSteps, kFunctions};
}

void make_schema(Connection& connection, const Schema& schema) {
  Connection::Transaction transaction(connection);
  transaction.run_script("SELECT pg_advisory_xact_lock(hashtext('warptune'))");
  const bool is_there = transaction.run("SELECT to_regclass('warptune.store') IS NOT NULL").truth(0, 0);
  std::uint64_t version = 0;
  if (is_there) {
    version = transaction.run("SELECT version FROM warptune.store").count(0, 0);
  } else {
    transaction.run_script(kRoles);
    transaction.run_script("CREATE SCHEMA IF NOT EXISTS warptune AUTHORIZATION warptune_administrator");
  }
  if (version > schema.steps.size()) throw_newer(connection, version, schema.steps.size());
  transaction.run_script("SET LOCAL ROLE warptune_administrator");
  if (version < schema.steps.size()) {
    for (const std::string_view step : schema.steps.subspan(version))
      transaction.run_script(std::string(step));
    transaction.run_script(kDropFunctions);
    transaction.run_script(with_constants(schema.functions));
    if (!is_there) transaction.run_script("INSERT INTO warptune.store VALUES (0)");
    transaction.run("UPDATE warptune.store SET version = $1::integer",
                    {Parameter(static_cast<std::uint64_t>(schema.steps.size()))});
  }
  transaction.run_script("SELECT warptune.adopt_restored_batches()");
  transaction.commit();
}

void require_schema(Connection& connection, const Schema& schema) {
  const Rows rows = connection.call("SELECT to_regclass('warptune.store') IS NOT NULL");
  if (!rows.truth(0, 0))
    throw base::InputError(
        fmt::format("{}: the database has no store of campaigns; `warptune campaign init` makes one",
                    connection.address()));
  const std::uint64_t version = connection.call("SELECT version FROM warptune.store").count(0, 0);
  if (version > schema.steps.size()) throw_newer(connection, version, schema.steps.size());
  if (version < schema.steps.size())
    throw base::InputError(
        fmt::format("{}: the store has version {}, and this program needs version {}; `warptune campaign "
                    "init` migrates it",
                    connection.address(), version, schema.steps.size()));
}

void require_role(Connection& connection, Access access) {
  const std::string role(role_of(access));
  if (!connection.call("SELECT pg_has_role(session_user, $1::name, 'USAGE')", {Parameter(role)}).truth(0, 0))
    throw base::InputError(
        fmt::format("{}: the user {} is not a member of {}; an administrator runs: GRANT {} TO \"{}\"",
                    connection.address(), connection.user(), role, role, connection.user()));
}

}  // namespace warptune::fleet::postgresql
