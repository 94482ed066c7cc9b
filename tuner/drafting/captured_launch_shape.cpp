#include "tuner/drafting/captured_launch_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/inspection/written_types.h"
#include "tuner/drafting/instance_name.h"

namespace warptune::tuner::drafting {

namespace inspection = kernel_templates::inspection;

namespace {

// The integer that a demangled template argument has, such as `256`, `256u` or `(bool)1`. Returns
// std::nullopt for values of an enumeration, such as `(Op)1`: without the type, they do not name the
// instance.
std::optional<std::int64_t> integer_in(std::string_view argument) {
  if (argument == "true" || argument == "false") return argument == "true" ? 1 : 0;
  if (argument.starts_with('(')) {
    const std::size_t close = argument.find(')');
    if (close == std::string_view::npos) return std::nullopt;
    constexpr std::array<std::string_view, 6> kSmall = {"bool",          "char",  "signed char",
                                                        "unsigned char", "short", "unsigned short"};
    if (std::find(kSmall.begin(), kSmall.end(), argument.substr(1, close - 1)) == kSmall.end())
      return std::nullopt;
    argument.remove_prefix(close + 1);
  }
  std::int64_t value = 0;
  const char* const end = argument.data() + argument.size();
  const auto [rest, error] = std::from_chars(argument.data(), end, value);
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  const bool is_plain = suffix.find_first_not_of("ulUL") == std::string_view::npos;
  return error == std::errc() && is_plain ? std::optional(value) : std::nullopt;
}

// The dimensions up to the last one that is not 1.
std::size_t dimensions_of(const std::array<std::uint32_t, 3>& extent) {
  std::size_t count = extent.size();
  while (count > 1 && extent[count - 1] == 1) --count;
  return count;
}

}  // namespace

CapturedLaunchShape::CapturedLaunchShape(const inspection::KernelSource& source,
                                         const profiling::captures::CapturedLaunch& launch)
    : source_(source), launch_(launch) {
  const InstanceName name = instance_name(launch.name);
  entry_ = name.qualified;
  if (source.kernel().is_template) read_template_arguments(name.template_arguments);
  name_blocks();
}

void CapturedLaunchShape::read_template_arguments(const std::vector<std::string>& arguments) {
  const auto& parameters = source_.kernel().template_parameters;
  for (const std::string& argument : arguments) {
    if (argument.find_first_of("{}") == std::string::npos) continue;
    throw base::InputError(fmt::format(
        "the template argument '{}' of {} has no name in the source, so a definition cannot name it",
        base::printable_line(argument), source_.kernel().name));
  }
  std::vector<std::string> texts = arguments;
  for (std::size_t i = 0; i < arguments.size() && arguments.size() == parameters.size(); ++i)
    texts[i] = argument_text(parameters[i], arguments[i]);
  entry_ += fmt::format("<{}>", fmt::join(texts, ", "));
}

// A macro of a parameter must not have the name of a template parameter, because the macro would replace that
// name.
std::string CapturedLaunchShape::argument_text(const inspection::WrittenParameter& parameter,
                                               const std::string& argument) {
  if (parameter.type == "typename" || parameter.type == "class") {
    const inspection::WrittenType* type = inspection::written_type(argument);
    if (type == nullptr || type->elements != 1) return argument;
    // `long` is not `long long`, and `bool` is no `unsigned char`: these are other instances.
    if (info(*kernel_templates::parse_data_type(type->type)).cuda_name != argument) return argument;
    const std::string entry = types_.empty() ? "dtype" : fmt::format("dtype{}", types_.size() + 1);
    types_.push_back({parameter.name, entry, std::string(type->type)});
    return fmt::format("{{{}}}", entry);
  }
  const std::optional<std::int64_t> value = integer_in(argument);
  if (!value) return argument;
  const std::string upper = inspection::upper_case(parameter.name);
  const std::string name = source_.unused(upper + "_VALUE");
  const bool names_block =
      upper.find("BLOCK") != std::string::npos || upper.find("THREADS") != std::string::npos;
  if (is_flat() && names_block && block_of_template_.empty() && *value == launch_.block[0]) {
    block_of_template_ = name;  // `sections` adds it.
  } else if (parameter.type == "bool") {
    add_parameter(name, "[false, true]", *value != 0 ? "true" : "false");
  } else {
    add_parameter(name, fmt::format("[{}]  # add the values that the kernel allows", *value),
                  std::to_string(*value));
  }
  return fmt::format("{{{}}}", name);
}

void CapturedLaunchShape::name_blocks() {
  if (is_flat()) {
    blocks_ = {block_of_template_.empty() ? source_.block_macro() : block_of_template_};
  } else {
    for (std::size_t i = 0; i < dimensions_of(launch_.block); ++i)
      blocks_.push_back(launch_.block[i] == 1 ? "" : source_.unused(fmt::format("BLOCK_{}", "XYZ"[i])));
  }
  for (const std::string& block : blocks_) {
    if (!block.empty()) names_.push_back(block);
  }
}

void CapturedLaunchShape::add_parameter(const std::string& name, const std::string& values,
                                        const std::string& value) {
  if (!base::contains(names_, name)) names_.push_back(name);
  parameters_ += fmt::format("{} = {}\n", name, values);
  defaults_ += fmt::format("{} = {}\n", name, value);
}

std::string CapturedLaunchShape::type_entries() const {
  std::string text;
  for (const TemplateType& type : types_) text += fmt::format("{} = \"{}\"\n", type.entry, type.type);
  return text;
}

std::string CapturedLaunchShape::type_entry(const std::string& template_parameter) const {
  const auto found = std::find_if(types_.begin(), types_.end(), [&](const TemplateType& type) {
    return type.parameter == template_parameter;
  });
  return found == types_.end() ? "" : found->entry;
}

bool CapturedLaunchShape::explain_grid(ProblemSizes& sizes) const {
  for (std::size_t i = 1; i < dimensions_of(launch_.grid); ++i) extent_text(sizes, i);
  return extent_text(sizes, 0).has_value();
}

std::optional<std::string> CapturedLaunchShape::extent_text(ProblemSizes& sizes,
                                                            std::size_t dimension) const {
  return sizes.grid(launch_.grid[dimension], launch_.block[dimension],
                    dimension < blocks_.size() ? blocks_[dimension] : "");
}

std::string CapturedLaunchShape::grid_text(ProblemSizes& sizes) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < dimensions_of(launch_.grid); ++i)
    texts.push_back(fmt::format("\"{}\"", extent_text(sizes, i).value_or(std::to_string(launch_.grid[i]))));
  return fmt::format("grid = [{}]  # {} in the capture\n", fmt::join(texts, ", "),
                     fmt::join(launch_.grid, " x "));
}

// Other blocks than the captured one only if the grid follows the block, and the code asks for its size
// without a sign of a fixed one.
std::string CapturedLaunchShape::block_values(bool may_vary) const {
  if (!may_vary) return fmt::format("[{}]  # add the block sizes that the kernel allows", launch_.block[0]);
  std::set<std::uint32_t> values = {64, 128, 256, 512};
  values.insert(launch_.block[0]);
  return fmt::format(
      "{{ values = [{}], description = \"threads per block\" }}  # {} in the capture; remove those that the "
      "kernel does not allow",
      fmt::join(values, ", "), launch_.block[0]);
}

std::string CapturedLaunchShape::further_text(bool block_varies) const {
  std::string text;
  if (const std::uint32_t bytes = launch_.dynamic_shared_bytes; bytes > 0) {
    const bool follows = block_varies && bytes % launch_.block[0] == 0;
    text += follows ? fmt::format("shared_bytes = \"{} * {}\"  # {} in the capture\n", blocks_.front(),
                                  bytes / launch_.block[0], bytes)
                    : fmt::format("shared_bytes = \"{}\"\n", bytes);
  }
  if (launch_.cluster[0] > 0) {
    std::vector<std::string> cluster;
    for (const std::uint32_t extent : launch_.cluster) cluster.push_back(fmt::format("\"{}\"", extent));
    text += fmt::format("cluster = [{}]\n", fmt::join(cluster, ", "));
  }
  if (launch_.cooperative) text += "cooperative = \"true\"\n";
  if (launch_.carveout >= 0) text += fmt::format("carveout = \"{}\"\n", launch_.carveout);
  return text;
}

bool CapturedLaunchShape::block_may_vary() const {
  const bool names_block = !block_of_template_.empty() || source_.uses(blocks_.front());
  const bool is_bounded = !names_block && source_.uses("__launch_bounds__");
  const bool asks_for_block = names_block || source_.uses("blockDim");
  return asks_for_block && !is_bounded && !source_.has_extent(launch_.block[0]);
}

std::string CapturedLaunchShape::sections(ProblemSizes& sizes, const std::string& passed) {
  const std::optional<std::string> extent = extent_text(sizes, 0);
  const bool follows_block = extent && extent->starts_with("ceil_div");
  const bool varies = is_flat() && follows_block && block_may_vary();
  std::vector<std::string> block;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string threads = std::to_string(launch_.block[i]);
    block.push_back(fmt::format("\"{}\"", blocks_[i].empty() ? threads : blocks_[i]));
    if (blocks_[i].empty()) continue;
    add_parameter(blocks_[i],
                  is_flat() ? block_values(varies)
                            : fmt::format("[{}]  # add the extents that the kernel allows", threads),
                  threads);
  }
  return fmt::format("[parameters]\n{}\n[default]\n{}\n[launch]\n{}block = [{}]\n{}{}\n", parameters_,
                     defaults_, grid_text(sizes), fmt::join(block, ", "), further_text(varies), passed);
}

}  // namespace warptune::tuner::drafting
