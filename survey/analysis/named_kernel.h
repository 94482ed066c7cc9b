// Finding the kernel of a survey that a person names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// The name of the kernel that `text` names. It may be the whole demangled name, the name without return type
/// and parameters, or only the name of the function without namespaces and template arguments. In each of
/// these, `*` stands for any characters, also for none. If several kernels fit, it is the one with most time.
/// `kernels` are those of the survey, the longest first. Throws `base::InputError` with the names of the
/// longest kernels if none fits.
records::Index kernel_named(const records::Survey& survey, const std::vector<KernelTime>& kernels,
                            std::string_view text);

/// `scale` of `app::scale<float>`: a name without namespaces and template arguments. `name` has no return
/// type and no parameters, as `short_kernel_name` returns it.
std::string_view function_name(std::string_view name);

}  // namespace warptune::survey::analysis
