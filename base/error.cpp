#include "base/error.h"

#include <fmt/format.h>

#include <utility>

namespace warptune::base {

std::string to_string(const SourcePosition& position) {
  std::string text = position.file;
  if (position.line > 0) text += fmt::format(":{}", position.line);
  if (position.line > 0 && position.column > 0) text += fmt::format(":{}", position.column);
  return text;
}

namespace {
std::string with_position(const std::string& message, const SourcePosition& position) {
  const std::string where = to_string(position);
  return where.empty() ? message : where + ": " + message;
}
}  // namespace

InputError::InputError(const std::string& message, SourcePosition position)
    : Error(ExitCode::kBadInput, with_position(message, position)),
      position_(std::move(position)),
      message_(message) {}

MachineError::MachineError(const std::string& message, const std::string& remedy)
    : Error(ExitCode::kMachineCannot, remedy.empty() ? message : message + "; " + remedy) {}

}  // namespace warptune::base
