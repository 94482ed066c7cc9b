// Failures become a status and a text of the calling thread.
#pragma once

#include <string>

#include "library/include/warptune.h"

namespace warptune::library {

/// Notes why a call of this thread failed. Returns `status`.
warptune_status failed(warptune_status status, const std::string& why) noexcept;
/// The text of the last failure of this thread.
const char* last_error() noexcept;
/// The status of the exception that is being handled, whose text is noted.
warptune_status failed_by_exception() noexcept;

/// Runs a function that returns a status. No exception leaves it.
template <class Function>
warptune_status guarded(Function&& function) noexcept {
  try {
    return function();
  } catch (...) {
    return failed_by_exception();
  }
}

}  // namespace warptune::library
