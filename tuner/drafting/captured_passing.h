// What the launch of a definition passes, from a captured launch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/drafting/captured_buffers.h"
#include "tuner/drafting/matched_parameters.h"
#include "tuner/drafting/problem_sizes.h"

namespace warptune::tuner::drafting {

/// Whether all arguments of the definition, in order, are what the launch passed. Else the definition needs
/// `[launch] arguments`.
bool passes_all_in_order(const std::vector<MatchedParameter>& parameters,
                         const std::vector<DraftedBuffer>& buffers);

/// The key `arguments` of `[launch]`, with a line break. `type_text` gives the type of a number in the
/// definition.
std::string passing_text(const std::vector<MatchedParameter>& parameters,
                         const std::vector<DraftedBuffer>& buffers, ProblemSizes& sizes,
                         const std::function<std::string(const MatchedParameter&)>& type_text);

/// The value of a number: a size of the problem, or what the launch passed.
std::string number_text(const MatchedParameter& parameter, const ProblemSizes& sizes);

}  // namespace warptune::tuner::drafting
