// libwarptune for C++17: a program has a kernel tuned. This header only calls the functions of
// warptune_tuning.h. docs/library.md explains its use.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warptune.hpp"
#include "warptune_definition.hpp"
#include "warptune_tuning.h"

namespace warptune {

/// Opens the kernel again with the rows that the database has now (`warptune_reopen_kernel`).
inline Kernel reopen(const Library& library, const std::string& name, std::int32_t device = -1) {
  warptune_kernel* kernel = nullptr;
  check(warptune_reopen_kernel(library.get(), name.c_str(), device, &kernel));
  return Kernel(kernel);
}

/// An output of a launch, in the host's memory. A check gets one for each output.
struct Result {
  std::string argument;
  std::int32_t type;  ///< WARPTUNE_F32, ...
  const void* data;
  std::size_t bytes;

  /// The elements, as values of `T`. The caller must choose the `T` that fits `type`.
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <class T>
  std::size_t count() const {
    return bytes / sizeof(T);
  }
};

/// Returns an empty text if the outputs are right, and otherwise why they are wrong. It is called on the
/// thread of the tuning. An exception ends the tuning, and `Tuning::finish` throws it.
using Check = std::function<std::string(const std::vector<Result>& results)>;

/// What is tuned, and how. Everything that is not set has the default of `warptune tune`. `warptune_tuning.h`
/// says what the texts mean (`warptune_tuning_options`).
class TuningRequest {
 public:
  /// The name of a shipped kernel, or the path of a definition, such as `define` returns.
  explicit TuningRequest(std::string kernel) : kernel_(std::move(kernel)) {}

  /// The values of the problem's entries, in order.
  template <class... Values>
  TuningRequest& problem(const Values&... values) {
    problem_.clear();
    (add_value(Value(values)), ...);
    return *this;
  }
  TuningRequest& budget(std::string text) { return set(budget_, std::move(text)); }
  TuningRequest& until(std::string text) { return set(until_, std::move(text)); }
  TuningRequest& strategy(std::string text) { return set(strategy_, std::move(text)); }
  TuningRequest& objective(std::string text) { return set(objective_, std::move(text)); }
  TuningRequest& metrics(std::string text) { return set(metrics_, std::move(text)); }
  /// Chooses only among configurations whose outputs are known to be reproducible: "runs", "bits",
  /// "relative=X", "absolute=X" or "ulp=X".
  TuningRequest& reproducible(std::string text) { return set(reproducible_, std::move(text)); }
  TuningRequest& recording(std::string path) { return set(recording_, std::move(path)); }
  TuningRequest& program(std::string path) { return set(program_, std::move(path)); }
  TuningRequest& device(std::int32_t ordinal) { return set(device_, ordinal); }
  TuningRequest& seed(std::uint64_t seed) { return set(seed_, seed); }
  TuningRequest& compile_workers(std::uint64_t count) { return set(compile_workers_, count); }
  /// Runs kernels in this process, without isolation (`warptune_tuning_options`).
  TuningRequest& in_this_process() { return set(in_this_process_, 1); }
  /// Measures also the configurations whose results the database has.
  TuningRequest& fresh() { return set(fresh_, 1); }

  /// Sets what an input holds before each launch: a copy of `buffer`, which is in device memory unless
  /// `memory` says otherwise. The buffer must exist until the tuning has started.
  TuningRequest& first(std::string argument, const Argument& buffer,
                       std::int32_t memory = WARPTUNE_DEVICE_MEMORY) {
    return add(std::move(argument), WARPTUNE_CONTENTS_FIRST, buffer, memory);
  }
  /// Sets what an output must hold after each launch, within the tolerance of the definition.
  TuningRequest& expect(std::string argument, const Argument& buffer,
                        std::int32_t memory = WARPTUNE_DEVICE_MEMORY) {
    return add(std::move(argument), WARPTUNE_CONTENTS_EXPECTED, buffer, memory);
  }
  /// Decides what is right, instead of the definition's [check].
  TuningRequest& check(Check check) { return set(check_, std::move(check)); }

 private:
  friend class Tuning;

  template <class Member, class Given>
  TuningRequest& set(Member& member, Given value) {
    member = std::move(value);
    return *this;
  }
  void add_value(const Value& value) {
    problem_.emplace_back(value, value.type == WARPTUNE_VALUE_TEXT ? value.as.text : "");
  }
  TuningRequest& add(std::string argument, std::int32_t role, const Argument& buffer, std::int32_t memory) {
    contents_.push_back({nullptr, role, memory, buffer.type, 0, buffer.data, buffer.bytes});
    names_.push_back(std::move(argument));
    return *this;
  }

  std::string kernel_, budget_, until_, strategy_, objective_, metrics_, recording_, program_, reproducible_;
  std::vector<std::pair<warptune_value, std::string>> problem_;
  std::vector<warptune_contents> contents_;
  std::vector<std::string> names_;  // The arguments of `contents_`, in order.
  std::int32_t device_ = -1;
  std::int32_t fresh_ = 0;
  std::int32_t in_this_process_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t compile_workers_ = 0;
  Check check_;
};

/// What a tuning has found.
struct TuningResult {
  bool cancelled = false;
  bool replayed = false;
  std::uint64_t evaluated = 0;
  std::uint64_t wrong = 0;
  double median_ns = 0.0;          ///< The time of the best; NaN if there is none.
  double default_median_ns = 0.0;  ///< The time of the default; NaN if unknown.
  std::string configuration;       ///< The best; empty if there is none.
  std::string gpu;
  std::int64_t session = 0;
};

/// A running tuning. The destructor cancels it, and waits for its end.
class Tuning {
 public:
  Tuning(const Library& library, const TuningRequest& request)
      : check_(std::make_unique<CheckState>(CheckState{request.check_, nullptr})) {
    const auto text = [](const std::string& one) { return one.empty() ? nullptr : one.c_str(); };
    std::vector<warptune_value> problem;
    for (const auto& [value, held] : request.problem_) {
      problem.push_back(value);
      if (value.type == WARPTUNE_VALUE_TEXT) problem.back().as.text = held.c_str();
    }
    std::vector<warptune_contents> contents = request.contents_;
    for (std::size_t i = 0; i < contents.size(); ++i) contents[i].argument = request.names_[i].c_str();
    warptune_tuning_options options{};
    options.struct_size = sizeof options;
    options.kernel = request.kernel_.c_str();
    options.problem = problem.data();
    options.problem_count = problem.size();
    options.device = request.device_;
    options.fresh = request.fresh_;
    options.budget = text(request.budget_);
    options.until = text(request.until_);
    options.strategy = text(request.strategy_);
    options.objective = text(request.objective_);
    options.metrics = text(request.metrics_);
    options.seed = request.seed_;
    options.compile_workers = request.compile_workers_;
    options.contents = contents.data();
    options.contents_count = contents.size();
    options.check = request.check_ ? &Tuning::ask : nullptr;
    options.check_context = check_.get();
    options.recording = text(request.recording_);
    options.program = text(request.program_);
    options.in_this_process = request.in_this_process_;
    options.reproducible = text(request.reproducible_);
    warptune::check(warptune_start_tuning(library.get(), &options, &tuning_));
  }
  Tuning(Tuning&& other) noexcept
      : tuning_(std::exchange(other.tuning_, nullptr)), check_(std::move(other.check_)) {}
  Tuning& operator=(Tuning&& other) noexcept {
    std::swap(tuning_, other.tuning_);
    std::swap(check_, other.check_);
    return *this;
  }
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;
  ~Tuning() { warptune_free_tuning(tuning_); }

  warptune_tuning* get() const { return tuning_; }
  /// The next event, as `warptune_next_event`. Its texts are valid until the next call.
  warptune_tuning_event next(double timeout_s = -1.0) {
    warptune_tuning_event event{};
    event.struct_size = sizeof event;
    warptune::check(warptune_next_event(tuning_, timeout_s, &event));
    return event;
  }
  /// Calls `listen(event)` for each event until the tuning ends.
  template <class Listen>
  void each_event(Listen&& listen) {
    for (warptune_tuning_event event = next(); event.kind != WARPTUNE_EVENT_ENDED; event = next())
      listen(event);
  }
  /// Asks the tuning to end early. Any thread may call it.
  void cancel() { warptune_cancel_tuning(tuning_); }
  /// Waits for the end. Throws what the check has thrown, or an `Error` if the tuning has failed.
  TuningResult finish() {
    warptune_tuning_result result{};
    result.struct_size = sizeof result;
    const warptune_status status = warptune_finish_tuning(tuning_, &result);
    if (check_->thrown) std::rethrow_exception(check_->thrown);
    warptune::check(status);
    return {result.cancelled != 0,    result.replayed != 0, result.evaluated, result.wrong,  result.median_ns,
            result.default_median_ns, result.configuration, result.gpu,       result.session};
  }

 private:
  struct CheckState {
    Check check;
    std::exception_ptr thrown;
  };

  static std::int32_t ask(void* context, const warptune_result* results, std::size_t count, char* reason,
                          std::size_t reason_bytes) {
    auto& state = *static_cast<CheckState*>(context);
    try {
      std::vector<Result> all;
      for (std::size_t i = 0; i < count; ++i)
        all.push_back({results[i].argument, results[i].type, results[i].data, results[i].bytes});
      const std::string wrong = state.check(all);
      std::snprintf(reason, reason_bytes, "%s", wrong.c_str());
      return wrong.empty() ? WARPTUNE_CHECK_RIGHT : WARPTUNE_CHECK_WRONG;
    } catch (...) {
      state.thrown = std::current_exception();
      return WARPTUNE_CHECK_END;
    }
  }

  warptune_tuning* tuning_ = nullptr;
  std::unique_ptr<CheckState> check_;
};

/// Tunes, and waits for the end.
inline TuningResult tune(const Library& library, const TuningRequest& request) {
  return Tuning(library, request).finish();
}

}  // namespace warptune
