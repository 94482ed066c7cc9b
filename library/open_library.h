#pragma once

#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/winner_snapshot.h"
#include "library/asked_problems.h"
#include "library/tuned_kernel.h"
#include "model/measurement.h"
#include "model/outputs/reproducibility.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/layered_databases.h"

namespace warptune::library {

/// What the library may do. Each mode after `kLookUp` can also do what the mode before it can. `kOff` loads
/// code, too: that of the default. `kRecord` needs a file of asked problems, and for `kTune` it is optional.
enum class Mode { kOff, kLookUp, kLoad, kRecord, kTune };

/// What `warptune_open` is given.
struct OpenOptions {
  Mode mode = Mode::kLoad;
  bool strict = false;  ///< Only an exact match is an answer.
  std::optional<std::filesystem::path> database;
  std::optional<std::filesystem::path> snapshot;
  std::optional<std::string> gpu;
  std::optional<std::filesystem::path> compile_cache;  ///< std::nullopt: that of the commands. Empty: none.
  std::optional<std::filesystem::path> record;
  model::CacheState cache = model::CacheState::kCold;
  /// What the outputs of an answer must be known to be. Then only rows of exactly the problem and the GPU are
  /// answers.
  std::optional<model::outputs::Reproducibility> reproducible{};
};

/// An open database or snapshot, and the kernels that were opened with it. All functions may be called by
/// several threads at once.
class OpenLibrary {
 public:
  /// Throws `base::InputError` for options that contradict each other, and as `db::Store::open_existing` and
  /// `db::WinnerSnapshot` do.
  explicit OpenLibrary(OpenOptions options);

  const OpenOptions& options() const { return options_; }
  /// Null for a database.
  const db::WinnerSnapshot* snapshot() const { return snapshot_.get(); }
  std::filesystem::path compile_cache() const;
  /// The database of the options, or that of the commands if the options name none. For a store of campaigns
  /// it is the snapshot (`tuner::knowledge::database_path`).
  std::filesystem::path database() const;

  /// Returns the kernel on a device, which is opened the first time. `ordinal` -1 is the device of the
  /// calling thread's context. Throws `base::InputError` if there is no such kernel, and `base::MachineError`
  /// if there is no driver or no such GPU.
  TunedKernel& open_kernel(const std::string& kernel, int ordinal);
  /// Does the same with rows that are read now. Kernels that were opened before do not change.
  TunedKernel& reopen_kernel(const std::string& kernel, int ordinal);
  /// Writes a definition to a file beside the database (`keep_definition`), and checks it. Returns its path,
  /// which belongs to this object. Throws as `keep_definition` and `kernel_templates::load_kernel` do.
  const std::string& define(const std::optional<std::string>& description, const std::string& source);

  /// Finds the configuration for a problem that was not selected before. In the modes that record, it also
  /// records a problem without an exact match. Throws as `tuner::knowledge::known_answer` does.
  tuner::knowledge::KnownAnswer answer(const kernel_templates::KernelInstance& instance,
                                       const tuner::knowledge::AnswerSource& source,
                                       const std::string& kernel);
  /// Held while the store is read or a table is changed.
  std::mutex& mutex() { return mutex_; }

 private:
  /// Adds the problem to the file of asked problems, if there is one.
  void record(const kernel_templates::KernelInstance& instance, const std::string& kernel) const;
  tuner::knowledge::KnownAnswer reproducible_answer(const kernel_templates::KernelInstance& instance,
                                                    tuner::knowledge::AnswerSource source,
                                                    const std::string& kernel) const;
  tuner::knowledge::AnswerSource source_for(const kernel_templates::KernelDefinition& definition) const;
  /// Opens the databases (`tuner::knowledge::LayeredDatabases`) if they are not open yet, or if the user's
  /// was made meanwhile.
  void open_databases();
  model::GpuDescription named_gpu() const;
  TunedKernel& find_kernel(const std::string& kernel, int ordinal, bool reads_again);

  OpenOptions options_;
  std::optional<std::filesystem::path> database_{};  // The user's database.
  // The last ones count. The sources of opened kernels need the earlier ones.
  std::list<tuner::knowledge::LayeredDatabases> databases_;
  std::unique_ptr<db::WinnerSnapshot> snapshot_;
  std::unique_ptr<AskedProblems> asked_;
  std::mutex mutex_;
  /// By name and device. Each time that the rows are read again, a kernel is appended. Earlier ones stay
  /// valid.
  std::map<std::pair<std::string, int>, std::vector<std::unique_ptr<TunedKernel>>> kernels_;
  std::set<std::string> defined_;
};

}  // namespace warptune::library
