// The call of a loaded kernel. Programs call it often, so it must be fast: it only reads attributes and calls
// methods of the arguments. Names are interned, and types are compared by identity.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "profiling/resident_kernel.h"
#include "python/native/bindings.h"
#include "python/native/calls/array_view.h"
#include "python/native/calls/interned.h"
#include "python/native/calls/launch_stream.h"
#include "python/native/calls/launch_workspace.h"
#include "python/native/calls/loaded_kernel.h"
#include "python/native/calls/scalar_value.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

using profiling::ExpectedArgument;
using profiling::GivenArgument;
using profiling::kMaxLaunchArguments;
using profiling::LaunchFault;
using profiling::LaunchOutcome;

namespace {

/// What the caller passed for each expected argument. If it is null, the definition's value is used.
struct Passed {
  std::array<PyObject*, kMaxLaunchArguments> values{};
  PyObject* stream = nullptr;  ///< Null if none was passed.
};

[[noreturn, gnu::noinline]] void refuse_argument(const LoadedKernel& kernel, std::size_t index,
                                                 const char* why) {
  throw base::InputError(fmt::format("{}: argument {} (\"{}\"): {}", kernel.found().kernel, index + 1,
                                     kernel.expected()[index].name, why));
}

[[noreturn, gnu::noinline]] void refuse_count(const LoadedKernel& kernel, std::size_t found) {
  std::string names;
  for (const ExpectedArgument& one : kernel.expected())
    names +=
        fmt::format("{}{}{}", names.empty() ? "" : ", ", one.name, one.is_fixed ? " (may be left out)" : "");
  throw base::InputError(fmt::format("{}: expected {} arguments ({}), found {}", kernel.found().kernel,
                                     kernel.expected().size(), names, found));
}

// Those of `indices` whose arguments have no value yet.
std::vector<std::size_t> open_of(const std::vector<std::size_t>& indices, const Passed& passed) {
  std::vector<std::size_t> open;
  for (const std::size_t index : indices) {
    if (passed.values.at(index) == nullptr) open.push_back(index);
  }
  return open;
}

[[noreturn, gnu::noinline]] void refuse_order(const LoadedKernel& kernel, std::size_t named) {
  throw base::InputError(fmt::format("{}: \"{}\" is given by its name, and arguments after it by position",
                                     kernel.found().kernel, kernel.expected()[named].name));
}

// Assigns the positional arguments to the expected ones in order. The caller may leave out all scalars that
// follow from the problem, or all scalars. As in Python, arguments with names come after them in this order.
void place_positional(const LoadedKernel& kernel, PyObject* arguments, std::size_t count, Passed& passed) {
  std::vector<std::size_t> all(kernel.expected().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::optional<std::size_t> early;
  for (const auto* candidates : {&std::as_const(all), &kernel.free(), &kernel.buffers()}) {
    const std::vector<std::size_t> open = open_of(*candidates, passed);
    if (open.size() != count) continue;
    const auto [named, other] =
        std::mismatch(candidates->begin(), candidates->end(), open.begin(), open.end());
    if (other != open.end()) {
      early = early.value_or(*named);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i)
      passed.values.at(open[i]) = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i));
    return;
  }
  if (early) refuse_order(kernel, *early);
  refuse_count(kernel, count);
}

std::size_t index_of(const LoadedKernel& kernel, PyObject* name) {
  const std::vector<ExpectedArgument>& expected = kernel.expected();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(name, expected[i].name.c_str()) == 0) return i;
  }
  throw base::InputError(fmt::format("{}: there is no argument \"{}\"", kernel.found().kernel,
                                     nb::cast<std::string>(nb::str(nb::handle(name)))));
}

void place_named(const LoadedKernel& kernel, PyObject* named, Passed& passed) {
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(named, &position, &name, &value) != 0) {
    if (PyUnicode_CompareWithASCIIString(name, "stream") == 0) {
      if (value != Py_None) passed.stream = value;
    } else {
      passed.values.at(index_of(kernel, name)) = value;
    }
  }
}

Passed passed_to(const LoadedKernel& kernel, PyObject* arguments, PyObject* named) {
  Passed passed;
  if (named != nullptr) place_named(kernel, named, passed);
  const auto count = static_cast<std::size_t>(PyTuple_Size(arguments));
  const std::size_t all = kernel.expected().size();
  const bool has_names = named != nullptr && PyDict_Size(named) > (passed.stream != nullptr ? 1 : 0);
  if (has_names || (count != all && count != kernel.free().size())) {
    place_positional(kernel, arguments, count, passed);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      passed.values[count == all ? i : kernel.free()[i]] =
          PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i));
    }
  }
  return passed;
}

/// One call, from what was passed to the launch.
class Call {
 public:
  Call(const LoadedKernel& kernel, const Passed& passed) : kernel_(kernel), passed_(passed) {}

  void run() {
    find_libraries();
    stream_ = passed_.stream != nullptr ? stream_of(passed_.stream) : current_stream_of(library_, device());
    if (kernel_.resident().code().workspace_bytes() > 0 || library_ == ArrayLibrary::kOther) {
      const profiling::PrimaryContext use(device());
      launch_arguments();
    } else {
      launch_arguments();
    }
    record_streams();
  }

 private:
  int device() const { return kernel_.found().device; }

  void find_libraries() {
    for (const std::size_t i : kernel_.buffers()) {
      if (passed_.values[i] == nullptr) refuse_argument(kernel_, i, "expected an array, found nothing");
      libraries_[i] = library_of(passed_.values[i]);
      if (library_ == ArrayLibrary::kOther || libraries_[i] == ArrayLibrary::kTorch) library_ = libraries_[i];
    }
  }

  void read(std::size_t i, const ExpectedArgument& wanted) {
    GivenArgument& given = given_[i];
    PyObject* const value = passed_.values[i];
    given = {wanted.is_buffer(), wanted.type, 0, 0, nullptr};
    if (!wanted.is_buffer()) {
      if (value == nullptr || value == Py_None) return;
      write_scalar(value, wanted.type, scalars_[i]);
      given.value = &scalars_[i];
      return;
    }
    const bool is_written = wanted.kind != kernel_templates::ArgumentKind::kIn;
    const ArrayView view = view_of(value, libraries_[i], {wanted.type, device(), is_written}, stream_);
    given.address = view.address;
    given.bytes = view.bytes;
  }

  void launch_arguments() {
    const std::vector<ExpectedArgument>& expected = kernel_.expected();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      try {
        read(i, expected[i]);
      } catch (const UnusableArgument& error) {
        refuse_argument(kernel_, i, error.what());
      }
    }
    ResidentCode& resident = kernel_.resident();
    const std::uint64_t bytes = resident.code().workspace_bytes();
    const CallWorkspace workspace(library_, stream_, bytes, resident.workspaces());
    const profiling::ResidentKernel& code = *resident.code().current();
    const std::span<const GivenArgument> given(given_.data(), expected.size());
    LaunchOutcome outcome = code.launch(stream_, given, workspace.address(), bytes);
    if (is_in_other_context(outcome)) {
      const profiling::PrimaryContext use(device());
      outcome = code.launch(stream_, given, workspace.address(), bytes);
    }
    if (!outcome.ok()) refuse(code, outcome);
  }

  // Whether the launch failed because the thread's current context is not that of the kernel's device. A
  // thread has no context before it first uses CUDA's runtime, and PyTorch may work on another device.
  static bool is_in_other_context(const LaunchOutcome& outcome) {
    constexpr std::uint64_t kInvalidContext = 201;  // CUDA_ERROR_INVALID_CONTEXT.
    return outcome.fault == LaunchFault::kStreamContext ||
           (outcome.fault == LaunchFault::kDriver && outcome.found == kInvalidContext);
  }

  [[noreturn, gnu::noinline]] void refuse(const profiling::ResidentKernel& code,
                                          const LaunchOutcome& outcome) const {
    const std::string text = fmt::format("{}: {}", kernel_.found().kernel, code.describe(outcome));
    if (outcome.fault == LaunchFault::kDriver)
      throw base::MachineError(text, "find the first error of CUDA in this process");
    throw base::InputError(text);
  }

  void record_streams() {
    if (passed_.stream == nullptr || library_ != ArrayLibrary::kTorch ||
        stream_ == current_stream_of(ArrayLibrary::kTorch, device()))
      return;
    const nb::object stream = recordable_stream(passed_.stream, stream_, device());
    for (const std::size_t i : kernel_.buffers()) {
      if (libraries_[i] == ArrayLibrary::kTorch) record_stream(passed_.values[i], stream);
    }
  }

  const LoadedKernel& kernel_;
  const Passed& passed_;
  ArrayLibrary library_ = ArrayLibrary::kOther;  ///< The library whose stream and allocator are used.
  void* stream_ = nullptr;
  std::array<ArrayLibrary, kMaxLaunchArguments> libraries_;  // Only those of buffers are set.
  std::array<std::uint64_t, kMaxLaunchArguments> scalars_;   // Only what is passed is set.
  std::array<GivenArgument, kMaxLaunchArguments> given_;     // Only what is expected is set.
};

}  // namespace

PyObject* call_kernel(PyObject* self, PyObject* arguments, PyObject* named) noexcept {
  try {
    const LoadedKernel& kernel = *nb::inst_ptr<LoadedKernel>(nb::handle(self));
    kernel.check_process();
    const Passed passed = passed_to(kernel, arguments, named);
    Call(kernel, passed).run();
    Py_INCREF(Py_None);
    return Py_None;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const base::Error& error) {
    set_exception(error);
  } catch (const std::exception& error) {
    set_exception(base::InternalError(error.what()));
  }
  return nullptr;
}

}  // namespace warptune::python::native::calls
