// The messages of every worker, and the list of all messages.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/version.h"
#include "model/fields.h"
#include "tuner/protocol/compile_messages.h"
#include "tuner/protocol/gpu_answers.h"
#include "tuner/protocol/gpu_requests.h"
#include "tuner/protocol/warm_messages.h"

/// The messages between the coordinator and its workers. Each message is a struct. `kName` is its name in the
/// protocol, and `visit_fields` is the only list of its members. `codec.h` converts all of them to bytes and
/// back. `docs/protocol.md` shows who sends which message when.
namespace warptune::tuner::protocol {

/// Both ends must have the same version. Raise it with every change of a message.
inline constexpr std::uint32_t kVersion = 15;

/// The first message of each end.
struct Hello {
  static constexpr std::string_view kName = "hello";
  std::uint32_t version = kVersion;
  std::string warptune = base::kVersion;  ///< The version of the program or library.
};

template <model::MaybeConst<Hello> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("version", message.version);
  visit("warptune", message.warptune);
}

/// The error of a session. The other end throws it again as the same exception.
struct Failure {
  static constexpr std::string_view kName = "failure";
  base::ErrorKind kind = base::ErrorKind::kInternal;
  base::SourcePosition position;  ///< The position of a `kInput` error.
  std::string message;            ///< The message without the position.
};

template <model::MaybeConst<Failure> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kind", message.kind);
  visit("file", message.position.file);
  visit("line", message.position.line);
  visit("column", message.position.column);
  visit("message", message.message);
}

using Message =
    std::variant<Hello, ListGpus, PrepareGpu, SetUp, Begin, Evaluate, Count, CloseCounters, Interleave,
                 Confirm, Judged, MeasureRoofs, SampleHotLines, TraceSteps, LaunchOnce, Compile, GpusListed,
                 Ready, Begun, Evaluated, ContextLost, Counted, CountersRead, ResultsWritten, Interleaved,
                 Confirmed, RoofsMeasured, HotLinesSampled, StepsTraced, LaunchedOnce, Warning, Compiled,
                 Rejected, Emulate, Emulated, Borrow, Lent, GiveBack, Failure>;

/// Converts a caught exception to a message.
Failure failure_of(const std::exception& error);
/// Throws the exception again: `base::InputError`, `base::MachineError`, `base::WorkError` or
/// `base::InternalError`.
[[noreturn]] void throw_failure(const Failure& failure);

}  // namespace warptune::tuner::protocol
