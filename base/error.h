#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace warptune::base {

/// A position in a user's file. Lines and columns count from 1; 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePosition&) const = default;
};

/// Returns `file:line:column` without the parts that are unknown. It is empty when nothing is known.
std::string to_string(const SourcePosition& position);

/// The documented exit codes of the command line.
enum class ExitCode { kDone = 0, kWorkFailed = 1, kBadInput = 2, kMachineCannot = 3, kInterrupted = 130 };

/// The kinds of failure that callers handle differently. Each kind has its own exception class.
enum class ErrorKind { kWork, kInput, kMachine, kInternal };

/// The names are `work`, `input`, `machine` and `internal`. Messages between processes contain the name of an
/// error's kind.
std::string_view to_string(ErrorKind kind);
std::optional<ErrorKind> parse_error_kind(std::string_view text);
/// The same, for `model/encoding/json_fields.h`.
inline void parse_text(const std::string& text, std::optional<ErrorKind>& kind) {
  kind = parse_error_kind(text);
}
/// The exit code of a program that ends with an error of this kind.
ExitCode exit_code_of(ErrorKind kind);

/// The error of a failed session. It is caught at the top: `main` turns it into a message and an exit code,
/// and a worker's loop turns it into a message to the coordinator. Other code catches it only to do one of
/// three things:
/// * It adds what it knows (the position in a file) and throws the error again.
/// * It continues the session without the part that failed (counters, one GPU of several, an optional file)
///   and reports this if users would notice that the part is missing.
/// * It stores the error as the reason of the one candidate or row that failed.
class Error : public std::runtime_error {
 public:
  ErrorKind kind() const { return kind_; }
  ExitCode exit_code() const { return exit_code_of(kind_); }
  /// The message without the prefix that `what()` adds.
  const std::string& message() const { return message_; }

 protected:
  /// `prefix` precedes the message in `what()`.
  Error(ErrorKind kind, const std::string& prefix, std::string message)
      : std::runtime_error(prefix + message), kind_(kind), message_(std::move(message)) {}

 private:
  ErrorKind kind_;
  std::string message_;
};

/// The work ran without a result: there is no valid configuration, or nothing is stored. The exit code is 1.
class WorkError : public Error {
 public:
  explicit WorkError(const std::string& message) : Error(ErrorKind::kWork, "", message) {}
};

/// The command line, a definition or another file is wrong. `what()` begins with the position if it is known.
/// The exit code is 2.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message, SourcePosition position = {});
  const SourcePosition& position() const { return position_; }

 private:
  SourcePosition position_;
};

/// The machine lacks something: a GPU, a permission, or space on the disk. The message says what to do. The
/// exit code is 3.
class MachineError : public Error {
 public:
  /// `remedy` says what to do; it may be empty.
  MachineError(const std::string& message, const std::string& remedy);
};

/// An invariant of warptune itself is broken. The exit code is 1.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message)
      : Error(ErrorKind::kInternal, "internal error: ", message) {}
};

}  // namespace warptune::base
