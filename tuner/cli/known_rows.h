#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "search/recording.h"
#include "tuner/cli/options.h"

namespace warptune::tuner::cli {

/// All that is known of one kernel, problem, GPU and cache state.
struct KnownRows {
  search::Recording recording;
  /// Of a kernel, and of a recording of a shipped kernel whose source is still the recorded one; else null.
  std::unique_ptr<kernel_templates::KernelInstance> instance;
  /// The configuration that `query` and `export` give; of a recording its fastest. Empty: nothing was
  /// measured.
  search::NamedValues best;
  std::string origin;                 ///< In words: "the database", "the recording FILE".
  std::vector<db::Session> sessions;  ///< Of the database, oldest first; none of a recording.
};

/// Whether the KERNEL of a command line names a recording: a file that is there and is neither `.cu` nor
/// `.toml`.
bool names_recording(const std::string& kernel);

/// Whether both are the same kernel source, problem, GPU model and cache state.
bool is_same_subject(const search::Subject& a, const search::Subject& b);

/// What the database holds of a GPU's roofs, else those of a session: one of an earlier version had two only,
/// and one that was replayed may have had none.
search::Roofs known_roofs(const db::Store& store, const search::GpuDescription& gpu,
                          const search::Roofs& of_session);

/// Declares `--size`, `--gpu`, `--cache` and `--db`, which say what `load_known_rows` is to find.
Options& subject_options(Options& options);

/// Fills in what the definition says of a recording, which has no rows yet.
void describe_subject(search::Recording& recording, const kernel_templates::KernelInstance& instance,
                      search::CacheState cache);

/// What the database or the recording `kernel` knows. Rows may be none: a subject nobody measured, or no
/// database. Throws `base::InputError` where a recording contradicts an option, and as `load_kernel`,
/// `choose_gpu` and `db::read_any_recording` do.
KnownRows load_known_rows(const Options& options, const std::string& kernel);

/// The same; throws `base::WorkError` that says what to run where nothing was measured.
KnownRows require_known_rows(const Options& options, const std::string& kernel);

/// `sgemm M=64 on NVIDIA H200, timed from a cold L2 cache`; other tuners' files may name no kernel and no
/// GPU, and do not say how the cache was.
std::string heading_of(const search::Recording& recording);

}  // namespace warptune::tuner::cli
