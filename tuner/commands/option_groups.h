#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/measurement.h"
#include "model/value.h"
#include "tuner/commands/options.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::commands {

// Options that several commands take. One function declares each group, and another one reads it into typed
// fields. The parse function of a command calls both. Readers throw `base::InputError` for a value that is
// wrong whatever the machine has. Whether a GPU exists, for example, is checked later.

/// The default database and the default folder of compiled code, as help and manual name them.
inline constexpr const char* kUsualDatabase = "$XDG_DATA_HOME/warptune/warptune.db";
inline constexpr const char* kUsualCompileCache = "$XDG_CACHE_HOME/warptune/compiled";

/// KERNEL, at least `minimum` and at most `maximum` times; -1: any number. A shell offers the names of the
/// shipped kernels, and files.
Options& declare_kernel(Options& options, int minimum, int maximum);

/// Words that a shell offers for `--strategy`, `--metrics` and `--objective`.
std::vector<std::string> strategy_words();
std::vector<std::string> metric_words();
std::vector<std::string> objective_words();

/// `--db FILE`, or the address of a store of campaigns. The first reader is for commands that only read: it
/// returns a file as `knowledge::database_path` does. The second one is for commands that write: it throws
/// `base::InputError` for a store. When the option is not given, both return the default database.
/// `read_named_database` returns what was given, for commands that do not need a database.
Options& declare_database(Options& options);
std::filesystem::path read_database(const Options& options);
std::filesystem::path read_written_database(const Options& options);
std::optional<std::filesystem::path> read_named_database(const Options& options);

/// `--store ADDRESS`: the store of campaigns. When it is not given, the reader returns the address in the
/// environment (`base::Variable::kFleetStore`). It throws `base::InputError` if that is missing, too.
Options& declare_store(Options& options);
std::string read_store(const Options& options);

/// The port of an option that was declared as `optional_value(name, "PORT", ...)`; no value if it was not
/// given or has none. Throws `base::InputError` unless the value is a port.
std::optional<std::uint16_t> read_port(const Options& options, const std::string& name);

/// The number of an option with a default. Throws `base::InputError` unless it is from `minimum` to
/// `maximum`.
double read_real(const Options& options, const std::string& name, double minimum, double maximum);

/// `--pace X`: a replay takes X times the recorded time. Throws `base::InputError` if it is given without
/// `--replay`.
double read_pace(const Options& options);

/// `--size NAME=VALUE`, which may be repeated.
Options& declare_sizes(Options& options);
model::NamedValues read_sizes(const Options& options);

/// `--gpu NAME|cc=80,sms=108`: a GPU that the database knows, or a described one.
Options& declare_gpu(Options& options);
std::optional<std::string> read_gpu(const Options& options);

/// `--cache cold|warm|unknown`: the state of the L2 cache before each timed launch. The default is cold. The
/// second declaration and the second reader are for commands that measure: there is no `unknown`.
Options& declare_cache_state(Options& options);
Options& declare_measured_cache_state(Options& options);
model::CacheState read_cache_state(const Options& options);
model::CacheState read_measured_cache_state(const Options& options);

/// `--allow-read DIR`, which may be repeated: folders that a definition may read besides its own. `--trust`:
/// the definition's author is trusted; without it, a person is asked on a terminal when a definition asks for
/// something that needs trust. The reader returns absolute paths. It throws `base::InputError` for a folder
/// that does not exist.
Options& declare_permissions(Options& options);
kernel_templates::Permissions read_permissions(const Options& options);

/// `--size`, `--gpu`, `--cache`, `--db`, `--allow-read` and `--trust` select the workloads of a command. When
/// `--cache` was not given, the selection has no cache state, although the help shows a default.
Options& declare_workload(Options& options);
knowledge::WorkloadSelection read_workload(const Options& options);

/// `--compile-cache DIR|none`. The reader returns the default folder when the option was not given. It
/// returns an empty path for `none` and for an empty text. `check_compile_cache` throws `base::InputError`
/// for an empty text.
Options& declare_compile_cache(Options& options);
std::filesystem::path read_compile_cache(const Options& options);
void check_compile_cache(const Options& options);

/// `--timeout SECONDS`: how long one evaluation may take. The reader returns `std::nullopt` when the option
/// was not given. Then the limit is computed from the best time. Throws `base::InputError` unless the value
/// is a time from a tenth of a second to a day.
Options& declare_timeout(Options& options);
std::optional<std::chrono::milliseconds> read_timeout(const Options& options);

/// The value of `--within P%`, as a share: 0.05 for `5%`. Throws `base::InputError` unless it is a number
/// from 0 to 100 with a per cent sign. 0 is refused, too, unless `may_be_zero` is set.
double read_within(const Options& options, bool may_be_zero);

/// `--device`, `--jobs`, `--compile-cache`, `--timeout` and `--seed`: how a command measures single
/// configurations. The reader also reads `--db`, which the command declares. If that is a store of campaigns,
/// the reader throws `base::InputError`, unless `writes` is false: the command measures nothing then, and the
/// request has no database.
Options& declare_measuring(Options& options);
session::MeasurementRequest read_measurement(const Options& options, bool writes = true);

}  // namespace warptune::tuner::commands
