// Turns failures into a status, and into a text that is kept for the calling thread.
#pragma once

#include <string>

#include "library/include/warptune.h"

namespace warptune::library {

/// Stores `why` as the text of the last failure of this thread. Returns `status`.
warptune_status failed(warptune_status status, const std::string& why) noexcept;
/// The text of the last failure of this thread.
const char* last_error() noexcept;
/// The status of the exception that is being handled. Its text becomes that of the last failure.
warptune_status failed_by_exception() noexcept;

/// Runs a function that returns a status. An exception becomes a status, too.
template <class Function>
warptune_status guarded(Function&& function) noexcept {
  try {
    return function();
  } catch (...) {
    return failed_by_exception();
  }
}

}  // namespace warptune::library
