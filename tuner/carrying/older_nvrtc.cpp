#include "tuner/carrying/older_nvrtc.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "kernel_templates/compiler.h"
#include "tuner/carrying/reference_choice.h"

namespace warptune::tuner::carrying {

OlderNvrtc rows_of_older_nvrtc(const db::Store& store, const model::Workload& workload) {
  const int present = kernel_templates::remembered_nvrtc_version();
  OlderNvrtc older;
  std::map<std::int64_t, int> versions;  // By the session.
  for (const db::StoredMeasurement& row : store.uncounted_measurements(workload)) {
    if (row.measurement.source != model::RowSource::kMeasured || !has_time(row.measurement)) continue;
    const auto [known, is_new] = versions.try_emplace(row.session_id, 0);
    if (is_new) {
      if (const std::optional<db::Session> session = store.session(row.session_id))
        known->second = session->environment.nvrtc_version;
    }
    const int version = known->second;
    if (version == 0 || version >= present) continue;  // 0: an earlier warptune did not store it.
    older.add({1, version});
  }
  return older;
}

void OlderNvrtc::add(const OlderNvrtc& other) {
  if (other.rows == 0) return;
  oldest = rows == 0 ? other.oldest : std::min(oldest, other.oldest);
  rows += other.rows;
}

std::string older_nvrtc_text(const OlderNvrtc& older) {
  if (older.rows == 0) return "";
  return fmt::format(
      "; {} made with code of an older NVRTC (from {} on), and this machine has {}: `warptune recheck` says "
      "whether the best still holds",
      base::counted(older.rows, "measurement was", "measurements were"),
      model::cuda_version_text(older.oldest),
      model::cuda_version_text(kernel_templates::remembered_nvrtc_version()));
}

}  // namespace warptune::tuner::carrying
