#include "tuner/nodes/offered_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "db/recording_file.h"
#include "fleet/node.h"
#include "model/encoding/json_fields.h"
#include "profiling/gpu.h"
#include "profiling/roofs/roofs.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/knowledge/renamed_rows.h"

namespace warptune::tuner::nodes {

namespace fs = std::filesystem;

namespace {

std::vector<OfferedGpu> chosen_of(std::vector<OfferedGpu> all, const gpus::DeviceChoice& devices) {
  std::vector<OfferedGpu> chosen;
  for (const int ordinal : devices.resolve(all.size()))
    chosen.push_back(all[static_cast<std::size_t>(ordinal)]);
  return chosen;
}

std::vector<model::RoofReading> readings_of(const model::Roofs& roofs) {
  std::vector<model::RoofReading> readings;
  for (const model::RoofKind& kind : model::measured_roofs()) {
    if (const std::optional<double>& value = roofs.*kind.value) {
      model::RoofReading reading;
      reading.name = kind.name;
      reading.value = *value;
      readings.push_back(std::move(reading));
    }
  }
  return readings;
}

constexpr std::uint64_t kMaxKeptBytes = std::uint64_t{1} << 20;

struct KeptGpus {
  std::vector<fleet::NodeGpu> gpus;
};

template <model::MaybeConst<KeptGpus> Object, class Visit>
void visit_fields(Object& kept, Visit&& visit) {
  visit("gpus", kept.gpus);
}

KeptGpus read_kept(const fs::path& file) {
  KeptGpus kept;
  const std::optional<std::string> text = base::read_own_file(file, kMaxKeptBytes);
  if (!text) return kept;
  try {
    model::encoding::read(model::encoding::json::parse(*text), kept);
  } catch (const std::exception& error) {  // The roofs are measured again.
    base::log_warning(
        fmt::format("{} is damaged and left out: {}", file.string(), model::encoding::json_problem(error)));
    return {};
  }
  return kept;
}

}  // namespace

std::vector<OfferedGpu> local_offer(const gpus::DeviceChoice& devices, const fs::path& kept) {
  const profiling::GpuList list = gpus::list_local_gpus();
  if (list.gpus.empty()) {
    throw base::MachineError(fmt::format("no GPU: {}", list.reason),
                             "run nodes on machines with GPUs, or use --replay to try out campaigns");
  }
  std::vector<OfferedGpu> all;
  for (const model::GpuDescription& gpu : list.gpus) all.push_back({gpu, static_cast<int>(all.size()), {}});
  for (fleet::NodeGpu& known : read_kept(kept).gpus) {
    for (OfferedGpu& one : all)
      if (one.ordinal == known.ordinal && one.gpu.key() == known.gpu.key())
        one.roofs = std::move(known.roofs);
  }
  return chosen_of(std::move(all), devices);
}

void keep_roofs(const fs::path& kept, const std::vector<OfferedGpu>& gpus) {
  KeptGpus all;
  for (const OfferedGpu& one : gpus) all.gpus.push_back({one.gpu, one.roofs, one.ordinal});
  if (base::replace_file(kept, model::encoding::json_of(all).dump(), 0600)) return;
  throw base::MachineError(
      fmt::format("cannot write {}: {}", kept.string(), std::generic_category().message(errno)),
      "free some space in the folder of --state");
}

std::vector<model::RoofReading> measure_roofs_of(const OfferedGpu& gpu, const fs::path& compile_cache) {
  gpus::LocalGpus local;
  profiling::roofs::RoofMeasurements measured =
      gpus::measure_roofs(local, gpu.gpu, gpu.ordinal, compile_cache);
  for (const std::string& problem : measured.problems)
    base::log_warning(fmt::format("GPU {}: {}", gpu.ordinal, problem));
  return std::move(measured.readings);
}

RecordedOffer::RecordedOffer(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; each != end; each.increment(error)) {
    if (each->path().filename().string().ends_with(".wtrec.zst")) files.push_back(each->path());
  }
  if (files.empty())
    throw base::InputError(fmt::format("--replay {}: there is no recording in this folder", folder.string()));
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    // A task uses the present names of problem entries, but a recording may be from before a renaming.
    model::Recording recording = knowledge::with_present_names(db::read_recording(file));
    recorded_.push_back({file, std::move(recording.workload), recording.roofs});
  }
}

std::vector<OfferedGpu> RecordedOffer::gpus(const gpus::DeviceChoice& devices) const {
  std::vector<OfferedGpu> all;
  for (const Recorded& one : recorded_) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const OfferedGpu& other) {
      return other.gpu.key() == one.workload.gpu.key();
    });
    if (!known) all.push_back({one.workload.gpu, static_cast<int>(all.size()), readings_of(one.roofs)});
  }
  return chosen_of(std::move(all), devices);
}

const RecordedOffer::Recorded* RecordedOffer::find(const std::string& kernel,
                                                   const model::NamedValues& problem,
                                                   const model::GpuDescription& gpu,
                                                   model::CacheState cache) const {
  for (const Recorded& one : recorded_) {
    const model::Workload& workload = one.workload;
    if (workload.kernel == kernel && workload.cache == cache && workload.gpu.key() == gpu.key() &&
        model::key_of(workload.problem) == model::key_of(problem))
      return &one;
  }
  return nullptr;
}

}  // namespace warptune::tuner::nodes
