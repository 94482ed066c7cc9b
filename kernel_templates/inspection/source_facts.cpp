#include "kernel_templates/inspection/source_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shared_library.h"
#include "base/text.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/compiling/program_text.h"

namespace warptune::kernel_templates::inspection {

namespace {

SourceFacts read_facts(const KernelDefinition& definition, const std::filesystem::path& source) {
  const std::vector<std::string> toolkit = base::cuda_include_folders();
  std::vector<std::filesystem::path> folders = definition.include_folders;
  folders.insert(folders.begin(), definition.source.parent_path());
  folders.insert(folders.end(), toolkit.begin(), toolkit.end());
  const adapting::SourceSettings settings = compiling::source_settings(definition);
  compiling::ProgramText text =
      compiling::read_program_text(source, folders, toolkit, &definition.scope, &settings);
  SourceFacts facts;
  facts.source = source;
  facts.any_name = text.may_form_any_name;
  facts.kernels = kernel_signatures(text.headers + text.code);
  add_definitions(text.headers + text.code, facts.definitions);
  for (const compiling::IncludedFile& file : text.files) {
    add_definitions(file.text, facts.definitions);
    for (KernelSignature& kernel : kernel_signatures(file.text)) {
      if (!facts.has_kernel(kernel.name)) facts.kernels.push_back(std::move(kernel));
    }
  }
  facts.names = std::move(text.own_names);
  facts.names.insert(text.header_names.all().begin(), text.header_names.all().end());
  return facts;
}

}  // namespace

const KernelSignature* SourceFacts::kernel(const std::string& name) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelSignature& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

std::vector<SourceFacts> source_facts(const KernelDefinition& definition) {
  std::vector<std::filesystem::path> sources = {definition.source};
  for (const Variant& variant : definition.variants) {
    if (std::find(sources.begin(), sources.end(), variant.source) == sources.end())
      sources.push_back(variant.source);
  }
  if (definition.check.reference == ReferenceKind::kEntry &&
      std::find(sources.begin(), sources.end(), definition.check.source) == sources.end())
    sources.push_back(definition.check.source);
  std::vector<SourceFacts> facts;
  facts.reserve(sources.size());
  for (const std::filesystem::path& source : sources) facts.push_back(read_facts(definition, source));
  return facts;
}

std::string function_of(const std::string& entry) {
  std::string name(base::trim(entry.substr(0, entry.find('<'))));
  const std::size_t qualifier = name.rfind("::");
  return qualifier == std::string::npos ? name : name.substr(qualifier + 2);
}

std::string missing_entry(const SourceFacts& facts, const std::string& entry) {
  const std::string name = function_of(entry);
  if (name.find('{') != std::string::npos || facts.mentions(name)) return "";
  std::vector<std::string> known;
  for (const KernelSignature& kernel : facts.kernels) known.push_back(kernel.name);
  const std::string file = facts.source.filename().string();
  if (known.empty()) return fmt::format("there is no kernel '{}': {} has no __global__ function", name, file);
  return fmt::format("there is no kernel '{}'{}; the kernels of {} are {}", name,
                     base::did_you_mean(name, known), file, fmt::join(known, ", "));
}

}  // namespace warptune::kernel_templates::inspection
