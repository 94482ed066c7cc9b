// libwarptune for C++17. This header only calls the C functions of warptune.h, so a program and
// libwarptune.so may use different C++ standard libraries. docs/library.md explains its use.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "warptune.h"

namespace warptune {

/// A call that failed. `what()` says what was expected and what was found.
class Error : public std::runtime_error {
 public:
  explicit Error(warptune_status status) : std::runtime_error(warptune_last_error()), status_(status) {}
  warptune_status status() const { return status_; }

 private:
  warptune_status status_;
};

/// Throws `Error` unless the status is WARPTUNE_OK.
inline void check(warptune_status status) {
  if (status != WARPTUNE_OK) throw Error(status);
}

/// The value of a problem entry: an integer, a real, a boolean or a text. A text must outlive the call.
struct Value : warptune_value {
  /// The value that the definition gives to the entry.
  Value() : warptune_value{} {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Value(T value) : warptune_value{} {  // NOLINT(google-explicit-constructor): callers write numbers.
    if constexpr (std::is_same_v<T, bool>) {
      type = WARPTUNE_VALUE_BOOLEAN;
      as.integer = value ? 1 : 0;
    } else if constexpr (std::is_integral_v<T>) {
      type = WARPTUNE_VALUE_INTEGER;
      as.integer = static_cast<std::int64_t>(value);
    } else {
      type = WARPTUNE_VALUE_REAL;
      as.real = static_cast<double>(value);
    }
  }
  Value(const char* text) : warptune_value{} {  // NOLINT(google-explicit-constructor)
    type = WARPTUNE_VALUE_TEXT;
    as.text = text;
  }
};

/// An argument of a launch. `buffer`, `scalar` and `usual_scalar` make one.
struct Argument : warptune_argument {};

/// WARPTUNE_F32, ... for an arithmetic type of C++. Types that C++ does not have, such as WARPTUNE_F16, are
/// given to `buffer` by name.
template <class T>
constexpr std::int32_t type_of() {
  using Plain = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<Plain> && !std::is_same_v<Plain, bool>,
                "name the type: buffer(pointer, count, WARPTUNE_F16)");
  if constexpr (std::is_floating_point_v<Plain>) return sizeof(Plain) == 4 ? WARPTUNE_F32 : WARPTUNE_F64;
  constexpr std::int32_t kBase = std::is_signed_v<Plain> ? WARPTUNE_I8 : WARPTUNE_U8;
  return kBase + (sizeof(Plain) == 1 ? 0 : sizeof(Plain) == 2 ? 1 : sizeof(Plain) == 4 ? 2 : 3);
}

/// A buffer of `count` elements in device memory.
template <class T>
Argument buffer(const T* data, std::size_t count) {
  return {{WARPTUNE_BUFFER, type_of<T>(), data, count * sizeof(T)}};
}
/// A buffer of `bytes` bytes. `type` is that of its elements: WARPTUNE_F16, ...
inline Argument buffer(const void* data, std::size_t bytes, std::int32_t type) {
  return {{WARPTUNE_BUFFER, type, data, bytes}};
}
/// A scalar. `value` must outlive the launch call.
template <class T>
Argument scalar(const T& value) {
  return {{WARPTUNE_SCALAR, type_of<T>(), &value, sizeof(T)}};
}
/// A scalar with the definition's value.
template <class T>
Argument usual_scalar() {
  return {{WARPTUNE_SCALAR, type_of<T>(), nullptr, sizeof(T)}};
}

/// Code that is loaded for a selection. The destructor unloads it.
class Code {
 public:
  explicit Code(warptune_code* code) : code_(code) {}
  Code(Code&& other) noexcept : code_(std::exchange(other.code_, nullptr)) {}
  Code& operator=(Code&& other) noexcept {
    std::swap(code_, other.code_);
    return *this;
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { warptune_unload(code_); }

  warptune_code* get() const { return code_; }
  /// WARPTUNE_RUNS_SELECTED, WARPTUNE_RUNS_DEFAULT or WARPTUNE_RUNS_FALLBACK.
  std::int32_t runs() const { return warptune_runs(code_); }
  /// Waits until the selected code runs. Throws if it cannot.
  void wait() { check(warptune_wait(code_)); }
  std::uint64_t workspace_bytes() const { return warptune_workspace_bytes(code_); }

  /// Launches on a stream (CUstream or cudaStream_t). `workspace` is device memory of `workspace_bytes`.
  template <class... Arguments>
  void launch_in(void* stream, void* workspace, std::uint64_t workspace_bytes,
                 const Arguments&... arguments) const {
    const std::array<warptune_argument, sizeof...(Arguments)> all{arguments...};
    check(warptune_launch(code_, stream, all.data(), all.size(), workspace, workspace_bytes));
  }
  /// Launches a kernel that needs no workspace.
  template <class... Arguments>
  void launch(void* stream, const Arguments&... arguments) const {
    launch_in(stream, nullptr, 0, arguments...);
  }

 private:
  warptune_code* code_;
};

/// The configuration that was selected for one problem. It is valid as long as its library is open.
class Selection {
 public:
  Selection() = default;
  explicit Selection(const warptune_selection* selection) : selection_(selection) {}

  const warptune_selection* get() const { return selection_; }
  warptune_selection_info info() const {
    warptune_selection_info info{};
    info.struct_size = sizeof info;
    check(warptune_describe(selection_, &info));
    return info;
  }
  /// Whether the configuration was verified on new inputs at the end of a session (`info().confirmed`).
  bool confirmed() const { return info().confirmed != 0; }
  /// The value of an integer parameter. Throws if there is no such parameter, or if it has another type.
  std::int64_t integer(const char* parameter) const {
    warptune_value value{};
    check(warptune_parameter(selection_, parameter, &value));
    if (value.type != WARPTUNE_VALUE_INTEGER)
      throw std::invalid_argument(std::string(parameter) + " is not an integer");
    return value.as.integer;
  }
  /// Loads the selected code. If it is not in the compile cache, this waits until it is compiled.
  Code load() const { return load_as(0); }
  /// Loads the default if the selected code is not in the compile cache. The selected code replaces the
  /// default as soon as it is compiled.
  Code load_in_background() const { return load_as(1); }

 private:
  Code load_as(std::int32_t in_background) const {
    warptune_load_options options{};
    options.struct_size = sizeof options;
    options.in_background = in_background;
    warptune_code* code = nullptr;
    check(warptune_load(selection_, &options, &code));
    return Code(code);
  }

  const warptune_selection* selection_ = nullptr;
};

/// A kernel on one GPU. It is valid as long as its library is open.
class Kernel {
 public:
  explicit Kernel(warptune_kernel* kernel) : kernel_(kernel) {}

  warptune_kernel* get() const { return kernel_; }
  /// The names of the problem's entries, in the order of `select`.
  std::vector<std::string> problem() const {
    std::vector<std::string> names(warptune_problem_size(kernel_));
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = warptune_problem_name(kernel_, i);
    return names;
  }
  /// Selects the configuration for the values of the problem's entries, in order. Entries that are left out
  /// at the end have the definition's values.
  template <class... Values>
  Selection select(const Values&... values) const {
    const std::array<warptune_value, sizeof...(Values)> all{Value(values)...};
    const warptune_selection* selection = nullptr;
    check(warptune_select(kernel_, all.data(), all.size(), &selection));
    return Selection(selection);
  }

 private:
  warptune_kernel* kernel_;
};

/// An open database or snapshot. The destructor closes it; all its code must be unloaded before.
class Library {
 public:
  Library() : Library(warptune_open_options{}) {}
  /// `struct_size` is filled in.
  explicit Library(warptune_open_options options) {
    options.struct_size = sizeof options;
    check(warptune_open(&options, &library_));
  }
  Library(Library&& other) noexcept : library_(std::exchange(other.library_, nullptr)) {}
  Library& operator=(Library&& other) noexcept {
    std::swap(library_, other.library_);
    return *this;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { warptune_close(library_); }

  warptune_library* get() const { return library_; }
  /// Opens a kernel by its name or path. `device` -1 is the device of the calling thread's context.
  Kernel kernel(const std::string& name, std::int32_t device = -1) const {
    warptune_kernel* kernel = nullptr;
    check(warptune_open_kernel(library_, name.c_str(), device, &kernel));
    return Kernel(kernel);
  }
  /// The hash of the open snapshot. Throws for a database.
  std::string snapshot_hash() const {
    const char* hash = nullptr;
    check(warptune_snapshot_hash(library_, &hash));
    return hash;
  }

 private:
  warptune_library* library_ = nullptr;
};

/// A cache for a place in a program that selects for few problems. The problems may differ only in their
/// first `Count` entries, which are integers. The object remembers the first four problems. Finding one of
/// them takes a few comparisons and writes nothing. All threads may use the same object.
template <std::size_t Count>
class CallSite {
 public:
  /// `others` are the values of at most eight entries after the first `Count`. Their texts must outlive the
  /// object.
  explicit CallSite(Kernel kernel, const std::vector<Value>& others = {}) : kernel_(kernel) {
    if (others.size() > kMaxOthers)
      throw std::invalid_argument("a CallSite can have at most 8 other entries");
    for (const Value& other : others) values_[Count + others_++] = other;
  }

  template <class... Sizes>
  Selection select(Sizes... sizes) {
    static_assert(sizeof...(Sizes) == Count, "one integer for each of the first entries");
    const std::array<std::int64_t, Count> asked{static_cast<std::int64_t>(sizes)...};
    const std::size_t known = known_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < known; ++i) {
      if (places_[i].asked == asked) return places_[i].selection;
    }
    return find(asked);
  }

 private:
  static constexpr std::size_t kPlaces = 4;
  static constexpr std::size_t kMaxOthers = 8;
  struct Place {
    std::array<std::int64_t, Count> asked;
    Selection selection;
  };

  Selection find(const std::array<std::int64_t, Count>& asked) {
    std::array<warptune_value, Count + kMaxOthers> values = values_;
    for (std::size_t i = 0; i < Count; ++i) values[i] = Value(asked[i]);
    const warptune_selection* found = nullptr;
    check(warptune_select(kernel_.get(), values.data(), Count + others_, &found));
    if (known_.load(std::memory_order_acquire) < kPlaces) remember(asked, Selection(found));
    return Selection(found);
  }

  void remember(const std::array<std::int64_t, Count>& asked, Selection selection) {
    const std::lock_guard<std::mutex> lock(adding_);
    const std::size_t known = known_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < known; ++i) {
      if (places_[i].asked == asked) return;
    }
    if (known == kPlaces) return;
    places_[known] = {asked, selection};
    known_.store(known + 1, std::memory_order_release);
  }

  Kernel kernel_;
  // The first `Count` values are set by `find`, in its copy.
  std::array<warptune_value, Count + kMaxOthers> values_{};
  std::size_t others_ = 0;
  std::array<Place, kPlaces> places_{};
  std::atomic<std::size_t> known_{0};
  std::mutex adding_;
};

}  // namespace warptune
