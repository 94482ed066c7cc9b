// How the messages of NVRTC become findings. A message has three lines: `FILE(LINE): error: TEXT`, the source
// line indented by two blanks, and a caret below the column of the error. Messages about entries name the
// file `__nv_name_map`, which NVRTC generates.
#include "tuner/checking/compiler_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/shared_library.h"
#include "base/text.h"

namespace warptune::tuner::checking {

namespace {

using kernel_templates::inspection::Finding;
using kernel_templates::inspection::Severity;
using kernel_templates::inspection::SourceFacts;

constexpr std::string_view kNameMap = "__nv_name_map";

struct CompilerError {
  base::SourcePosition position;
  std::string text;
};

std::optional<CompilerError> error_of(const std::string& line) {
  for (const std::string_view marker : {"): error: ", "): catastrophic error: "}) {
    const std::size_t at = line.find(marker);
    const std::size_t open = at == std::string::npos ? at : line.rfind('(', at);
    if (open == std::string::npos) continue;
    CompilerError error{{line.substr(0, open), 0, 0}, line.substr(at + marker.size())};
    std::from_chars(line.data() + open + 1, line.data() + at, error.position.line);
    return error;
  }
  return std::nullopt;
}

std::vector<CompilerError> errors_of(const std::string& log) {
  constexpr std::size_t kIndentation = 2;  // The blanks that NVRTC puts before the source line.
  const std::vector<std::string> lines = base::split(log, '\n');
  std::vector<CompilerError> errors;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::optional<CompilerError> error = error_of(lines[i]);
    if (!error) continue;
    const std::size_t caret = i + 2 < lines.size() ? lines[i + 2].find('^') : std::string::npos;
    if (caret != std::string::npos && caret >= kIndentation && base::trim(lines[i + 2]) == "^")
      error->position.column = static_cast<int>(caret - kIndentation) + 1;
    errors.push_back(std::move(*error));
  }
  return errors;
}

// Whether the user can change the file, because it is neither generated nor a header of the toolkit.
bool is_of_user(const std::string& file) {
  const std::vector<std::string> toolkit = base::cuda_include_folders();
  return file != kNameMap && std::none_of(toolkit.begin(), toolkit.end(), [&](const std::string& folder) {
           return file.starts_with(folder + "/");
         });
}

std::string kernels_text(const SourceFacts& facts) {
  std::vector<std::string> forms;
  for (const auto& kernel : facts.kernels) {
    std::vector<std::string> parameters;
    for (const auto& parameter : kernel.template_parameters)
      parameters.push_back(parameter.type + (parameter.name.empty() ? "" : " " + parameter.name));
    forms.push_back(kernel.name +
                    (kernel.is_template ? fmt::format("<{}>", fmt::join(parameters, ", ")) : ""));
  }
  if (forms.empty()) return fmt::format("{} has no __global__ function", facts.source.filename().string());
  return fmt::format("the kernels of {} are {}", facts.source.filename().string(), fmt::join(forms, ", "));
}

// Why NVRTC does not accept a name expression, in the words of this program.
std::string reason_of(const std::string& text) {
  if (text.find("is undefined") != std::string::npos) return "it does not exist";
  if (text.find("cannot determine which instance") != std::string::npos)
    return "its template arguments do not fit";
  if (text.find("non-__global__") != std::string::npos) return "it is not a __global__ function";
  return text;
}

Finding entry_finding(const AskedName& entry, const std::string& text, const SourceFacts* facts) {
  std::string message =
      facts == nullptr ? "" : kernel_templates::inspection::missing_entry(*facts, entry.name);
  if (message.empty()) {
    message = fmt::format("the entry '{}' names no kernel: {}{}", entry.name, reason_of(text),
                          facts == nullptr ? "" : "; " + kernels_text(*facts));
  }
  return {Severity::kError, entry.position, message};
}

// The first name in quotes, without blanks around it: NVRTC quotes the name that it does not accept.
std::string quoted_name(const std::string& text) {
  const std::size_t open = text.find('"');
  const std::size_t close = open == std::string::npos ? open : text.find('"', open + 1);
  if (close == std::string::npos) return "";
  return std::string(base::trim(std::string_view(text).substr(open + 1, close - open - 1)));
}

// The finding for an error in `__nv_name_map`. NVRTC chooses the order of its lines, so the line of the error
// does not identify the entry or variable. The quoted name in the message does.
Finding name_finding(const FailedProgram& program, const CompilerError& error, const SourceFacts* facts) {
  const std::string name = quoted_name(error.text);
  for (const AskedName& entry : program.entries) {
    if (entry.name == name || kernel_templates::inspection::function_of(entry.name) == name)
      return entry_finding(entry, error.text, facts);
  }
  for (const AskedName& variable : program.variables) {
    if (variable.name != name) continue;
    return {Severity::kError, variable.position,
            fmt::format("the symbol '{}' names no variable of the source: {}", name, reason_of(error.text))};
  }
  return entry_finding(program.entries.front(), error.text, facts);
}

}  // namespace

Finding compile_failure(const FailedProgram& program, const model::Rejection& rejection,
                        const SourceFacts* facts) {
  const std::vector<CompilerError> errors = errors_of(rejection.reason);
  const auto first = std::find_if(errors.begin(), errors.end(),
                                  [](const CompilerError& error) { return is_of_user(error.position.file); });
  if (first != errors.end()) {
    return {Severity::kError, first->position,
            fmt::format("{} does not compile: {}", program.what, first->text)};
  }
  if (!errors.empty() && errors.front().position.file == kNameMap)
    return name_finding(program, errors.front(), facts);
  return {Severity::kError, program.entries.front().position,
          fmt::format("{} does not compile: {}", program.what, base::trim(rejection.reason))};
}

Finding expression_failure(const model::Rejection& rejection, const base::SourcePosition& position) {
  const std::vector<CompilerError> errors = errors_of(rejection.reason);
  return {Severity::kError, position,
          fmt::format("the expression of [check] does not compile: {}",
                      errors.empty() ? std::string(base::trim(rejection.reason)) : errors.front().text)};
}

}  // namespace warptune::tuner::checking
