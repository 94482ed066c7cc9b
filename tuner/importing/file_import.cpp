#include "tuner/importing/file_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "db/row_import.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/gpus/described_gpu.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/importing/fitted_rows.h"
#include "tuner/knowledge/renamed_rows.h"

namespace warptune::tuner::importing {

namespace fs = std::filesystem;

namespace {

using model::GpuDescription;

// Rows that are ready to be stored.
struct ReadyRows {
  model::Recording recording;
  ImportedRows report;
};

[[noreturn]] void refuse(const fs::path& file, const std::string& text) {
  throw base::InputError(text, {file.string(), 0, 0});
}

std::vector<GpuDescription> known_gpus(const fs::path& database) {
  if (!db::Store::exists(database)) return {};
  return gpus::distinct_gpus(db::Store::open_existing(database));
}

// The GPU that `--gpu` names, or the GPU of the database with exactly the name that the file gives.
GpuDescription gpu_of(const model::Recording& rows, const ImportRequest& request,
                      const std::vector<GpuDescription>& known, const fs::path& file) {
  const std::string& name = rows.workload.gpu.name;
  if (request.gpu) {
    GpuDescription gpu = gpus::wanted_gpu(*request.gpu, known).gpu;
    const bool is_described = std::none_of(known.begin(), known.end(),
                                           [&](const GpuDescription& one) { return one.key() == gpu.key(); });
    if (is_described && !name.empty()) gpu.name = name;
    return gpu;
  }
  const auto found = std::find_if(known.begin(), known.end(), [&](const GpuDescription& gpu) {
    return !name.empty() && base::lower_case(gpu.name) == base::lower_case(name);
  });
  if (found != known.end()) return *found;
  refuse(file,
         fmt::format("{}; --gpu NAME|cc=80,sms=108 says which GPU is meant",
                     name.empty() ? "the file does not name its GPU"
                                  : fmt::format("the database does not know the file's GPU, {}", name)));
}

// A size that nobody gives would silently be the definition's default.
void require_sizes(const kernel_templates::KernelDefinition& definition, const model::Recording& rows,
                   const ImportRequest& request, const fs::path& file) {
  std::vector<std::string> missing;
  for (const auto& [name, value] : definition.problem) {
    if (model::to_number(value) && model::find(request.sizes, name) == nullptr) missing.push_back(name);
  }
  if (missing.empty()) return;
  const model::NamedValues& problem = rows.workload.problem;
  refuse(file, fmt::format("the file does not give {} of the kernel {}{}; --size NAME=VALUE gives a size",
                           fmt::join(missing, ", "), definition.name,
                           problem.empty() ? "" : fmt::format(" (it says {})", model::to_text(problem))));
}

ReadyRows foreign_rows(const model::Recording& rows, const ImportRequest& request,
                       const std::vector<GpuDescription>& known, const fs::path& file) {
  if (!request.kernel) {
    const std::string& name = rows.workload.kernel;
    refuse(file,
           fmt::format("{}; --kernel KERNEL names the definition that its rows belong to",
                       name.empty() ? "the file does not name its kernel"
                                    : fmt::format("the file's kernel, {}, may be any of this name", name)));
  }
  kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(*request.kernel, request.permissions);
  require_sizes(definition, rows, request, file);
  const kernel_templates::KernelInstance instance(std::move(definition), request.sizes,
                                                  gpu_of(rows, request, known, file));
  FittedRows fitted = fit_rows(rows, instance, request.cache.value_or(rows.workload.cache), file);
  ReadyRows ready{std::move(fitted.recording), {}};
  ready.report.unknown_values = fitted.unknown_values;
  ready.report.broken = fitted.broken;
  ready.report.ignored_parameters = std::move(fitted.ignored);
  return ready;
}

void read_file(const fs::path& path, const ImportRequest& request, const std::vector<GpuDescription>& known,
               std::vector<ReadyRows>& all) {
  db::ImportedFile file = db::read_file_to_import(path, request.unit);
  if (file.names_workloads && request.names_workload())
    refuse(path,
           "the file says its kernel, problem, GPU and cache state; --kernel, --size, --gpu and --cache are "
           "for files that do not");
  for (model::Recording& rows : file.recordings) {
    ReadyRows ready = file.names_workloads ? ReadyRows{knowledge::with_present_names(std::move(rows)), {}}
                                           : foreign_rows(rows, request, known, path);
    ready.report.file = path;
    ready.report.format = file.format;
    ready.report.workload = ready.recording.workload;
    all.push_back(std::move(ready));
  }
}

db::ImportCounts stored(db::Store& store, const ReadyRows& ready) {
  try {
    return store.import_rows(ready.recording, base::unix_time_ms());
  } catch (const base::InputError& error) {
    refuse(ready.report.file, error.message());
  }
}

}  // namespace

std::vector<ImportedRows> import_files(const ImportRequest& request) {
  const std::vector<GpuDescription> known = known_gpus(request.database);
  std::vector<ReadyRows> all;
  for (const fs::path& path : request.files) read_file(path, request, known, all);
  db::Store store = knowledge::open_session_database(request.database);
  db::Store::Batch batch(store);
  std::vector<ImportedRows> imported;
  for (ReadyRows& ready : all) {
    const db::ImportCounts counts = stored(store, ready);
    ready.report.session_id = counts.session_id;
    ready.report.added = counts.added;
    ready.report.known = counts.known;
    imported.push_back(std::move(ready.report));
  }
  batch.commit();
  return imported;
}

}  // namespace warptune::tuner::importing
