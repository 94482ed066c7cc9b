#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/value.h"
#include "tuner/commands/options.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::commands {

// Options that several commands take. Each group has one function that declares it and one that reads it into
// typed fields; a command's parse function calls both. Readers throw `base::InputError` for a value that no
// machine could take.

/// Where the database and the compiled code are unless an option says otherwise, as help and manual name
/// them.
inline constexpr const char* kUsualDatabase = "$XDG_DATA_HOME/warptune/warptune.db";
inline constexpr const char* kUsualCompileCache = "$XDG_CACHE_HOME/warptune/compiled";

/// KERNEL, `least` to `most` of them (-1: any number). A shell offers the names of shipped kernels, and
/// files.
Options& declare_kernel(Options& options, int least, int most);

/// Words that a shell offers: of `--strategy`, of `--metrics`, of `--objective`.
std::vector<std::string> strategy_words();
std::vector<std::string> metric_words();
std::vector<std::string> objective_words();

/// `--db`. Reads as the usual place where it is not given.
Options& declare_database(Options& options);
std::filesystem::path read_database(const Options& options);

/// `--size NAME=VALUE`, which may be repeated.
Options& declare_sizes(Options& options);
model::NamedValues read_sizes(const Options& options);

/// `--gpu NAME`: a GPU of the database.
Options& declare_gpu(Options& options);
std::optional<std::string> read_gpu(const Options& options);

/// `--cache cold|warm`, which state of the L2 cache times are of; cold where it is not given.
Options& declare_cache_state(Options& options);
model::CacheState read_cache_state(const Options& options);

/// `--allow-read DIR`, which may be repeated: folders that a definition may read beyond its own. Reads as
/// absolute folders; throws `base::InputError` for one that is not there.
Options& declare_readable_folders(Options& options);
std::vector<std::filesystem::path> read_readable_folders(const Options& options);

/// `--size`, `--gpu`, `--cache`, `--db` and `--allow-read`: which workloads a command is about. A cache state
/// that was not given reads as nothing, whatever fallback its help names.
Options& declare_workload(Options& options);
knowledge::WorkloadSelection read_workload(const Options& options);

/// `--compile-cache DIR|none`. Reads as the usual folder where it is not given, and as an empty path for
/// `none` and for an empty text, which `check_compile_cache` refuses.
Options& declare_compile_cache(Options& options);
std::filesystem::path read_compile_cache(const Options& options);
void check_compile_cache(const Options& options);

/// `--timeout SECONDS`: how long one evaluation may take; nothing where it follows what the best takes.
/// Throws `base::InputError` for what is no time from a tenth of a second to a day.
Options& declare_timeout(Options& options);
std::optional<std::chrono::milliseconds> read_timeout(const Options& options);

/// How a command measures single configurations: `--device`, `--jobs`, `--compile-cache`, `--timeout` and
/// `--seed`. Reads
/// `--db` too, which the command declares.
Options& declare_measuring(Options& options);
session::MeasurementRequest read_measurement(const Options& options);

}  // namespace warptune::tuner::commands
