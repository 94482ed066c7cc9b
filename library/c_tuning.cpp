// The functions of warptune_tuning.h. Each converts its arguments to those of the C++ classes, and exceptions
// to a status.
#include <cmath>
#include <exception>
#include <memory>
#include <string>

#include "base/error.h"
#include "library/c_errors.h"
#include "library/c_objects.h"
#include "library/include/warptune_tuning.h"
#include "library/open_library.h"
#include "library/sized_struct.h"
#include "library/tuning/tuning_run.h"
#include "model/fields.h"

using namespace warptune;  // NOLINT(google-build-using-namespace): the functions are in no namespace.
using library::failed;
using library::guarded;
using library::object;
using library::OpenLibrary;
using library::place;
using library::text;
using library::tuning::TuningRun;

warptune_status warptune_define(warptune_library* one, const char* definition, const char* source,
                                const char** kernel) noexcept {
  return guarded([&] {
    place(kernel) = nullptr;
    const std::optional<std::string> description =
        definition == nullptr ? std::nullopt : std::optional<std::string>(definition);
    *kernel = object<OpenLibrary>(one).define(description, text(source, "the source of a kernel")).c_str();
    return WARPTUNE_OK;
  });
}

warptune_status warptune_reopen_kernel(warptune_library* one, const char* kernel, int32_t device,
                                       warptune_kernel** opened) noexcept {
  return guarded([&] {
    place(opened) = nullptr;
    *opened = reinterpret_cast<warptune_kernel*>(
        &object<OpenLibrary>(one).reopen_kernel(text(kernel, "the name of a kernel"), device));
    return WARPTUNE_OK;
  });
}

warptune_status warptune_start_tuning(warptune_library* one, const warptune_tuning_options* options,
                                      warptune_tuning** tuning) noexcept {
  return guarded([&] {
    place(tuning) = nullptr;
    const auto& opened = object<OpenLibrary>(one);
    const warptune_tuning_options known = library::given_struct(options);
    if (opened.options().mode != library::Mode::kTune) {
      return failed(WARPTUNE_ERROR_MODE, "tuning needs a library that was opened with WARPTUNE_MODE_TUNE");
    }
    *tuning = reinterpret_cast<warptune_tuning*>(std::make_unique<TuningRun>(opened, known).release());
    return static_cast<warptune_status>(WARPTUNE_OK);
  });
}

warptune_status warptune_next_event(warptune_tuning* tuning, double timeout_s,
                                    warptune_tuning_event* event) noexcept {
  return guarded([&] {
    if (std::isnan(timeout_s)) throw base::InputError("expected a timeout in seconds, found NaN");
    place(event);
    const library::tuning::TuningEvent& one = object<TuningRun>(tuning).next(timeout_s);
    warptune_tuning_event known{};
    known.kind = one.kind;
    known.evaluated = one.evaluated;
    known.elapsed_s = one.elapsed_s;
    known.fraction = model::or_nan(one.fraction);
    known.median_ns = model::or_nan(one.median_ns);
    known.best_median_ns = model::or_nan(one.best_median_ns);
    known.configuration = one.configuration.c_str();
    known.status = one.status.c_str();
    known.text = one.text.c_str();
    library::give_struct(known, event);
    return WARPTUNE_OK;
  });
}

void warptune_cancel_tuning(warptune_tuning* tuning) noexcept {
  if (tuning != nullptr) reinterpret_cast<TuningRun*>(tuning)->cancel();
}

warptune_status warptune_finish_tuning(warptune_tuning* tuning, warptune_tuning_result* result) noexcept {
  return guarded([&] {
    std::exception_ptr failure;  // A tuning that failed has a result, too: it is given before the failure.
    const library::tuning::TuningResult& found = object<TuningRun>(tuning).finish(failure);
    warptune_tuning_result known{};
    known.cancelled = found.cancelled ? 1 : 0;
    known.replayed = found.replayed ? 1 : 0;
    known.evaluated = found.evaluated;
    known.wrong = found.wrong;
    known.median_ns = model::or_nan(found.median_ns);
    known.default_median_ns = model::or_nan(found.default_median_ns);
    known.configuration = found.configuration.c_str();
    known.gpu = found.gpu.c_str();
    known.session = found.session;
    library::give_struct(known, result);
    if (failure) std::rethrow_exception(failure);
    return WARPTUNE_OK;
  });
}

void warptune_free_tuning(warptune_tuning* tuning) noexcept { delete reinterpret_cast<TuningRun*>(tuning); }
