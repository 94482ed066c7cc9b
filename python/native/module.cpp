// The extension module `warptune._native`. Only the package's Python code calls it. That code converts users'
// arguments for these functions, and makes typed objects from the JSON that they return.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "kernel_templates/library.h"
#include "python/native/bindings.h"
#include "python/native/calls/loading.h"
#include "python/native/kernel_source.h"
#include "python/native/named_values.h"
#include "python/native/python_words.h"
#include "tuner/processes/worker_program.h"

namespace warptune::python::native {

namespace nb = nanobind;

namespace {

void make_source(KernelSource* source, std::string kernel, std::vector<std::string> readable, bool trusted,
                 const nb::dict& sizes) {
  new (source) KernelSource{std::move(kernel), std::move(readable), trusted, named_values(sizes)};
}

}  // namespace

NB_MODULE(_native, module) {
  nb::set_leak_warnings(false);  // The module's objects live until the process ends, which is not a leak.
  module.attr("version") = base::kVersion;
  bind_errors();
  module.def("printable", &base::printable, nb::arg("text"),
             "The text, with escapes for characters that must not reach a terminal.");
  module.def(
      "in_python", [](const std::string& text) { return in_python(text); }, nb::arg("text"),
      "A message of the command line, in the words of the package.");
  nb::class_<KernelSource>(module, "KernelSource", "A kernel, its problem, and what its definition may do.")
      .def("__init__", &make_source, nb::arg("kernel"), nb::arg("readable"), nb::arg("trusted"),
           nb::arg("sizes"))
      .def_ro("kernel", &KernelSource::kernel);
  module.def("shipped_kernels", &kernel_templates::shipped_kernels,
             "The names of the shipped kernels, sorted.");
  module.def("set_worker_program", &tuner::processes::set_worker_program, nb::arg("path"),
             "The program that workers of a session run.");
  bind_space(module);
  bind_own_data(module);
  bind_sessions(module);
  bind_questions(module);
  calls::bind_loading(module);
}

}  // namespace warptune::python::native
