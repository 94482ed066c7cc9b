// The arguments of a definition, with the contents of a captured launch.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/inspection/kernel_source.h"
#include "profiling/captures/captured_launch.h"
#include "tuner/drafting/captured_buffers.h"
#include "tuner/drafting/captured_definition.h"
#include "tuner/drafting/matched_parameters.h"
#include "tuner/drafting/problem_sizes.h"

namespace warptune::tuner::drafting {

/// The arguments as text, and what else a definition needs of them.
struct CapturedArguments {
  std::string text;    ///< All `[[argument]]` tables.
  std::string passed;  ///< `arguments` of `[launch]`; empty if the launch passes all of them in order.
  std::vector<ContentsFile> files;
  std::vector<std::pair<std::string, std::string>> expected;  ///< Output -> the name of its file.
  std::vector<std::string> notes;
};

/// What the arguments are made of.
struct ArgumentSource {
  const kernel_templates::inspection::KernelSource& source;
  const profiling::captures::CapturedLaunch& launch;
  const std::vector<MatchedParameter>& parameters;
  const std::vector<DraftedBuffer>& buffers;
  const std::string& folder;  ///< The folder of the files, relative to the definition.
  /// The entry of `[problem]` for a parameter of the template that names a type.
  std::function<std::string(const std::string&)> type_entry;
};

/// Allocations become arguments of kind `in` if all pointers into them are to constants, else `inout`.
/// Variables that the source names become arguments with a symbol.
CapturedArguments captured_arguments(const ArgumentSource& from, ProblemSizes& sizes);

}  // namespace warptune::tuner::drafting
