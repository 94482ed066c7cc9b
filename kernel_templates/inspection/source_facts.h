#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "kernel_templates/inspection/kernel_signatures.h"
#include "kernel_templates/inspection/name_graph.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::inspection {

/// Facts from the text of one source of a definition, and of the files that it includes.
struct SourceFacts {
  std::filesystem::path source;
  std::unordered_set<std::string> names;  ///< The identifiers of the source and of its headers.
  /// Names may be formed in other ways: tokens are pasted, or the text of an included file is not known.
  bool any_name = false;
  std::vector<KernelSignature> kernels;
  NameGraph definitions;  ///< The definitions in the source and in the author's headers.

  bool mentions(const std::string& name) const { return any_name || names.contains(name); }
  bool has_kernel(const std::string& name) const { return kernel(name) != nullptr; }
  /// Null if no kernel has this name.
  const KernelSignature* kernel(const std::string& name) const;
};

/// The facts of all sources of a definition: `[kernel] source`, then those of variants and of the reference.
std::vector<SourceFacts> source_facts(const KernelDefinition& definition);

/// The name of the function that an entry names: `f` of `space::f<{BLOCK}>`.
std::string function_of(const std::string& entry);

/// Why an entry does not exist in a source, with the kernels that do. Empty if it exists, or if the text does
/// not decide it.
std::string missing_entry(const SourceFacts& facts, const std::string& entry);

}  // namespace warptune::kernel_templates::inspection
