#pragma once

#include <string>
#include <vector>

#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/inspection/source_facts.h"
#include "model/measurement.h"

namespace warptune::tuner::checking {

/// The name of a kernel or of a variable that NVRTC has to find in the source, and the position in the
/// definition that names it.
struct AskedName {
  std::string name;
  base::SourcePosition position;
};

/// A program that does not compile.
struct FailedProgram {
  std::string what;                  ///< For messages: "the default configuration".
  std::vector<AskedName> entries;    ///< The kernels that the program launches.
  std::vector<AskedName> variables;  ///< The `symbol` of each argument that has one.
};

/// The finding for a program of the user that does not compile. Its position is that of the first error in
/// the user's source. If there is none, it is that of the entry or symbol that NVRTC does not accept. For an
/// entry, the message lists the kernels that exist, unless `facts` (those of the source) is null.
kernel_templates::inspection::Finding compile_failure(const FailedProgram& program,
                                                      const model::Rejection& rejection,
                                                      const kernel_templates::inspection::SourceFacts* facts);

/// The finding for a reference expression of `[check]` that does not compile. The compiler's messages give
/// lines of generated code, so only their text is kept.
kernel_templates::inspection::Finding expression_failure(const model::Rejection& rejection,
                                                         const base::SourcePosition& position);

}  // namespace warptune::tuner::checking
