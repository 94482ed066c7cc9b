// The messages between the coordinator and a compile worker. `kName` is the name in the protocol, and
// `visit_fields` is the only list of the members.
#pragma once

#include <string_view>
#include <vector>

#include "kernel_templates/compile_fields.h"
#include "kernel_templates/emulation/program_files.h"
#include "model/fields.h"

namespace warptune::tuner::protocol {

/// The answer is `Compiled` or `Rejected`.
struct Compile {
  static constexpr std::string_view kName = "compile";
  kernel_templates::CompileRequest request;
};

template <model::MaybeConst<Compile> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("request", message.request);
}

struct Compiled {
  static constexpr std::string_view kName = "compiled";
  kernel_templates::CompiledKernel compiled;
};

template <model::MaybeConst<Compiled> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("compiled", message.compiled);
}

struct Rejected {
  static constexpr std::string_view kName = "rejected";
  model::Rejection rejection;
};

template <model::MaybeConst<Rejected> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("rejection", message.rejection);
}

/// Asks the worker to compile and run a program that runs kernels on the host. The answer is `Emulated`.
struct Emulate {
  static constexpr std::string_view kName = "emulate";
  std::vector<kernel_templates::emulation::NamedFile> files;
};

template <model::MaybeConst<Emulate> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("files", message.files);
}

struct Emulated {
  static constexpr std::string_view kName = "emulated";
  kernel_templates::emulation::ProgramOutcome outcome;
};

template <model::MaybeConst<Emulated> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("outcome", message.outcome);
}

}  // namespace warptune::tuner::protocol
