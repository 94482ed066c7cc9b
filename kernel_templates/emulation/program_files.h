#pragma once

#include <string>
#include <vector>

#include "model/fields.h"

namespace warptune::kernel_templates::emulation {

/// A file of an emulated program.
struct NamedFile {
  std::string name;
  std::string bytes;
};

template <model::MaybeConst<NamedFile> Object, class Visit>
void visit_fields(Object& file, Visit&& visit) {
  visit("name", file.name);
  visit("bytes", model::as_bytes(file.bytes));
}

/// The file of an emulated program that has options of the compiler, as `@FILE` takes them.
constexpr const char* kCompilerOptionsFile = "compiler_options";

/// How an emulated program ended.
struct ProgramOutcome {
  bool compiled = false;
  int exit_code = -1;
  std::string output;  ///< What the program wrote; if it does not compile, what the compiler wrote.
};

template <model::MaybeConst<ProgramOutcome> Object, class Visit>
void visit_fields(Object& outcome, Visit&& visit) {
  visit("compiled", outcome.compiled);
  visit("exit_code", outcome.exit_code);
  visit("output", outcome.output);
}

}  // namespace warptune::kernel_templates::emulation
