#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace warptune::base {

/// Where in a person's file something stands. Lines and columns count from 1; 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePosition&) const = default;
};

/// `file:line:column`, leaving out what is unknown; empty when nothing is known.
std::string to_string(const SourcePosition& position);

/// The documented exit codes of the command line.
enum class ExitCode { kDone = 0, kWorkFailed = 1, kBadInput = 2, kMachineCannot = 3, kInterrupted = 130 };

/// What went wrong, as far as callers tell failures apart; one exception class each.
enum class ErrorKind { kWork, kInput, kMachine, kInternal };

/// `work`, `input`, `machine`, `internal`: the form in which an error crosses the border of a process.
std::string_view to_string(ErrorKind kind);
std::optional<ErrorKind> parse_error_kind(std::string_view text);
/// The exit code that a kind ends the program with.
ExitCode exit_code_of(ErrorKind kind);

/// A failed session. It ends at the top: `main` turns it into a message and an exit code, a worker's loop
/// into a message to its coordinator. On the way it is caught only where something better can be done:
/// * what is known there is added (the position in a file) and the error is thrown again;
/// * the session goes on without what failed (counters, one GPU of several, a file that may be missing) and
///   says so where people would miss it;
/// * it becomes the reason of the one candidate or row that it concerns.
class Error : public std::runtime_error {
 public:
  ErrorKind kind() const { return kind_; }
  ExitCode exit_code() const { return exit_code_of(kind_); }
  /// What was said when it was made, without what `what()` adds in front.
  const std::string& message() const { return message_; }

 protected:
  /// `prefix` precedes the message in `what()`.
  Error(ErrorKind kind, const std::string& prefix, std::string message)
      : std::runtime_error(prefix + message), kind_(kind), message_(std::move(message)) {}

 private:
  ErrorKind kind_;
  std::string message_;
};

/// The work ran but brought nothing: no valid configuration, nothing stored. Exit code 1.
class WorkError : public Error {
 public:
  explicit WorkError(const std::string& message) : Error(ErrorKind::kWork, "", message) {}
};

/// Usage, a definition or a file is wrong. `what()` starts with the position where there is one. Exit code 2.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message, SourcePosition position = {});
  const SourcePosition& position() const { return position_; }

 private:
  SourcePosition position_;
};

/// The machine cannot: no GPU, no permission, no disk. Says what to do. Exit code 3.
class MachineError : public Error {
 public:
  /// `remedy` is what to do; it may be empty.
  MachineError(const std::string& message, const std::string& remedy);
};

/// A broken invariant of warptune itself. Exit code 1.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message)
      : Error(ErrorKind::kInternal, "internal error: ", message) {}
};

}  // namespace warptune::base
