#pragma once

#include "kernel_templates/compiler.h"
#include "model/fields.h"

/// The members of a compiler's input and output, by name, for messages between processes. `model/fields.h`
/// does the same for measurements.
namespace warptune::kernel_templates {

template <model::MaybeConst<CompileRequest> Object, class Visit>
void visit_fields(Object& request, Visit&& visit) {
  visit("program_name", request.program_name);
  visit("source", request.source);
  visit("entries", request.entries);
  visit("options", request.options);
  visit("architecture", request.architecture);
  visit("libraries", request.libraries);
  visit("variables", request.variables);
  visit("compiler", request.compiler);
  visit("may_omit_declarations", request.may_omit_declarations);
}

template <model::MaybeConst<EntryCode> Object, class Visit>
void visit_fields(Object& code, Visit&& visit) {
  visit("entry", code.entry);
  visit("lowered_name", code.lowered_name);
  visit("registers_per_thread", code.registers_per_thread);
  visit("static_shared_bytes", code.static_shared_bytes);
  visit("local_bytes", code.local_bytes);
  visit("spill_bytes", code.spill_bytes);
}

template <model::MaybeConst<VariableCode> Object, class Visit>
void visit_fields(Object& code, Visit&& visit) {
  visit("variable", code.variable);
  visit("lowered_name", code.lowered_name);
}

template <model::MaybeConst<CompiledKernel> Object, class Visit>
void visit_fields(Object& compiled, Visit&& visit) {
  visit("cubin", model::as_bytes(compiled.cubin));
  visit("entries", compiled.entries);
  visit("variables", compiled.variables);
  visit("log", compiled.log);
  visit("compile_ms", compiled.compile_ms);
  visit("from_cache", compiled.from_cache);
}

}  // namespace warptune::kernel_templates
