// Makes a first definition from a captured launch. What the launch does not show is guessed, and a person has
// to check it. Lines with such a guess have a comment.
#include "tuner/drafting/captured_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/inspection/kernel_signatures.h"
#include "kernel_templates/inspection/kernel_source.h"
#include "tuner/drafting/captured_arguments.h"
#include "tuner/drafting/captured_buffers.h"
#include "tuner/drafting/captured_launch_shape.h"
#include "tuner/drafting/instance_name.h"
#include "tuner/drafting/matched_parameters.h"
#include "tuner/drafting/problem_sizes.h"
#include "tuner/drafting/toml_text.h"

namespace warptune::tuner::drafting {

using kernel_templates::inspection::KernelSource;
using profiling::captures::CapturedLaunch;

namespace {

KernelSource captured_source(const std::filesystem::path& source, const std::optional<std::string>& entry,
                             const CapturedLaunch& launch) {
  const std::string captured = instance_name(launch.name).function;
  if (entry && *entry != captured) {
    throw base::InputError(
        fmt::format("the capture has a launch of '{}', not of '{}'", base::printable_line(captured), *entry));
  }
  try {
    return KernelSource(source, captured);
  } catch (const base::InputError& error) {
    const auto kernels = kernel_templates::inspection::kernel_signatures(base::read_file(source));
    if (std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) { return one.name == captured; }))
      throw;
    throw base::InputError(
        fmt::format("the capture has a launch of '{}': {}", base::printable_line(captured), error.message()),
        error.position());
  }
}

using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;

// A size must not have the name of a parameter or of another size.
std::string unused_name(std::string name, const std::vector<std::string>& taken, const NamedSizes& named) {
  const auto is_used = [&] {
    return base::contains(taken, name) ||
           std::any_of(named.begin(), named.end(), [&](const auto& one) { return one.first == name; });
  };
  while (is_used()) name += "_";
  return name;
}

// Names the integers that may be sizes. Integers below 2 explain nothing, so they keep no name.
NamedSizes named_sizes(std::vector<MatchedParameter>& parameters, const std::vector<std::string>& taken) {
  NamedSizes named;
  visit_values(parameters, [&](MatchedParameter& parameter) {
    if (parameter.size.empty() || *parameter.value < 2) return parameter.size.clear();
    parameter.size = unused_name(parameter.size, taken, named);
    named.emplace_back(parameter.size, *parameter.value);
  });
  return named;
}

// The number of buffers that the sizes explain.
std::size_t explained_buffers(ProblemSizes& sizes, const std::vector<DraftedBuffer>& buffers) {
  std::size_t explained = 0;
  for (const DraftedBuffer& buffer : buffers) explained += sizes.count(buffer.elements) ? 1U : 0U;
  return explained;
}

// The integers that explain the buffers or the grid. If they do not explain the grid, its blocks may be rows
// of the buffers. If nothing explains anything, the size is the number of elements of the largest buffer.
ProblemSizes chosen_sizes(std::vector<MatchedParameter>& parameters,
                          const std::vector<DraftedBuffer>& buffers, const CapturedLaunchShape& shape,
                          const CapturedLaunch& launch) {
  NamedSizes named = named_sizes(parameters, shape.names());
  ProblemSizes sizes(named);
  const std::size_t explained = explained_buffers(sizes, buffers);
  if (!shape.explain_grid(sizes) && launch.grid[0] > 1) {
    named.emplace_back(unused_name("BLOCKS", shape.names(), named), launch.grid[0]);
    ProblemSizes with_blocks(named);
    shape.explain_grid(with_blocks);
    if (explained_buffers(with_blocks, buffers) > explained) return with_blocks;
  }
  if (!sizes.used().empty()) return sizes;
  std::int64_t largest = 0;
  // The integers keep their values, whatever their names are.
  visit_values(parameters, [](MatchedParameter& parameter) { parameter.size.clear(); });
  for (const DraftedBuffer& buffer : buffers) largest = std::max(largest, buffer.elements);
  return ProblemSizes({{base::contains(shape.names(), "N") ? "ELEMENTS" : "N", largest}});
}

std::string problem_text(const ProblemSizes& sizes) {
  std::string text;
  const NamedSizes used = sizes.used();
  for (auto one = used.begin(); one != used.end(); ++one) {
    const auto same =
        std::find_if(used.begin(), one, [&](const auto& other) { return other.second == one->second; });
    text += fmt::format(
        "{} = {}{}\n", one->first, one->second,
        same == one ? "" : fmt::format("  # equal to {}, so lines below may mean it", same->first));
  }
  return text;
}

std::string check_text(const CapturedArguments& arguments, const std::string& folder) {
  if (arguments.expected.empty()) return "";
  std::string paths;
  for (const auto& [output, file] : arguments.expected)
    paths += fmt::format("{}{} = {}", paths.empty() ? "" : ", ", output,
                         toml_string(fmt::format("{}/{}", folder, file)));
  return fmt::format(
      "[check]\n# the outputs of the captured launch. They are right for the sizes of [problem] only; for "
      "other "
      "sizes,\n# write another reference: an entry, an expression or a configuration\n"
      "reference = \"file\"\npath = {{ {} }}\n"
      "# the tolerance is that of the type; sums in another order may need one: relative = 1e-4\n",
      paths);
}

}  // namespace

std::uint64_t CapturedDefinition::contents_bytes() const {
  std::uint64_t sum = 0;
  for (const ContentsFile& file : files) sum += file.elements.size();
  return sum;
}

CapturedDefinition captured_definition(const std::filesystem::path& source,
                                       const std::optional<std::string>& entry, const CapturedLaunch& launch,
                                       const std::string& folder) {
  const KernelSource kernel = captured_source(source, entry, launch);
  std::vector<MatchedParameter> parameters = matched_parameters(kernel, launch);
  const std::string& name = kernel.kernel().name;
  const std::vector<DraftedBuffer> buffers = drafted_buffers(parameters, launch);
  if (buffers.empty())
    throw base::InputError(
        fmt::format("{} has no pointer to captured memory, so there are no contents to compare", name));
  CapturedLaunchShape shape(kernel, launch);
  ProblemSizes sizes = chosen_sizes(parameters, buffers, shape, launch);
  CapturedArguments arguments =
      captured_arguments({kernel, launch, parameters, buffers, folder,
                          [&](const std::string& type) { return shape.type_entry(type); }},
                         sizes);
  CapturedDefinition definition;
  const std::string sections = shape.sections(sizes, arguments.passed);
  definition.text = fmt::format(
      "# A first definition of {0}, from a captured launch on {1}.\n"
      "# Look at the lines with a comment, and change what they guess.\n"
      "[kernel]\nname = \"{0}\"\nentry = {2}\nsource = {3}\n\n[problem]\n{4}{5}\n{6}{7}{8}",
      name, base::printable_line(launch.gpu_name), toml_string(shape.entry()),
      toml_string(kernel.file_name()), problem_text(sizes), shape.type_entries(), sections, arguments.text,
      check_text(arguments, folder));
  definition.files = std::move(arguments.files);
  definition.notes = std::move(arguments.notes);
  if (arguments.expected.empty()) {
    definition.notes.push_back(fmt::format(
        "{} has no pointer to elements that it may change, so the definition has no [check].", name));
  }
  definition.notes.insert(definition.notes.end(), launch.notes.begin(), launch.notes.end());
  return definition;
}

}  // namespace warptune::tuner::drafting
