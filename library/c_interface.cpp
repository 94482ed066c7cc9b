// The functions of warptune.h. Each converts its arguments to those of the C++ classes, and exceptions to a
// status.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <variant>

#include "base/error.h"
#include "library/c_errors.h"
#include "library/c_objects.h"
#include "library/include/warptune.h"
#include "library/loaded_code.h"
#include "library/open_library.h"
#include "library/sized_struct.h"
#include "model/fields.h"
#include "model/outputs/reproducibility.h"

using namespace warptune;  // NOLINT(google-build-using-namespace): the functions are in no namespace.
using library::failed;
using library::guarded;
using library::LoadedCode;
using library::object;
using library::OpenLibrary;
using library::place;
using library::Selection;
using library::text;
using library::TunedKernel;

namespace {

// The opaque types of warptune.h are never defined. A pointer to one is the address of an object of a class.
warptune_library* opaque(OpenLibrary* one) { return reinterpret_cast<warptune_library*>(one); }
warptune_kernel* opaque(TunedKernel* one) { return reinterpret_cast<warptune_kernel*>(one); }
warptune_code* opaque(LoadedCode* one) { return reinterpret_cast<warptune_code*>(one); }
const warptune_selection* opaque(const Selection* one) {
  return reinterpret_cast<const warptune_selection*>(one);
}

// Written out, because the numbers of the interface never change.
int32_t match_of(db::MatchTier tier) {
  switch (tier) {
    case db::MatchTier::kExact:
      return WARPTUNE_MATCH_EXACT;
    case db::MatchTier::kNearProblem:
      return WARPTUNE_MATCH_NEAR_PROBLEM;
    case db::MatchTier::kSameCapability:
      return WARPTUNE_MATCH_SAME_CC;
    case db::MatchTier::kSameMajor:
      return WARPTUNE_MATCH_SAME_MAJOR;
    case db::MatchTier::kPortable:
      return WARPTUNE_MATCH_PORTABLE;
    case db::MatchTier::kRecommended:
      return WARPTUNE_MATCH_RECOMMENDED;
    case db::MatchTier::kDefault:
    case db::MatchTier::kNone:  // A selection always has a configuration.
      break;
  }
  return WARPTUNE_MATCH_DEFAULT;
}

library::Mode mode_of(int32_t mode) {
  switch (mode) {
    case WARPTUNE_MODE_OFF:
      return library::Mode::kOff;
    case WARPTUNE_MODE_LOOK_UP:
      return library::Mode::kLookUp;
    case WARPTUNE_MODE_DEFAULT:
    case WARPTUNE_MODE_LOAD:
      return library::Mode::kLoad;
    case WARPTUNE_MODE_RECORD:
      return library::Mode::kRecord;
    case WARPTUNE_MODE_TUNE:
      return library::Mode::kTune;
    default:
      throw base::InputError(fmt::format("expected a mode of WARPTUNE_MODE_..., found {}", mode));
  }
}

library::OpenOptions options_of(const warptune_open_options* given) {
  const warptune_open_options known = library::given_struct(given);
  library::OpenOptions options;
  options.mode = mode_of(known.mode);
  options.strict = known.strict != 0;
  if (known.database != nullptr) options.database = known.database;
  if (known.snapshot != nullptr) options.snapshot = known.snapshot;
  if (known.gpu != nullptr) options.gpu = known.gpu;
  if (known.compile_cache != nullptr) options.compile_cache = known.compile_cache;
  if (known.record != nullptr) options.record = known.record;
  if (known.reproducible != nullptr)
    options.reproducible = model::outputs::Reproducibility::parse(known.reproducible);
  if (known.cache_state == nullptr) return options;
  const auto state = model::parse_cache_state(known.cache_state);
  if (!state)
    throw base::InputError(
        fmt::format("cache_state: expected cold, warm or unknown, found '{}'", known.cache_state));
  options.cache = *state;
  return options;
}

warptune_value value_of(const model::Value& value) {
  warptune_value given{};
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    given.type = WARPTUNE_VALUE_INTEGER;
    given.as.integer = *integer;
  } else if (const auto* real = std::get_if<double>(&value)) {
    given.type = WARPTUNE_VALUE_REAL;
    given.as.real = *real;
  } else if (const auto* boolean = std::get_if<bool>(&value)) {
    given.type = WARPTUNE_VALUE_BOOLEAN;
    given.as.integer = *boolean ? 1 : 0;
  } else {
    given.type = WARPTUNE_VALUE_TEXT;
    given.as.text = std::get<std::string>(value).c_str();
  }
  return given;
}

}  // namespace

const char* warptune_version(void) noexcept { return WARPTUNE_VERSION; }
uint32_t warptune_abi_version(void) noexcept { return WARPTUNE_ABI_VERSION; }
const char* warptune_last_error(void) noexcept { return library::last_error(); }

warptune_status warptune_open(const warptune_open_options* options, warptune_library** opened) noexcept {
  return guarded([&] {
    place(opened) = nullptr;
    *opened = opaque(std::make_unique<OpenLibrary>(options_of(options)).release());
    return WARPTUNE_OK;
  });
}

void warptune_close(warptune_library* one) noexcept { delete reinterpret_cast<OpenLibrary*>(one); }

warptune_status warptune_snapshot_hash(const warptune_library* one, const char** hash) noexcept {
  return guarded([&] {
    const db::WinnerSnapshot* snapshot = object<const OpenLibrary>(one).snapshot();
    if (snapshot == nullptr) {
      throw base::InputError(
          "only a snapshot has a hash; `warptune export KERNEL --format snapshot` writes one");
    }
    place(hash) = snapshot->hash().c_str();
    return WARPTUNE_OK;
  });
}

warptune_status warptune_open_kernel(warptune_library* one, const char* kernel, int32_t device,
                                     warptune_kernel** opened) noexcept {
  return guarded([&] {
    place(opened) = nullptr;
    *opened = opaque(&object<OpenLibrary>(one).open_kernel(text(kernel, "the name of a kernel"), device));
    return WARPTUNE_OK;
  });
}

size_t warptune_problem_size(const warptune_kernel* kernel) noexcept {
  return kernel == nullptr ? 0 : reinterpret_cast<const TunedKernel*>(kernel)->definition().problem.size();
}

const char* warptune_problem_name(const warptune_kernel* kernel, size_t entry) noexcept {
  if (entry >= warptune_problem_size(kernel)) return nullptr;
  return reinterpret_cast<const TunedKernel*>(kernel)->definition().problem[entry].first.c_str();
}

warptune_status warptune_select(warptune_kernel* kernel, const warptune_value* values, size_t count,
                                const warptune_selection** selection) noexcept {
  if (kernel == nullptr || selection == nullptr || (values == nullptr && count > 0))
    return failed(WARPTUNE_ERROR_INPUT, "expected a kernel, values and a place for the result, found null");
  auto& tuned = *reinterpret_cast<TunedKernel*>(kernel);
  if (const Selection* known = tuned.find({values, count}); known != nullptr) {
    *selection = opaque(known);
    return WARPTUNE_OK;
  }
  return guarded([&] {
    *selection = nullptr;
    *selection = opaque(tuned.select({values, count}));
    return WARPTUNE_OK;
  });
}

warptune_status warptune_describe(const warptune_selection* selection,
                                  warptune_selection_info* info) noexcept {
  return guarded([&] {
    const auto& one = object<const Selection>(selection);
    warptune_selection_info known{};
    known.match = match_of(one.tier);
    known.distance_log2 = one.distance_log2;
    known.median_ns = model::or_nan(one.median_ns);
    known.default_median_ns = model::or_nan(one.default_median_ns);
    known.configuration = one.configuration_text.c_str();
    known.problem = one.problem_text.c_str();
    known.gpu = one.kernel->gpu().name.c_str();
    known.reason = one.reason.c_str();
    known.confirmed = one.is_confirmed ? 1 : 0;
    library::give_struct(known, info);
    return WARPTUNE_OK;
  });
}

warptune_status warptune_parameter(const warptune_selection* selection, const char* name,
                                   warptune_value* value) noexcept {
  return guarded([&] {
    const auto& one = object<const Selection>(selection);
    const model::Value* found = model::find(one.configuration, text(name, "the name of a parameter"));
    if (found == nullptr)
      throw base::InputError(fmt::format("there is no parameter {} in {}", name, one.configuration_text));
    place(value) = value_of(*found);
    return WARPTUNE_OK;
  });
}

warptune_status warptune_load(const warptune_selection* selection, const warptune_load_options* options,
                              warptune_code** code) noexcept {
  return guarded([&] {
    place(code) = nullptr;
    const auto& one = object<const Selection>(selection);
    const warptune_load_options known = library::given_struct(options);
    if (one.kernel->library().options().mode == library::Mode::kLookUp) {
      return failed(WARPTUNE_ERROR_MODE,
                    "no code can be loaded, because the library was opened with WARPTUNE_MODE_LOOK_UP");
    }
    try {
      auto loaded = std::make_unique<LoadedCode>(one, known.in_background != 0);
      *code = opaque(loaded.release());
    } catch (const base::WorkError& error) {
      return failed(WARPTUNE_ERROR_COMPILE, error.what());
    }
    return static_cast<warptune_status>(WARPTUNE_OK);
  });
}

void warptune_unload(warptune_code* code) noexcept { delete reinterpret_cast<LoadedCode*>(code); }

int32_t warptune_runs(const warptune_code* code) noexcept {
  return code == nullptr ? WARPTUNE_RUNS_FALLBACK
                         : static_cast<int32_t>(reinterpret_cast<const LoadedCode*>(code)->state());
}

warptune_status warptune_wait(warptune_code* code) noexcept {
  return guarded([&] {
    try {
      object<LoadedCode>(code).wait();
    } catch (const base::WorkError& error) {
      return failed(WARPTUNE_ERROR_COMPILE, error.what());
    }
    return static_cast<warptune_status>(WARPTUNE_OK);
  });
}

size_t warptune_argument_count(const warptune_code* code) noexcept {
  return code == nullptr ? 0 : reinterpret_cast<const LoadedCode*>(code)->expected().size();
}

warptune_status warptune_describe_argument(const warptune_code* code, size_t argument,
                                           warptune_argument_info* info) noexcept {
  return guarded([&] {
    const auto& expected = object<const LoadedCode>(code).expected();
    if (argument >= expected.size()) {
      throw base::InputError(
          fmt::format("expected the index of an argument, below {}, found {}", expected.size(), argument));
    }
    const profiling::ExpectedArgument& one = expected[argument];
    const bool is_output = one.kind == kernel_templates::ArgumentKind::kOut ||
                           one.kind == kernel_templates::ArgumentKind::kInOut;
    library::give_struct(
        warptune_argument_info{0, one.name.c_str(), one.is_buffer() ? WARPTUNE_BUFFER : WARPTUNE_SCALAR,
                               static_cast<int32_t>(one.type), is_output ? 1 : 0, one.is_fixed ? 1 : 0,
                               one.bytes, one.alignment},
        info);
    return WARPTUNE_OK;
  });
}

uint64_t warptune_workspace_bytes(const warptune_code* code) noexcept {
  return code == nullptr ? 0 : reinterpret_cast<const LoadedCode*>(code)->workspace_bytes();
}
