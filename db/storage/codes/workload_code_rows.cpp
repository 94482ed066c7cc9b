#include "db/storage/codes/workload_code_rows.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/checksums.h"
#include "db/storage/row_writer.h"

namespace warptune::db::storage::codes {

namespace {

// One line for each configuration: the digest, a space, and the configuration as compact JSON.
std::string text_of(const std::vector<model::ConfigurationCode>& configurations) {
  std::string text;
  for (const model::ConfigurationCode& one : configurations)
    text += fmt::format("{} {}\n", one.digest, recordings::compact(one.configuration));
  return text;
}

std::vector<model::ConfigurationCode> configurations_in(std::string_view text) {
  std::vector<model::ConfigurationCode> configurations;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.size() == text.size())
      throw base::InputError("the digests of its code cannot be read");
    configurations.push_back(
        {recordings::parse_values(std::string(line.substr(space + 1))), std::string(line.substr(0, space))});
    text.remove_prefix(line.size() + 1);
  }
  return configurations;
}

struct StoredCode {
  model::WorkloadCode code;
  std::int64_t checksum = 0;
};

std::optional<StoredCode> stored_code(Database& database, std::int64_t workload) {
  Statement found = database.prepare(
      "SELECT form, nvrtc_version, reference, configurations, checksum FROM workload_code WHERE id = ?");
  if (!found.bind(workload).step()) return std::nullopt;
  StoredCode stored;
  stored.code.form = found.text();
  stored.code.nvrtc_version = found.small();
  stored.code.reference = found.text();
  stored.code.configurations = configurations_in(found.text());
  stored.checksum = found.integer();
  return stored;
}

bool is_intact(Database& database, std::int64_t workload, const StoredCode& stored) {
  return stored.checksum == checksum_of(workload_checksum(database, workload), stored.code);
}

}  // namespace

std::optional<std::int64_t> find_workload(Database& database, const model::Workload& workload) {
  Statement found = database.prepare(
      "SELECT workload.id FROM kernel JOIN workload ON workload.kernel_id = kernel.id"
      " WHERE kernel.hash = ? AND kernel.name = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ?");
  found.bind(workload.kernel_hash)
      .bind(workload.kernel)
      .bind(recordings::canonical_key(workload.problem))
      .bind(workload.gpu.key())
      .bind(model::to_string(workload.cache));
  if (!found.step()) return std::nullopt;
  return found.integer();
}

void write_code(Database& database, std::int64_t workload, const model::WorkloadCode& code) {
  database
      .prepare(
          "INSERT OR REPLACE INTO workload_code(id, form, nvrtc_version, reference, configurations, checksum)"
          " VALUES(?, ?, ?, ?, ?, ?)")
      .bind(workload)
      .bind(code.form)
      .bind(code.nvrtc_version)
      .bind(code.reference)
      .bind(text_of(code.configurations))
      .bind(checksum_of(workload_checksum(database, workload), code))
      .run();
}

std::optional<model::WorkloadCode> read_code(Database& database, std::int64_t workload) {
  try {
    std::optional<StoredCode> stored = stored_code(database, workload);
    if (!stored || !is_intact(database, workload, *stored)) return std::nullopt;
    return std::move(stored->code);
  } catch (const base::InputError&) {
    return std::nullopt;
  }
}

std::string problem_of_code(Database& database, std::int64_t workload) {
  const std::optional<StoredCode> stored = stored_code(database, workload);
  if (!stored || is_intact(database, workload, *stored)) return "";
  return "the digests of its code do not fit their checksum";
}

}  // namespace warptune::db::storage::codes
