#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warptune::base {

std::string to_string(const SourcePosition& position) {
  std::string text = position.file;
  if (position.line > 0) text += fmt::format(":{}", position.line);
  if (position.line > 0 && position.column > 0) text += fmt::format(":{}", position.column);
  return text;
}

namespace {

constexpr std::array<std::string_view, 4> kKindNames = {"work", "input", "machine", "internal"};

std::string prefix_of(const SourcePosition& position) {
  const std::string where = to_string(position);
  return where.empty() ? "" : where + ": ";
}

}  // namespace

std::string_view to_string(ErrorKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

std::optional<ErrorKind> parse_error_kind(std::string_view text) {
  const auto* const found = std::find(kKindNames.begin(), kKindNames.end(), text);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<ErrorKind>(found - kKindNames.begin());
}

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInput:
      return ExitCode::kBadInput;
    case ErrorKind::kMachine:
      return ExitCode::kMachineCannot;
    case ErrorKind::kWork:
    case ErrorKind::kInternal:
      break;
  }
  return ExitCode::kWorkFailed;
}

InputError::InputError(const std::string& message, SourcePosition position)
    : Error(ErrorKind::kInput, prefix_of(position), message), position_(std::move(position)) {}

MachineError::MachineError(const std::string& message, const std::string& remedy)
    : Error(ErrorKind::kMachine, "", remedy.empty() ? message : message + "; " + remedy) {}

}  // namespace warptune::base
