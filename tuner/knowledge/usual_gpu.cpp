#include "tuner/knowledge/usual_gpu.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "db/store.h"
#include "tuner/knowledge/database_path.h"

namespace warptune::tuner::knowledge {

namespace {

std::vector<model::GpuDescription> gpus_of_database(const std::optional<std::filesystem::path>& named) {
  try {
    const std::filesystem::path path = database_path(named);
    if (db::Store::exists(path)) return db::Store::open_existing(path).gpus();
  } catch (const base::Error& error) {
    base::log_debug(fmt::format("no GPU is known from the database: {}", error.what()));
  }
  return {};
}

}  // namespace

model::GpuDescription usual_gpu(const gpus::GpuLister& list_gpus, const gpus::GpuRecogniser& recognise,
                                const std::optional<std::filesystem::path>& database) {
  const std::vector<model::GpuDescription> known = gpus_of_database(database);
  if (!known.empty()) {
    if (const std::optional<model::GpuDescription> here = recognise(known)) return *here;
  }
  const profiling::GpuList list = list_gpus();
  return list.gpus.empty() ? model::fictional_gpu() : list.gpus.front();
}

}  // namespace warptune::tuner::knowledge
