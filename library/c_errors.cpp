#include "library/c_errors.h"

#include <exception>
#include <new>

#include "base/error.h"
#include "base/text.h"

namespace warptune::library {

namespace {

thread_local std::string text_of_thread;

warptune_status status_of(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::kWork:  // The arguments are right, but no result can be given.
      return WARPTUNE_ERROR_UNKNOWN;
    case base::ErrorKind::kInput:
      return WARPTUNE_ERROR_INPUT;
    case base::ErrorKind::kMachine:
      return WARPTUNE_ERROR_MACHINE;
    case base::ErrorKind::kInternal:
      break;
  }
  return WARPTUNE_ERROR_INTERNAL;
}

}  // namespace

warptune_status failed(warptune_status status, const std::string& why) noexcept {
  try {
    text_of_thread = base::printable(why);  // `why` may quote a compiler or a kernel.
  } catch (...) {
    text_of_thread.clear();
  }
  return status;
}

const char* last_error() noexcept { return text_of_thread.c_str(); }

warptune_status failed_by_exception() noexcept {
  try {
    throw;
  } catch (const base::Error& error) {
    return failed(status_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    text_of_thread.clear();
    return WARPTUNE_ERROR_MEMORY;
  } catch (const std::exception& error) {
    return failed(WARPTUNE_ERROR_INTERNAL, error.what());
  } catch (...) {
    return failed(WARPTUNE_ERROR_INTERNAL, "an exception of an unknown type");
  }
}

}  // namespace warptune::library
