#include "kernel_templates/inspection/argument_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/given_contents.h"
#include "kernel_templates/inspection/parameter_layout.h"

namespace warptune::kernel_templates::inspection {

namespace {

// A type of C++ as demangled symbols write it.
struct ElementType {
  std::string_view name;
  std::int64_t bytes;
  bool floating;
};

const ElementType* element_type(std::string_view name) {
  static constexpr std::array<ElementType, 15> kTypes = {{{"bool", 1, false},
                                                          {"short", 2, false},
                                                          {"unsigned short", 2, false},
                                                          {"int", 4, false},
                                                          {"unsigned int", 4, false},
                                                          {"long", 8, false},
                                                          {"unsigned long", 8, false},
                                                          {"long long", 8, false},
                                                          {"unsigned long long", 8, false},
                                                          {"float", 4, true},
                                                          {"double", 8, true},
                                                          {"__half", 2, true},
                                                          {"__nv_bfloat16", 2, true},
                                                          {"signed char", 1, false},
                                                          {"unsigned char", 1, false}}};
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const ElementType& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : &*found;
}

// The type to which a pointer points, without qualifiers. A pointer to bytes may point to elements of any
// type, so it gives an empty text.
std::string_view pointee_of(std::string_view type) {
  type.remove_suffix(1);
  for (bool stripped = true; stripped;) {
    stripped = false;
    for (const std::string_view suffix : {" const", " volatile"}) {
      if (!type.ends_with(suffix)) continue;
      type.remove_suffix(suffix.size());
      stripped = true;
    }
  }
  const bool bytes = type == "char" || type == "signed char" || type == "unsigned char" || type == "void";
  return bytes ? std::string_view() : type;
}

// What a launch passes for one parameter.
struct Passed {
  std::string name;  ///< For messages.
  base::SourcePosition position;
  ArgumentKind kind = ArgumentKind::kScalar;
  std::optional<DataType> type;  ///< No value for a number or a struct that only this launch has.
  std::int64_t bytes = 0;
  bool is_listed = false;  ///< The launch lists what it passes.
};

std::int64_t passed_bytes(const ResolvedArgument& argument) {
  constexpr std::int64_t kTensorMapBytes = 128;  // sizeof(CUtensorMap)
  if (argument.kind == ArgumentKind::kTensorMap) return kTensorMapBytes;
  if (argument.kind == ArgumentKind::kScalar)
    return static_cast<std::int64_t>(info(argument.type).size_bytes);
  return 8;  // An address, or a cudaTextureObject_t.
}

std::vector<Passed> passed_by(const KernelDefinition& definition,
                              const std::vector<ResolvedArgument>& arguments, const LaunchStep& step,
                              const base::SourcePosition& position) {
  const auto pass = [&](std::size_t i) {
    return Passed{fmt::format("the argument '{}'", arguments[i].name),
                  definition.arguments[i].position,
                  arguments[i].kind,
                  arguments[i].type,
                  passed_bytes(arguments[i]),
                  step.arguments.has_value()};
  };
  std::vector<Passed> passed;
  if (step.arguments) {
    for (const PassedArgument& one : *step.arguments) {
      passed.push_back(one.argument ? pass(*one.argument)
                                    : Passed{"the value", position, ArgumentKind::kScalar, std::nullopt,
                                             static_cast<std::int64_t>(one.value.size()), true});
    }
    return passed;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].symbol.empty()) passed.push_back(pass(i));
  }
  return passed;
}

std::string kind_text(const Passed& passed) {
  const std::string type = passed.type ? std::string(info(*passed.type).name) : "";
  switch (passed.kind) {
    case ArgumentKind::kScalar:
      return type.empty() ? base::counted(static_cast<std::uint64_t>(passed.bytes), "byte")
                          : fmt::format("a scalar {} of {} bytes", type, passed.bytes);
    case ArgumentKind::kTensorMap:
      return "a tensor map of 128 bytes";
    case ArgumentKind::kTexture:
      return "a texture of 8 bytes";
    default:
      return fmt::format("a buffer of {}", type);
  }
}

// Why an argument does not fit a parameter whose type is known; empty if it does.
std::optional<Finding> misfit_of_type(const Passed& passed, const std::string& type, std::size_t number,
                                      const std::string& kernel) {
  const auto finding = [&](Severity severity) {
    return Finding{severity, passed.position,
                   fmt::format("{} is {}, but parameter {} of {} is '{}'", passed.name, kind_text(passed),
                               number, kernel, type)};
  };
  const bool pointer = type.ends_with('*');
  if (!is_buffer(passed.kind)) {
    // A launch may pass a null pointer as a value.
    if (pointer && passed.kind == ArgumentKind::kScalar && !passed.type) return std::nullopt;
    if (pointer && passed.kind != ArgumentKind::kTexture) return finding(Severity::kError);
    const ElementType* element = element_type(type);
    const bool differs = element != nullptr && passed.kind == ArgumentKind::kScalar && passed.type &&
                         element->floating != info(*passed.type).floating;
    return differs ? std::optional(finding(Severity::kError)) : std::nullopt;
  }
  if (!pointer)
    return element_type(type) == nullptr ? std::nullopt : std::optional(finding(Severity::kError));
  const std::string_view pointee = pointee_of(type);
  const ElementType* element = element_type(pointee);
  if (element == nullptr || !passed.type) return std::nullopt;
  if (passed.is_listed && *passed.type == DataType::kU8) return std::nullopt;  // Bytes of several types.
  const DataTypeInfo& own = info(*passed.type);
  if (own.floating && element->floating && own.cuda_name != pointee) return finding(Severity::kError);
  const bool same_size = static_cast<std::int64_t>(own.size_bytes) == element->bytes;
  const bool copies_bits = element->name.starts_with("unsigned");  // A kernel may copy any type as these.
  const bool same = same_size && (own.floating == element->floating || copies_bits);
  return same ? std::nullopt : std::optional(finding(Severity::kWarning));
}

}  // namespace

Findings argument_findings(const KernelDefinition& definition, const std::vector<ResolvedArgument>& arguments,
                           const LaunchStep& step, const CompiledKernel& compiled,
                           const base::SourcePosition& position) {
  const std::string& symbol = compiled.find_entry(step.entry).lowered_name;
  const auto layout = parameter_layout(compiled.cubin, symbol);
  if (!layout) return {};
  const auto types = parameter_types(symbol);
  const std::vector<Passed> passed = passed_by(definition, arguments, step, position);
  if (layout->size() != passed.size()) {
    const std::string listed = types && !types->empty() ? fmt::format(" ({})", fmt::join(*types, ", ")) : "";
    return {
        {Severity::kError, passed.size() > layout->size() ? passed[layout->size()].position : position,
         fmt::format("{} takes {}{}, but {} passed", step.entry, base::counted(layout->size(), "parameter"),
                     listed, base::counted(passed.size(), "argument is", "arguments are"))}};
  }
  Findings findings;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const std::string type = types && types->size() == layout->size() ? (*types)[i] : "";
    if ((*layout)[i].bytes != passed[i].bytes) {
      findings.push_back({Severity::kError, passed[i].position,
                          fmt::format("{} is {}, but parameter {} of {}{} has {} bytes", passed[i].name,
                                      kind_text(passed[i]), i + 1, step.entry,
                                      type.empty() ? "" : fmt::format(" ('{}')", type), (*layout)[i].bytes)});
    } else if (!type.empty()) {
      if (const auto misfit = misfit_of_type(passed[i], type, i + 1, step.entry)) findings.push_back(*misfit);
    }
  }
  return findings;
}

Findings contents_findings(const KernelInstance& instance, bool needed) {
  try {
    require_contents_fit(instance);
  } catch (const base::InputError& error) {
    if (needed || instance.definition().check.reference == ReferenceKind::kFile) throw;
    return {{Severity::kWarning, error.position(), error.message()}};
  }
  return {};
}

}  // namespace warptune::kernel_templates::inspection
