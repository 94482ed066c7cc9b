// Finds entries that are misspelt, before anything is compiled. The sources are not parsed: a name counts as
// present if it occurs anywhere outside of comments. So no correct definition is refused.
#include "kernel_templates/entry_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/inspection/kernel_signatures.h"

namespace warptune::kernel_templates {

namespace {

namespace fs = std::filesystem;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// What is known about a source and the files that it includes.
struct SourceNames {
  std::unordered_set<std::string> names;
  std::vector<std::string> kernels;
  bool complete = true;  ///< All names are known: the source forms none in another way.
};

void add_text(const std::string& text, SourceNames& source) {
  if (compiling::add_identifiers(text, source.names)) source.complete = false;
  for (std::string& name : kernels_in(text)) {
    if (!base::contains(source.kernels, name)) source.kernels.push_back(std::move(name));
  }
}

SourceNames names_in(const fs::path& path, const KernelDefinition& definition) {
  SourceNames source;
  const std::string code = compiling::split_source(base::read_file(path), path.string()).code;
  add_text(code, source);
  const compiling::IncludeScan scan =
      compiling::scan_includes(path, code, definition.include_folders, {}, &definition.scope);
  // Toolkit headers are not found here. They have no kernels outside of namespaces.
  source.complete = source.complete && !scan.computed;
  for (const compiling::IncludedFile& file : scan.files) add_text(file.text, source);
  return source;
}

class EntryCheck {
 public:
  explicit EntryCheck(const KernelDefinition& definition) : definition_(definition) {
    for (const auto& [name, expression] : definition.defines) add_macro(name, expression.text());
    for (const std::string& flag : definition.flags) compiling::add_identifiers(flag, macros_);
    for (const model::Parameter& parameter : definition.parameters) {
      for (const model::Value& value : parameter.values) add_macro(parameter.name, model::to_text(value));
    }
  }

  void check(const std::string& entry, const fs::path& path, const base::SourcePosition& position) {
    const std::string name = entry.substr(0, entry.find('<'));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_word) || macros_.contains(name)) return;
    auto found = sources_.find(path);
    if (found == sources_.end()) found = sources_.emplace(path, names_in(path, definition_)).first;
    const SourceNames& source = found->second;
    if (!source.complete || source.names.contains(name)) return;
    throw base::InputError(
        fmt::format("the entry '{}' is not in {}{}; its kernels are {}", name, path.filename().string(),
                    base::did_you_mean(name, source.kernels),
                    source.kernels.empty() ? "none" : fmt::format("{}", fmt::join(source.kernels, ", "))),
        position);
  }

 private:
  void add_macro(const std::string& name, const std::string& text) {
    macros_.insert(name);
    compiling::add_identifiers(text, macros_);
    // Names in the text literals of an expression, which the line above leaves out.
    std::string words = text;
    std::replace_if(
        words.begin(), words.end(), [](char c) { return !is_word(c); }, ' ');
    compiling::add_identifiers(words, macros_);
  }

  const KernelDefinition& definition_;
  std::unordered_set<std::string> macros_;  ///< Names that macros have or may become.
  std::map<fs::path, SourceNames> sources_;
};

}  // namespace

std::vector<std::string> kernels_in(const std::string& code) {
  std::vector<std::string> names;
  for (inspection::KernelSignature& kernel : inspection::kernel_signatures(code))
    names.push_back(std::move(kernel.name));
  return names;
}

void require_entries(const KernelDefinition& definition) {
  EntryCheck entries(definition);
  for (const Variant& variant : definition.variants)
    entries.check(variant.entry, variant.source, variant.position);
  if (definition.check.reference == ReferenceKind::kEntry)
    entries.check(definition.check.launch.entry, definition.check.source, definition.check.launch.position);
  if (!definition.variants.empty()) return;  // Further launches use the variant's source.
  if (!definition.host) entries.check(definition.entry, definition.source, definition.entry_position);
  for (const auto* launches : {&definition.before, &definition.after}) {
    for (const Launch& launch : *launches) entries.check(launch.entry, definition.source, launch.position);
  }
  if (!definition.host) return;
  for (const HostLoop& loop : definition.host->loops) {
    for (const HostStep& step : loop.steps) {
      if (const auto* host = std::get_if<HostLaunch>(&step.action))
        entries.check(host->launch.entry, definition.source, host->launch.position);
    }
  }
}

}  // namespace warptune::kernel_templates
