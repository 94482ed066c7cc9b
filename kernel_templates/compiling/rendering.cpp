#include "kernel_templates/compiling/rendering.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "kernel_templates/compiling/definition_options.h"

namespace warptune::kernel_templates::compiling {

namespace {

std::string macro_text(const model::Value& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return model::to_text(value);
}

// Why a text cannot be a macro or a name. It must not begin a line, a comment or a string: the source after
// it would be read differently, and checks of the definition's files would not see that.
std::optional<std::string> fault_of(const std::string& text) {
  for (const auto& [part, what] :
       {std::pair{"\n", "a line break"}, {"/*", "a comment"}, {"R\"", "a raw string"}}) {
    if (text.find(part) != std::string::npos) return fmt::format("'{}' contains {}", text, what);
  }
  return std::nullopt;
}

DataType resolved_type(const Argument& argument, const model::NamedValues& problem) {
  if (const std::optional<DataType> named = type_of_entry(problem, argument.type)) return *named;
  const std::optional<DataType> type = parse_data_type(argument.type);
  if (!type) throw base::InternalError("argument type was not checked: " + argument.type);
  return *type;
}

std::string count_text(const Argument& argument, const model::NamedValues& constants) {
  const base::Result<model::Value> count = argument.count->evaluate(constants);
  if (!count) throw base::InputError(count.error(), argument.count->position());
  return model::to_text(*count);
}

}  // namespace

std::optional<DataType> type_of_entry(const model::NamedValues& problem, std::string_view name) {
  const model::Value* value = model::find(problem, name);
  const std::string* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::nullopt : parse_data_type(*text);
}

base::Result<std::vector<std::string>> split_placeholders(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = text.find('{', at);
    parts.push_back(text.substr(at, open - at));
    if (open == std::string::npos) return parts;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) return base::failure(fmt::format("'{}' has a '{{' without a '}}'", text));
    parts.push_back(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
}

base::Result<std::string> fill_placeholders(const std::string& text, const model::NamedValues& problem,
                                            const model::NamedValues& scope) {
  const base::Result<std::vector<std::string>> parts = split_placeholders(text);
  if (!parts) return base::failure(parts.error());
  std::string filled = parts->front();
  for (std::size_t i = 1; i < parts->size(); i += 2) {
    const std::string& inside = (*parts)[i];
    const std::string& behind = (*parts)[i + 1];
    if (const std::optional<DataType> type = type_of_entry(problem, inside)) {
      filled += std::string(info(*type).cuda_name) + behind;
      continue;
    }
    try {
      const base::Result<model::Value> value = model::Expression::parse(inside).evaluate(scope);
      if (!value) return base::failure(fmt::format("'{{{}}}' in '{}': {}", inside, text, value.error()));
      filled += macro_text(*value) + behind;
    } catch (const base::InputError& error) {
      return base::failure(fmt::format("'{{{}}}' in '{}': {}", inside, text, error.message()));
    }
  }
  if (const auto fault = fault_of(filled)) return base::failure(*fault);
  return filled;
}

namespace {

base::Result<std::vector<std::string>> flag_words(const KernelDefinition& definition,
                                                  const model::NamedValues& problem,
                                                  const model::NamedValues& scope) {
  std::vector<OptionWord> words;
  for (std::size_t i = 0; i < definition.flags.size(); ++i) {
    const base::Result<std::string> filled = fill_placeholders(definition.flags[i], problem, scope);
    if (!filled) return base::failure(filled.error());
    std::vector<OptionWord> of_flag = words_of(*filled, flag_position(definition, i));
    std::move(of_flag.begin(), of_flag.end(), std::back_inserter(words));
  }
  WordedOptions read = read_worded_options(words);
  check_option_folders(definition, read.options);
  return std::move(read.words);
}

}  // namespace

base::Result<ProgramOptions> program_options(const KernelDefinition& definition,
                                             const model::NamedValues& problem,
                                             const model::NamedValues& configuration,
                                             const model::NamedValues& scope,
                                             const std::vector<std::string>& toolkit) {
  ProgramOptions options;
  options.fixed = {"-std=" + definition.language, "-DWARPTUNE=1"};
  const std::string own_folder = definition.source.parent_path().string();
  options.fixed.push_back("-I" + (own_folder.empty() ? "." : own_folder));  // "-I" alone takes the next word.
  for (const auto& folder : definition.include_folders) options.fixed.push_back("-I" + folder.string());
  for (const std::string& folder : toolkit) options.fixed.push_back("-I" + folder);
  for (const auto& [name, value] : problem) {
    if (const std::optional<DataType> type = type_of_entry(problem, name)) {
      options.fixed.push_back(fmt::format("-D{}={}", name, info(*type).cuda_name));
    }
  }
  for (const auto& [name, value] : configuration) options.macros.emplace_back(name, macro_text(value));
  for (const auto& [name, expression] : definition.defines) {
    const base::Result<model::Value> value = expression.evaluate(scope);
    if (!value) return base::failure(fmt::format("the define {}: {}", name, value.error()));
    options.macros.emplace_back(name, macro_text(*value));
  }
  for (const auto& [name, text] : options.macros) {
    if (const auto fault = fault_of(text))
      return base::failure(fmt::format("the macro {}: {}", name, *fault));
  }
  base::Result<std::vector<std::string>> flags = flag_words(definition, problem, scope);
  if (!flags) return base::failure(flags.error());
  options.flags = std::move(*flags);
  return options;
}

std::vector<std::string> variables_of(const KernelDefinition& definition) {
  std::vector<std::string> variables;
  for (const Argument& argument : definition.arguments) {
    if (!argument.symbol.empty()) variables.push_back(variable_of(argument.symbol));
  }
  return variables;
}

std::string expression_reference_source(const KernelDefinition& definition, const model::NamedValues& problem,
                                        const model::NamedValues& constants) {
  std::string source;
  std::string parameters;
  std::string aliases;
  for (const Argument& argument : definition.arguments) {
    if (argument.kind == ArgumentKind::kTensorMap) {
      source +=
          fmt::format("struct alignas(64) Map_{} {{ unsigned long long opaque[16]; }};\n", argument.name);
      parameters += fmt::format("{}Map_{} {}", parameters.empty() ? "" : ", ", argument.name, argument.name);
      continue;
    }
    if (argument.kind == ArgumentKind::kTexture) {
      parameters += fmt::format("{}unsigned long long {}", parameters.empty() ? "" : ", ", argument.name);
      continue;
    }
    const DataType type = resolved_type(argument, problem);
    if (type == DataType::kF16 && source.find("cuda_fp16.h") == std::string::npos)
      source += "#include <cuda_fp16.h>\n";
    if (type == DataType::kBf16 && source.find("cuda_bf16.h") == std::string::npos)
      source += "#include <cuda_bf16.h>\n";
    if (!argument.symbol.empty()) {
      source += fmt::format("__device__ {} {}[{}];\n", info(type).cuda_name, argument.symbol,
                            count_text(argument, constants));
      if (argument.symbol != argument.name)
        aliases += fmt::format("  const {}* {} = {}; (void){};\n", info(type).cuda_name, argument.name,
                               argument.symbol, argument.name);
      continue;
    }
    const bool scalar = argument.kind == ArgumentKind::kScalar;
    const bool constant = argument.kind == ArgumentKind::kIn;
    parameters += fmt::format("{}{}{}{} {}", parameters.empty() ? "" : ", ", constant ? "const " : "",
                              info(type).cuda_name, scalar ? "" : "*", argument.name);
  }
  source += fmt::format("extern \"C\" __global__ void {}({}) {{\n{}", kExpressionEntry, parameters, aliases);
  for (const auto& [name, value] : problem) {
    bool taken = type_of_entry(problem, name).has_value();
    for (const Argument& argument : definition.arguments) taken = taken || argument.name == name;
    if (taken || std::holds_alternative<std::string>(value)) continue;
    const bool integer = std::holds_alternative<std::int64_t>(value);
    source += fmt::format("  const {} {} = {}; (void){};\n", integer ? "long long" : "double", name,
                          macro_text(value), name);
  }
  source += "  const long long warptune_first = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n";
  source += "  const long long warptune_stride = gridDim.x * (long long)blockDim.x;\n";
  for (const auto& [output, expression] : definition.check.expressions) {
    for (const Argument& argument : definition.arguments) {
      if (argument.name != output) continue;
      source +=
          fmt::format("  for (long long i = warptune_first; i < {}; i += warptune_stride) {}[i] = ({});\n",
                      count_text(argument, constants), output, expression);
    }
  }
  return source + "}\n";
}

}  // namespace warptune::kernel_templates::compiling
