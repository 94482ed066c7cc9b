#include "kernel_templates/inspection/entry_findings.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <unordered_set>

#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::inspection {

namespace {

struct NamedEntry {
  std::string entry;
  base::SourcePosition position;
  std::filesystem::path source;
};

std::vector<NamedEntry> named_entries(const KernelDefinition& definition) {
  std::vector<NamedEntry> entries;
  if (definition.variants.empty() && !definition.host)
    entries.push_back({definition.entry, definition.entry_position, definition.source});
  for (const Variant& variant : definition.variants)
    entries.push_back({variant.entry, variant.position, variant.source});
  for (const auto* launches : {&definition.before, &definition.after}) {
    if (!definition.variants.empty()) break;  // The variant determines their source.
    for (const Launch& launch : *launches)
      entries.push_back({launch.entry, launch.position, definition.source});
  }
  if (definition.host) {
    for (const HostLoop& loop : definition.host->loops) {
      for (const HostStep& step : loop.steps) {
        if (const auto* launch = std::get_if<HostLaunch>(&step.action))
          entries.push_back({launch->launch.entry, step.position, definition.source});
      }
    }
  }
  if (definition.check.reference == ReferenceKind::kEntry)
    entries.push_back(
        {definition.check.launch.entry, definition.check.launch.position, definition.check.source});
  return entries;
}

// The names that macros of the definition have or may become.
std::unordered_set<std::string> macro_names(const KernelDefinition& definition) {
  std::unordered_set<std::string> names;
  const auto add = [&](const std::string& name, std::string text) {
    names.insert(name);
    // The names in the text literals of an expression count, too.
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; }, ' ');
    compiling::add_identifiers(text, names);
  };
  for (const auto& [name, expression] : definition.defines) add(name, expression.text());
  for (const std::string& flag : definition.flags) compiling::add_identifiers(flag, names);
  for (const model::Parameter& parameter : definition.parameters) {
    for (const model::Value& value : parameter.values) add(parameter.name, model::to_text(value));
  }
  return names;
}

}  // namespace

Findings entry_findings(const KernelDefinition& definition, const std::vector<SourceFacts>& sources) {
  const std::unordered_set<std::string> macros = macro_names(definition);
  Findings findings;
  for (const NamedEntry& named : named_entries(definition)) {
    const auto facts = std::find_if(sources.begin(), sources.end(),
                                    [&](const SourceFacts& one) { return one.source == named.source; });
    if (facts == sources.end() || macros.contains(function_of(named.entry))) continue;
    const std::string missing = missing_entry(*facts, named.entry);
    if (!missing.empty()) findings.push_back({Severity::kError, named.position, missing});
  }
  return findings;
}

void require_entries(const KernelDefinition& definition) {
  const Findings findings = entry_findings(definition, source_facts(definition));
  if (!findings.empty()) throw base::InputError(findings.front().message, findings.front().position);
}

}  // namespace warptune::kernel_templates::inspection
