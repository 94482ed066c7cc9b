#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <exception>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "python/native/bindings.h"
#include "python/native/python_words.h"

namespace warptune::python::native {

namespace nb = nanobind;

namespace {

const char* class_of(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::kWork:
      return "WorkError";
    case base::ErrorKind::kInput:
      return "InputError";
    case base::ErrorKind::kMachine:
      return "MachineError";
    case base::ErrorKind::kInternal:
      break;
  }
  return "InternalError";
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const base::Error& error) {
    set_exception(error);
  }
}

}  // namespace

void set_exception(const base::Error& error) {
  const nb::object type = nb::module_::import_("warptune._errors").attr(class_of(error.kind()));
  // A traceback is printed on a terminal, and a message may quote text of files. So characters that could
  // control the terminal, and bytes that are not UTF-8, are escaped.
  const auto text = [](const std::string& from) {
    const std::string shown = base::printable(from);
    return nb::str(shown.data(), shown.size());
  };
  const std::string message = in_python(error.message());
  nb::object exception;
  if (const auto* input = dynamic_cast<const base::InputError*>(&error)) {
    const base::SourcePosition& at = input->position();
    // The text of an option has no file. Its place is part of the message.
    exception =
        at.file.starts_with("--")
            ? type(text(fmt::format("{} at character {}: {}", in_python(at.file), at.column, message)))
            : type(text(message), text(at.file), at.line, at.column);
  } else {
    exception = type(text(message));
  }
  PyErr_SetObject(type.ptr(), exception.ptr());
}

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace warptune::python::native
