#include "kernel_templates/resolution/sized_arguments.h"

#include <utility>

#include "base/error.h"

namespace warptune::kernel_templates::resolution {

std::vector<ResolvedArgument> sized_arguments(const KernelInstance& instance) {
  const model::NamedValues& usual = instance.default_configuration();
  auto resolved =
      instance.arguments(usual.empty() ? instance.space().values_of(instance.space().at(0)) : usual);
  if (resolved) return std::move(*resolved);
  throw base::InputError("cannot compute the sizes of the arguments: " + resolved.error().reason,
                         {instance.definition().path.string(), 0, 0});
}

}  // namespace warptune::kernel_templates::resolution
