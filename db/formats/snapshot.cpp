// Writes snapshots, and reads their rows. The first line is "warptune-snapshot VERSION HASH". Each further
// line is the hash of a kernel's name, a blank, and a JSON object with its winners. A reader therefore finds
// a kernel's winners without parsing those of others.
#include "db/formats/snapshot.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "db/confirmation.h"
#include "db/formats/exported_winners.h"
#include "db/formats/format_list.h"
#include "db/recordings/values_json.h"
#include "db/winner_snapshot.h"
#include "model/own_metrics.h"

namespace warptune::db::formats {

namespace {

using recordings::Json;

Json winner_to_json(const Winner& winner) {
  const model::ResourceUse& use = winner.best.resources;
  const std::optional<double> default_ns =
      winner.default_measurement ? model::median_ns_of(*winner.default_measurement) : std::nullopt;
  return {{"problem", recordings::to_json(winner.workload.problem)},
          {"gpu", recordings::to_json(winner.workload.gpu)},
          {"cache", std::string(model::to_string(winner.workload.cache))},
          {"configuration", recordings::to_json(winner.best.configuration)},
          {"median_ns", winner.best.time->median_ns},
          {"default_median_ns", recordings::finite_or_null(default_ns)},
          {"registers_per_thread", use.registers_per_thread},
          {"threads_per_block", use.threads_per_block},
          {"static_shared_bytes", use.static_shared_bytes},
          {"dynamic_shared_bytes", use.dynamic_shared_bytes},
          {"replayed", winner.best.source == model::RowSource::kReplayed},
          {"imported", winner.best.source == model::RowSource::kImported},
          {model::own_metric::kVerifiedLaunches,
           recordings::finite_or_null(db::confirming_launches(winner.best))},
          {"session", winner.session_id}};
}

Winner winner_from_json(const Json& json, const std::string& kernel, const std::string& kernel_hash) {
  Winner winner;
  const std::string cache = recordings::text_member(json, "cache");
  const std::optional<model::CacheState> state = model::parse_cache_state(cache);
  if (!state) throw base::InputError(fmt::format("cache: expected cold, warm or unknown, found '{}'", cache));
  winner.workload = {kernel, kernel_hash, recordings::values_from_json(recordings::member(json, "problem")),
                     recordings::gpu_from_json(recordings::member(json, "gpu")), *state};
  winner.best.configuration = recordings::values_from_json(recordings::member(json, "configuration"));
  winner.best.status = model::Status::kMeasured;
  winner.best.time = model::TimeSummary{recordings::real_member(json, "median_ns")};
  if (const Json& default_median = recordings::member(json, "default_median_ns"); !default_median.is_null()) {
    winner.default_measurement.emplace();
    winner.default_measurement->status = model::Status::kMeasured;
    winner.default_measurement->time = model::TimeSummary{recordings::real_member(json, "default_median_ns")};
  }
  model::ResourceUse& use = winner.best.resources;
  use.registers_per_thread = recordings::integer_member(json, "registers_per_thread");
  use.threads_per_block = recordings::integer_member(json, "threads_per_block");
  use.static_shared_bytes = recordings::integer_member(json, "static_shared_bytes");
  use.dynamic_shared_bytes = recordings::integer_member(json, "dynamic_shared_bytes");
  if (recordings::boolean_member(json, "replayed")) winner.best.source = model::RowSource::kReplayed;
  // Snapshots of earlier versions have no imported rows, and lack the member.
  if (json.contains("imported") && recordings::boolean_member(json, "imported"))
    winner.best.source = model::RowSource::kImported;
  // Snapshots of earlier versions do not have this member. Their rows count as not confirmed.
  if (json.contains(model::own_metric::kVerifiedLaunches) &&
      !json.at(model::own_metric::kVerifiedLaunches).is_null())
    winner.best.counters[model::own_metric::kVerifiedLaunches] =
        recordings::real_member(json, model::own_metric::kVerifiedLaunches);
  winner.session_id = recordings::integer_member(json, "session");
  return winner;
}

std::string write_snapshot(const std::vector<ExportInput>& kernels) {
  std::string rows;
  for (const ExportInput& kernel : kernels) {
    Json winners = Json::array();
    for (const Winner* winner : exportable(kernel)) winners.push_back(winner_to_json(*winner));
    const Json line = {{"kernel", kernel.kernel}, {"hash", kernel.kernel_hash}, {"winners", winners}};
    rows += fmt::format("{} {}\n", base::hash_hex(kernel.kernel), recordings::compact(line));
  }
  return fmt::format("{} {} {}\n{}", kSnapshotMark, WinnerSnapshot::kVersion, base::hash_hex(rows), rows);
}

}  // namespace

std::vector<Winner> read_snapshot_line(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos)
    throw base::InputError("expected the hash of a kernel's name and its winners, found less");
  Json json;
  try {
    json = recordings::parse_json(line.substr(blank + 1));
  } catch (const Json::exception&) {
    throw base::InputError(fmt::format("expected JSON after {}", line.substr(0, blank)));
  }
  const std::string kernel = recordings::text_member(json, "kernel");
  const std::string hash = recordings::text_member(json, "hash");
  std::vector<Winner> winners;
  for (const Json& winner : recordings::array_member(json, "winners"))
    winners.push_back(winner_from_json(winner, kernel, hash));
  return winners;
}

ExportFormat snapshot_format() {
  return {"snapshot", "the winners with a hash, for libwarptune", write_snapshot};
}

}  // namespace warptune::db::formats
