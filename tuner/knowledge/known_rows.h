#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/read_scope.h"
#include "model/recording.h"
#include "tuner/gpus/known_gpus.h"

namespace warptune::tuner::knowledge {

/// The workloads of a kernel that a question is about, and where they are looked up.
struct WorkloadSelection {
  model::NamedValues sizes;                       ///< Problem sizes; the definition has the others.
  std::optional<std::string> gpu;                 ///< A part of its marketing name, or its key.
  std::optional<model::CacheState> cache;         ///< No value: not specified.
  std::optional<std::filesystem::path> database;  ///< No value: the default database.
  /// Folders that a definition may read, in addition to its own.
  kernel_templates::Permissions permissions{};
};

/// The one workload that a question is about. Without a cache state, a cold cache is meant.
struct WorkloadQuestion : WorkloadSelection {
  std::string kernel;  ///< A shipped name, or the path of a definition or of a recording.
};

/// Everything that is known about one workload: a kernel, problem, GPU and cache state.
struct KnownRows {
  model::Recording recording;
  /// The kernel's instance. It is null for a recording, unless the recorded kernel is shipped and its source
  /// is unchanged.
  std::unique_ptr<kernel_templates::KernelInstance> instance;
  /// The configuration that `query` and `export` return; for a recording, the fastest one. Empty: nothing was
  /// measured.
  model::NamedValues best;
  /// The winner of which `best` is the configuration; only of the database.
  std::optional<db::Winner> winner;
  std::optional<db::Session> newest;  ///< The newest session of the database that measured on the same GPU.
  std::string origin;  ///< Where the rows come from, in words: "the database", "the recording FILE".
  std::vector<db::Session> sessions;  ///< The database's sessions, oldest first; empty for a recording.
  /// How many rows the database has, if that is more than `kMaxShownRows`. `recording` then holds a sample.
  std::optional<std::uint64_t> total_rows;
};

/// The maximum number of rows of one workload that are analysed and drawn. If there are more, the database
/// returns a sample of about this size (`db::Store::sampled_measurements`).
constexpr std::uint64_t kMaxShownRows = 10000;
/// One line that explains a sample.
std::string sample_text(std::uint64_t shown, std::uint64_t known);

/// Whether the KERNEL of a command line names a recording: an existing file that is neither `.cu` nor
/// `.toml`.
bool names_recording(const std::string& kernel);

/// The rows of the recording that the question names. Throws `base::InputError` when it was recorded for
/// another workload than the question's. Also throws as `db::read_any_recording` does.
KnownRows recorded_rows(const WorkloadQuestion& question);

/// The rows that the database has. Empty for a workload that was never measured. Without a GPU in the
/// question, the GPU of this machine is meant. See `gpus::choose_gpu` for `list_gpus` and `recognise`. Throws
/// `base::InputError` when there is no database. Also throws as `load_kernel` and `choose_gpu` do.
KnownRows stored_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus,
                      const gpus::GpuRecogniser& recognise);

/// `recorded_rows` if the question names a recording, otherwise `stored_rows`.
KnownRows load_known_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus,
                          const gpus::GpuRecogniser& recognise);

/// Throws `base::WorkError` when nothing was measured. Its message says what to run.
void require_rows(const KnownRows& known, const WorkloadQuestion& question);

/// `load_known_rows`, then `require_rows`.
KnownRows require_known_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus,
                             const gpus::GpuRecogniser& recognise);

}  // namespace warptune::tuner::knowledge
