#include "tuner/protocol/messages.h"

namespace warptune::tuner::protocol {

Failure failure_of(const std::exception& error) {
  Failure failure;
  failure.message = error.what();
  const auto* known = dynamic_cast<const base::Error*>(&error);
  if (known == nullptr) return failure;
  failure.kind = known->kind();
  failure.message = known->message();
  if (const auto* input = dynamic_cast<const base::InputError*>(known)) failure.position = input->position();
  return failure;
}

void throw_failure(const Failure& failure) {
  switch (failure.kind) {
    case base::ErrorKind::kWork:
      throw base::WorkError(failure.message);
    case base::ErrorKind::kInput:
      throw base::InputError(failure.message, failure.position);
    case base::ErrorKind::kMachine:
      throw base::MachineError(failure.message, "");
    case base::ErrorKind::kInternal:
      break;
  }
  throw base::InternalError(failure.message);
}

}  // namespace warptune::tuner::protocol
