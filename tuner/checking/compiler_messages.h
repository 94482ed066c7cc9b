#pragma once

#include <string>
#include <vector>

#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/inspection/source_facts.h"
#include "model/measurement.h"

namespace warptune::tuner::checking {

/// A name that the compiler was asked for, and its position in the definition.
struct AskedName {
  std::string name;
  base::SourcePosition position;
};

/// A program that does not compile.
struct FailedProgram {
  std::string what;                  ///< For messages: "the default configuration".
  std::vector<AskedName> entries;    ///< The entries of the request, in order.
  std::vector<AskedName> variables;  ///< The symbols of arguments, in order.
};

/// The finding of a program of the user that does not compile. Its position is that of the first error in the
/// source, otherwise that of the entry or symbol that the compiler does not accept. For an entry, the kernels
/// that exist are listed. `facts` may be null.
kernel_templates::inspection::Finding compile_failure(const FailedProgram& program,
                                                      const model::Rejection& rejection,
                                                      const kernel_templates::inspection::SourceFacts* facts);

/// The finding of a check by expression that does not compile. The compiler's messages name generated code,
/// so only what they say is kept.
kernel_templates::inspection::Finding expression_failure(const model::Rejection& rejection,
                                                         const base::SourcePosition& position);

}  // namespace warptune::tuner::checking
