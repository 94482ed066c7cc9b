// All messages between the coordinator and its workers: those of any worker, and the list of the others.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "model/fields.h"
#include "tuner/protocol/compile_messages.h"
#include "tuner/protocol/gpu_answers.h"
#include "tuner/protocol/gpu_requests.h"

/// What the coordinator and its workers say to each other: one struct a message, its name on the wire, and
/// the one list of its members. `codec.h` turns any of them into bytes and back. `docs/protocol.md` shows who
/// sends what when.
namespace warptune::tuner::protocol {

/// Both ends must have the same. To be raised with any change of a message.
inline constexpr std::uint32_t kVersion = 3;

/// The first message of each end.
struct Hello {
  static constexpr std::string_view kName = "hello";
  std::uint32_t version = kVersion;
};

template <model::MaybeConst<Hello> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("version", message.version);
}

/// A failed session, with what is needed to throw it at the other end as the exception that it was.
struct Failure {
  static constexpr std::string_view kName = "failure";
  base::ErrorKind kind = base::ErrorKind::kInternal;
  base::SourcePosition position;  ///< Of `kInput`.
  std::string message;            ///< Without the position.
};

template <model::MaybeConst<Failure> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kind", message.kind);
  visit("file", message.position.file);
  visit("line", message.position.line);
  visit("column", message.position.column);
  visit("message", message.message);
}

using Message = std::variant<Hello, ListGpus, PrepareGpu, SetUp, Begin, Evaluate, Count, CloseCounters,
                             Interleave, Confirm, MeasureRoofs, SampleHotLines, Compile, GpusListed, Ready,
                             Begun, Evaluated, ContextLost, Counted, CountersRead, Interleaved, Confirmed,
                             RoofsMeasured, HotLinesSampled, Warning, Compiled, Rejected, Failure>;

/// What a caught exception becomes on the wire.
Failure failure_of(const std::exception& error);
/// Throws it as the exception that it was: `base::InputError`, `base::MachineError`, `base::WorkError` or
/// `base::InternalError`.
[[noreturn]] void throw_failure(const Failure& failure);

}  // namespace warptune::tuner::protocol
