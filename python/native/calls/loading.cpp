#include "python/native/calls/loading.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"
#include "python/native/calls/loaded_kernel.h"
#include "python/native/kernel_source.h"
#include "python/native/named_values.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

namespace {

const char* kind_name(kernel_templates::ArgumentKind kind) {
  switch (kind) {
    case kernel_templates::ArgumentKind::kIn:
      return "in";
    case kernel_templates::ArgumentKind::kOut:
      return "out";
    case kernel_templates::ArgumentKind::kInOut:
      return "inout";
    case kernel_templates::ArgumentKind::kScalar:
      return "scalar";
    default:
      return "other";
  }
}

/// An argument of a call, for Python.
struct LoadedArgument {
  std::string name;
  std::string kind;
  std::string dtype;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  bool is_fixed = false;
};

LoadedArgument described(const profiling::ExpectedArgument& one) {
  return {one.name,  kind_name(one.kind), std::string(kernel_templates::info(one.type).name),
          one.bytes, one.alignment,       one.is_fixed};
}

std::vector<LoadedArgument> arguments_of(const LoadedKernel& kernel) {
  std::vector<LoadedArgument> arguments;
  for (const profiling::ExpectedArgument& one : kernel.expected()) arguments.push_back(described(one));
  return arguments;
}

// The arguments of calls, without a GPU. Sizes and alignment are unknown: `bytes` is 0 and `alignment` is 1.
std::vector<LoadedArgument> signature(const KernelSource& source) {
  const nb::gil_scoped_release free;
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(source.kernel, source.permissions());
  std::vector<LoadedArgument> arguments;
  for (const kernel_templates::Argument& one : definition.arguments) {
    const std::string kind = kind_name(one.kind);
    if (kind == "other") continue;
    arguments.push_back({one.name, kind, one.type, 0, 1, one.value && !one.value->variables().empty()});
  }
  return arguments;
}

nb::object match_of(const LoadedKernel& kernel) {
  const nb::object document = nb::module_::import_("json").attr("loads")(kernel.found().match);
  return nb::module_::import_("warptune.results").attr("Match").attr("of")(document);
}

const char* kernel_state(const LoadedKernel& kernel) {
  switch (kernel.resident().code().state()) {
    case library::LoadedCode::State::kSelected:
      return "selected";
    case library::LoadedCode::State::kDefault:
      return "default";
    case library::LoadedCode::State::kFallback:
      break;
  }
  return "fallback";
}

void wait(const LoadedKernel& kernel) {
  kernel.check_process();
  const nb::gil_scoped_release free;
  kernel.resident().code().wait();
}

std::string text_of(const LoadedKernel& kernel) {
  return "<warptune.LoadedKernel " + kernel.found().kernel + " (" + model::to_text(kernel.found().problem) +
         "): " + model::to_text(kernel.found().configuration) + ">";
}

nb::object refuse_pickle(const LoadedKernel&) {
  throw base::InputError(
      "a loaded kernel belongs to its process; pickle the warptune.Kernel, and load it in the other process");
}

LoadedKernel load_kernel(const KernelSource& source, std::optional<int> device, std::string objective,
                         std::string cache, bool strict, std::optional<std::string> reproducible,
                         bool in_background, std::optional<std::string> database) {
  return load(source, {device, std::move(objective), std::move(cache), strict, in_background,
                       std::move(database), std::move(reproducible)});
}

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_kernel)}, {0, nullptr}};

}  // namespace

void bind_loading(nb::module_& module) {
  nb::class_<LoadedArgument>(module, "LoadedArgument", "An argument of a call of a loaded kernel.")
      .def_ro("name", &LoadedArgument::name)
      .def_ro("kind", &LoadedArgument::kind, "\"in\", \"out\", \"inout\" or \"scalar\".")
      .def_ro("dtype", &LoadedArgument::dtype, "The type as definitions name it: \"f32\".")
      .def_ro("bytes", &LoadedArgument::bytes, "The minimum size of an array; the size of a scalar.")
      .def_ro("alignment", &LoadedArgument::alignment, "An array's address is a multiple of it; in bytes.")
      .def_ro("is_fixed", &LoadedArgument::is_fixed,
              "The problem decides the value, so calls may leave it out.");
  nb::class_<LoadedKernel>(module, "LoadedKernel", nb::type_slots(slots), nb::is_weak_referenceable(),
                           "The best known configuration of a kernel. Calling the object launches it.")
      .def_prop_ro("kernel", [](const LoadedKernel& kernel) { return kernel.found().kernel; })
      .def_prop_ro(
          "problem", [](const LoadedKernel& kernel) { return to_python(kernel.found().problem); },
          "The problem for which the kernel was loaded.")
      .def_prop_ro(
          "configuration", [](const LoadedKernel& kernel) { return to_python(kernel.found().configuration); },
          "The configuration that was found for the problem.")
      .def_prop_ro("match", &match_of, "How well the configuration fits, as `Kernel.best` returns it.")
      .def_prop_ro("arguments", &arguments_of, "The arguments that calls pass, in order.")
      .def_prop_ro(
          "workspace_bytes",
          [](const LoadedKernel& kernel) { return kernel.resident().code().workspace_bytes(); },
          "The size of the memory that a launch needs besides its arguments.")
      .def_prop_ro("device", [](const LoadedKernel& kernel) { return kernel.found().device; })
      .def_prop_ro(
          "state", &kernel_state,
          "What runs: \"selected\", the \"default\" until the selected code is compiled, or the default as "
          "a \"fallback\" if it cannot be.")
      .def("wait", &wait,
           "Waits until the selected configuration runs. Raises `WorkError` with the reason if it cannot.")
      .def("__repr__", &text_of)
      .def("__reduce__", &refuse_pickle, nb::sig("def __reduce__(self) -> str | tuple[object, ...]"));
  module.def("load", &load_kernel, nb::arg("source"), nb::arg("device").none(), nb::arg("objective"),
             nb::arg("cache"), nb::arg("strict"), nb::arg("reproducible").none(), nb::arg("in_background"),
             nb::arg("database").none());
  module.def("signature", &signature, nb::arg("source"));
  module.def("finish_loading", &finish_loading);
}

}  // namespace warptune::python::native::calls
