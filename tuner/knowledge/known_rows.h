#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "tuner/gpus/known_gpus.h"

namespace warptune::tuner::knowledge {

/// Which workloads of a kernel are asked about, and where they are looked up.
struct WorkloadSelection {
  model::NamedValues sizes;                       ///< Of the problem; others as the definition says.
  std::optional<std::string> gpu;                 ///< Part of its marketing name in any case, or its key.
  std::optional<model::CacheState> cache;         ///< Nothing: not said.
  std::optional<std::filesystem::path> database;  ///< Nothing: the usual one.
  /// What a definition may read beyond its own folder.
  std::vector<std::filesystem::path> readable_folders{};
};

/// Which workload is asked about. Its cache state is cold where nothing says another.
struct WorkloadQuestion : WorkloadSelection {
  std::string kernel;  ///< A shipped name, or the path of a definition or of a recording.
};

/// All that is known of one workload: a kernel, problem, GPU and cache state.
struct KnownRows {
  model::Recording recording;
  /// Of a kernel, and of a recording of a shipped kernel whose source is still the recorded one; else null.
  std::unique_ptr<kernel_templates::KernelInstance> instance;
  /// The configuration that `query` and `export` give; of a recording its fastest. Empty: nothing was
  /// measured.
  model::NamedValues best;
  std::string origin;                 ///< In words: "the database", "the recording FILE".
  std::vector<db::Session> sessions;  ///< Of the database, oldest first; none of a recording.
  /// Of the database, where it has more rows than can be shown: how many. The recording is a sample then.
  std::optional<std::uint64_t> sampled_of;
};

/// The most rows of one workload that are analysed and drawn. Of more the database gives a sample of about so
/// many (`db::Store::sampled_measurements`).
constexpr std::uint64_t kMaxShownRows = 10000;
/// What is said of a sample, in one line.
std::string sample_text(std::uint64_t shown, std::uint64_t known);

/// Whether the KERNEL of a command line names a recording: a file that is there and is neither `.cu` nor
/// `.toml`.
bool names_recording(const std::string& kernel);

/// What the recording that the question names knows. Throws `base::InputError` where the recording is of
/// another workload than the question, and as `db::read_any_recording` does.
KnownRows recorded_rows(const WorkloadQuestion& question);

/// What the database knows. Rows may be none: a workload that nobody measured. Throws `base::InputError`
/// where there is no database, and as `load_kernel` and `choose_gpu` do.
KnownRows stored_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus);

/// What the recording knows, where the question names one, else the database.
KnownRows load_known_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus);

/// Throws `base::WorkError` that says what to run where nothing was measured.
void require_rows(const KnownRows& known, const WorkloadQuestion& question);

/// `load_known_rows`, then `require_rows`.
KnownRows require_known_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus);

}  // namespace warptune::tuner::knowledge
