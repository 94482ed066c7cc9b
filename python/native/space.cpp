#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "python/native/bindings.h"
#include "python/native/kernel_source.h"
#include "python/native/named_values.h"
#include "search/strategy.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/knowledge/usual_gpu.h"

namespace warptune::python::native {

namespace nb = nanobind;

namespace {

/// The space of a kernel for one problem, on this machine's first GPU or, without one, on a fictional GPU.
class KernelSpace {
 public:
  explicit KernelSpace(const KernelSource& source) : instance_(instance_of(source)) {}

  std::uint64_t size() const { return space().size(); }
  bool is_exact() const { return space().is_exact(); }
  double estimated_size() const { return space().estimated_size(); }
  std::string kernel() const { return instance_.definition().name; }
  nb::dict problem() const { return to_python(instance_.problem()); }
  nb::dict default_configuration() const { return to_python(instance_.default_configuration()); }

  std::vector<std::pair<std::string, std::vector<model::Value>>> parameters() const {
    std::vector<std::pair<std::string, std::vector<model::Value>>> named;
    for (const model::Parameter& parameter : space().parameters())
      named.emplace_back(parameter.name, parameter.values);
    return named;
  }

  std::vector<std::string> constraints() const {
    std::vector<std::string> texts;
    for (const model::Constraint& constraint : space().constraints())
      texts.push_back(constraint.expression.text());
    return texts;
  }

  // Returns std::nullopt if the configuration breaks a constraint. That is possible only if `is_exact` is
  // false: a costly constraint was left out of the space's index.
  std::optional<nb::dict> at(std::uint64_t index) const {
    if (index >= size()) throw nb::index_error("the index is beyond the size of the space");
    const model::Configuration found = space().at(index);
    if (!space().is_exact() && !space().contains(found)) return std::nullopt;
    return to_python(space().values_of(found));
  }

  std::optional<std::uint64_t> index_of(const nb::dict& values) const {
    const base::Result<model::Configuration> found = space().configuration_of(named_values(values));
    return found ? space().index_of(*found) : std::nullopt;
  }

  // The reasons why a configuration is not in the space; empty if it is.
  std::vector<std::string> why_not(const nb::dict& values) const {
    const base::Result<model::Configuration> found = space().configuration_of(named_values(values));
    return found ? space().broken_constraints(*found) : std::vector<std::string>{found.error()};
  }

  nb::list neighbours(const nb::dict& values, bool adjacent) const {
    const base::Result<model::Configuration> found = space().configuration_of(named_values(values));
    if (!found) throw base::InputError(found.error());
    return listed(space().neighbours(
        *found, adjacent ? model::Neighbourhood::kAdjacent : model::Neighbourhood::kHamming));
  }

  // Draws different configurations, as `warptune space --sample` does. The same seed gives the same ones.
  nb::list sample(std::uint64_t count, std::uint64_t seed) const {
    search::StrategyOptions options;
    options.seed = seed;
    return listed(search::make_strategy("random", space(), options)->ask(count));
  }

 private:
  static kernel_templates::KernelInstance instance_of(const KernelSource& source) {
    const nb::gil_scoped_release free;
    const kernel_templates::KernelDefinition definition =
        kernel_templates::load_kernel(source.kernel, source.permissions());
    return {definition, source.sizes,
            tuner::knowledge::usual_gpu(tuner::gpus::list_local_gpus, tuner::gpus::recognise_local_gpu)};
  }

  const model::Space& space() const { return instance_.space(); }

  nb::list listed(const std::vector<model::Configuration>& configurations) const {
    nb::list list;
    for (const model::Configuration& configuration : configurations)
      list.append(to_python(space().values_of(configuration)));
    return list;
  }

  kernel_templates::KernelInstance instance_;
};

}  // namespace

void bind_space(nb::module_& module) {
  nb::class_<KernelSpace>(module, "KernelSpace", "The space of a kernel for one problem.")
      .def(nb::init<const KernelSource&>(), nb::arg("source"))
      .def_prop_ro("size", &KernelSpace::size)
      .def_prop_ro("is_exact", &KernelSpace::is_exact)
      .def_prop_ro("estimated_size", &KernelSpace::estimated_size)
      .def_prop_ro("kernel", &KernelSpace::kernel)
      .def_prop_ro("problem", &KernelSpace::problem)
      .def_prop_ro("default", &KernelSpace::default_configuration)
      .def_prop_ro("parameters", &KernelSpace::parameters)
      .def_prop_ro("constraints", &KernelSpace::constraints)
      .def("at", &KernelSpace::at, nb::arg("index"))
      .def("index_of", &KernelSpace::index_of, nb::arg("configuration"))
      .def("why_not", &KernelSpace::why_not, nb::arg("configuration"))
      .def("neighbours", &KernelSpace::neighbours, nb::arg("configuration"), nb::arg("adjacent"))
      .def("sample", &KernelSpace::sample, nb::arg("count"), nb::arg("seed"));
}

}  // namespace warptune::python::native
