#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::kernel_templates::inspection {

/// A parameter of a function or template as the source writes it.
struct WrittenParameter {
  std::string type;  ///< With single blanks, without `const` of the parameter itself and `__restrict__`.
  std::string name;  ///< Empty if the source gives none.
};

/// A `__global__` function of a source.
struct KernelSignature {
  std::string name;
  int line = 0;
  bool is_template = false;
  std::vector<WrittenParameter> template_parameters;
  std::vector<WrittenParameter> parameters;
};

/// The `__global__` functions of a text, in order, each name once. Preprocessor lines are not evaluated, so a
/// function that only a macro writes is not found.
std::vector<KernelSignature> kernel_signatures(std::string_view code);

}  // namespace warptune::kernel_templates::inspection
