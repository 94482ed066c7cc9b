#include "library/open_library.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "fleet/rows/snapshot.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/library.h"
#include "library/kept_definition.h"
#include "model/objective.h"
#include "profiling/gpu.h"
#include "profiling/resident_context.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/reproducible_answer.h"
#include "tuner/knowledge/workload.h"

namespace warptune::library {

using tuner::knowledge::AnswerSource;
using tuner::knowledge::KnownAnswer;

namespace {

// The command that tunes the kernel for the problem, for the file of asked problems.
std::string tune_command(const kernel_templates::KernelInstance& instance, const std::string& kernel,
                         const OpenOptions& options) {
  std::string line = tuner::knowledge::tune_command(kernel, instance.problem(), options.cache);
  if (options.reproducible) line += " --reproducible=" + options.reproducible->text;
  return line;
}

void check(const OpenOptions& options) {
  if (options.database && options.snapshot)
    throw base::InputError("expected a database or a snapshot, found both");
  if (options.mode == Mode::kTune && options.snapshot)
    throw base::InputError("a snapshot never changes, so WARPTUNE_MODE_TUNE needs a database");
  if (options.reproducible && options.snapshot)
    throw base::InputError(
        "a snapshot does not say which outputs a configuration gives, so `reproducible` needs a database");
  const bool may_record = options.mode == Mode::kRecord || options.mode == Mode::kTune;
  if (options.record ? !may_record : options.mode == Mode::kRecord)
    throw base::InputError(options.record ? "a file to record in needs the mode WARPTUNE_MODE_RECORD"
                                          : "the mode WARPTUNE_MODE_RECORD needs a file to record in");
}

// The library's database. In a mode that reads no rows, no store is asked.
std::filesystem::path database_of(const OpenOptions& options) {
  if (options.mode == Mode::kTune) return tuner::knowledge::written_database_path(options.database);
  if (options.mode == Mode::kOff && tuner::knowledge::names_store(options.database))
    return fleet::rows::snapshot_path(options.database->native());
  return tuner::knowledge::database_path(options.database);
}

}  // namespace

OpenLibrary::OpenLibrary(OpenOptions options) : options_(std::move(options)) {
  static std::once_flag silenced;  // A library prints nothing: errors say everything.
  std::call_once(silenced, [] { base::set_up_log("off"); });
  check(options_);
  if (options_.snapshot) {
    snapshot_ = std::make_unique<db::WinnerSnapshot>(*options_.snapshot);
  } else if (options_.mode != Mode::kOff || options_.gpu) {  // A GPU's name needs a database in each mode.
    database_ = database_of(options_);
    if (options_.mode == Mode::kTune) tuner::knowledge::open_session_database(*database_);  // Makes it.
    open_databases();
  }
  if (options_.record) asked_ = std::make_unique<AskedProblems>(*options_.record);
}

// A program must run before anything was tuned, too. Another database that it names must exist.
void OpenLibrary::open_databases() {
  if (!database_ || (!databases_.empty() && databases_.back().has_own())) return;
  if (options_.mode == Mode::kOff && !db::Store::exists(*database_)) return;
  if (databases_.empty() || !tuner::knowledge::is_not_made_yet(*database_))
    databases_.emplace_back(*database_);
}

std::filesystem::path OpenLibrary::compile_cache() const {
  return options_.compile_cache ? *options_.compile_cache : kernel_templates::default_compile_cache();
}

std::filesystem::path OpenLibrary::database() const { return database_ ? *database_ : database_of(options_); }

AnswerSource OpenLibrary::source_for(const kernel_templates::KernelDefinition& definition) const {
  const bool is_off = options_.mode == Mode::kOff;
  if (!databases_.empty() && !is_off) return databases_.back().source(definition, model::Objective());
  AnswerSource source;
  source.all_versions = [] { return std::vector<db::Winner>(); };
  if (!snapshot_ || is_off) return source;
  source.winners = snapshot_->winners(definition.name, definition.hash);
  source.all_versions = [snapshot = snapshot_.get(), name = definition.name] {
    return snapshot->winners(name, "");
  };
  return source;
}

model::GpuDescription OpenLibrary::named_gpu() const {
  std::vector<model::GpuDescription> known;
  if (!databases_.empty()) known = databases_.back().gpus();
  if (snapshot_) known = snapshot_->gpus();
  return tuner::gpus::wanted_gpu(*options_.gpu, known).gpu;
}

TunedKernel& OpenLibrary::open_kernel(const std::string& kernel, int ordinal) {
  return find_kernel(kernel, ordinal, false);
}

TunedKernel& OpenLibrary::reopen_kernel(const std::string& kernel, int ordinal) {
  return find_kernel(kernel, ordinal, true);
}

const std::string& OpenLibrary::define(const std::optional<std::string>& description,
                                       const std::string& source) {
  const std::filesystem::path folder = std::filesystem::absolute(database()).parent_path() / "definitions";
  const KeptDefinition kept = keep_definition(folder, description, source);
  const std::string path = kept.path.string();
  try {
    kernel_templates::load_kernel(path);
  } catch (const base::InputError&) {
    std::error_code ignored;
    if (kept.is_new) std::filesystem::remove_all(kept.path.parent_path(), ignored);
    throw;
  }
  const std::lock_guard lock(mutex_);
  return *defined_.insert(path).first;
}

TunedKernel& OpenLibrary::find_kernel(const std::string& kernel, int ordinal, bool reads_again) {
  if (options_.gpu) {
    ordinal = -1;
  } else if (ordinal == -1) {
    ordinal = profiling::current_device();
  }
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<TunedKernel>>& place = kernels_[{kernel, ordinal}];
  if (!place.empty() && !reads_again) return *place.back();
  open_databases();  // A session may have made the database meanwhile.
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
  const model::GpuDescription gpu = options_.gpu ? named_gpu() : profiling::local_gpu(ordinal);
  place.push_back(
      std::make_unique<TunedKernel>(*this, kernel, definition, gpu, ordinal, source_for(definition)));
  return *place.back();
}

KnownAnswer OpenLibrary::answer(const kernel_templates::KernelInstance& instance, const AnswerSource& source,
                                const std::string& kernel) {
  const bool is_off = options_.mode == Mode::kOff;
  if (options_.reproducible && !is_off) return reproducible_answer(instance, source, kernel);
  const bool is_strict = options_.strict && !is_off;
  try {
    KnownAnswer known =
        tuner::knowledge::known_answer(instance, source, {kernel, options_.cache, is_strict, !is_off});
    if (is_off) known.reason = "the definition's default, because the library's mode is off";
    if (known.match.tier != db::MatchTier::kExact) record(instance, kernel);
    return known;
  } catch (const base::WorkError&) {  // Nothing is known.
    record(instance, kernel);
    throw;
  }
}

void OpenLibrary::record(const kernel_templates::KernelInstance& instance, const std::string& kernel) const {
  if (asked_) asked_->add(tune_command(instance, kernel, options_));
}

KnownAnswer OpenLibrary::reproducible_answer(const kernel_templates::KernelInstance& instance,
                                             AnswerSource source, const std::string& kernel) const {
  const tuner::knowledge::AnswerRequest request = {kernel, options_.cache, true};
  try {
    tuner::knowledge::keep_reproducible(
        source, instance, request, model::Objective(), *options_.reproducible,
        [this](const db::Winner& winner) -> const db::Store& { return databases_.back().store_of(winner); });
  } catch (const base::WorkError&) {
    record(instance, kernel);
    throw;
  }
  return tuner::knowledge::known_answer(instance, source, request);
}

}  // namespace warptune::library
