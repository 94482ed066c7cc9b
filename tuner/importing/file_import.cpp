#include "tuner/importing/file_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
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

// The letters and digits of a name, in lower case.
std::string plain(const std::string& name) {
  std::string letters;
  for (const char c : base::lower_case(name))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) letters += c;
  return letters;
}

// Tuners shorten names and write them with other signs between the words.
bool may_be_same(const std::string& a, const std::string& b) {
  return plain(a).find(plain(b)) != std::string::npos || plain(b).find(plain(a)) != std::string::npos;
}

// A GPU that was described, and not named, fits any name.
void require_same_name(const GpuDescription& gpu, const std::string& wanted, const std::string& name,
                       const fs::path& file) {
  const std::optional<gpus::DescribedGpu> described = gpus::DescribedGpu::parse(wanted);
  if (described && gpu.name == described->description().name) return;
  if (!may_be_same(gpu.name, name))
    refuse(file, fmt::format("the file names the GPU {}, and --gpu {} is the {}", name, wanted, gpu.name));
}

// The GPU of the database with exactly this name.
GpuDescription gpu_of_name(const std::string& name, const std::vector<GpuDescription>& known,
                           const fs::path& file) {
  std::vector<GpuDescription> fitting;
  std::copy_if(known.begin(), known.end(), std::back_inserter(fitting), [&](const GpuDescription& gpu) {
    return !name.empty() && base::lower_case(gpu.name) == base::lower_case(name);
  });
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty()) {
    refuse(file,
           fmt::format("{}; --gpu NAME|cc=80,sms=108 says which GPU is meant",
                       name.empty() ? "the file does not name its GPU"
                                    : fmt::format("the database does not know the file's GPU, {}", name)));
  }
  std::vector<std::string> keys;
  keys.reserve(fitting.size());
  for (const GpuDescription& gpu : fitting)
    keys.push_back(fmt::format("{} ({} SMs)", gpu.key(), gpu.sm_count));
  refuse(file, fmt::format("the database has {} GPUs with the name {}; --gpu KEY says which one is meant: {}",
                           fitting.size(), name, fmt::join(keys, ", ")));
}

// The GPU that `--gpu` names, or the GPU of the database with exactly the name that the file gives.
GpuDescription gpu_of(const model::Recording& rows, const ImportRequest& request,
                      const std::vector<GpuDescription>& known, const fs::path& file) {
  const std::string& name = rows.workload.gpu.name;
  if (request.gpu) {
    GpuDescription gpu = gpus::wanted_gpu(*request.gpu, known).gpu;
    const bool is_described = std::none_of(known.begin(), known.end(),
                                           [&](const GpuDescription& one) { return one.key() == gpu.key(); });
    if (name.empty()) return gpu;
    if (is_described) {
      gpu.name = name;
    } else {
      require_same_name(gpu, *request.gpu, name, file);
    }
    return gpu;
  }
  return gpu_of_name(name, known, file);
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
    // The name is shown in lines of text.
    rows.workload.gpu.name = base::printable_line(rows.workload.gpu.name);
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
