// Checks and converts the arguments of the functions of the C interface.
#pragma once

#include <fmt/format.h>

#include "base/error.h"

namespace warptune::library {

/// The object that an opaque pointer of the C interface points to. Throws `base::InputError` for null.
template <class Class, class Opaque>
Class& object(Opaque* pointer) {
  if (pointer == nullptr) throw base::InputError("expected an object, found null");
  return *reinterpret_cast<Class*>(pointer);
}

/// The variable of the caller into which a result is written. Throws `base::InputError` for null.
template <class T>
T& place(T* pointer) {
  if (pointer == nullptr) throw base::InputError("expected a place for the result, found null");
  return *pointer;
}

/// Returns `given`. Throws `base::InputError` for null; `what` says in the message which text is missing.
inline const char* text(const char* given, const char* what) {
  if (given == nullptr) throw base::InputError(fmt::format("expected {}, found null", what));
  return given;
}

}  // namespace warptune::library
