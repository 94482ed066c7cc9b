#include "tuner/exporting/cuda_kernel.h"

#include <array>
#include <string_view>

#include "base/text.h"
#include "model/value.h"

namespace warptune::tuner::exporting {

std::string CudaKernel::cell(const model::Expression& expression) const {
  return db::cell_text(expression.text(), names.members);
}

bool CudaKernel::has_varying_type(const kernel_templates::Argument& argument) const {
  return model::find(definition().problem, argument.type) != nullptr;
}

std::string CudaKernel::type_of(const kernel_templates::Argument& argument) const {
  return has_varying_type(argument) ? names.members.at(argument.type) : db::cpp_string(argument.type);
}

std::string CudaKernel::name_of(const kernel_templates::Argument& argument) {
  static const std::vector<std::string> kTaken = {
      "stream", "problem", "device",  "config", "workspace",  "workspace_size", "choice", "space",
      "error",  "ordinal", "kernels", "shapes", "parameters", "ready",          "fault",  "table"};
  return base::contains(kTaken, argument.name) ? argument.name + "_argument" : argument.name;
}

bool is_given_by_caller(const kernel_templates::Argument& argument) {
  return argument.kind == kernel_templates::ArgumentKind::kScalar && argument.value->variables().empty();
}

}  // namespace warptune::tuner::exporting
