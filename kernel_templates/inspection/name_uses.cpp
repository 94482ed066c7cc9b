#include "kernel_templates/inspection/name_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::inspection {

namespace {

using Names = std::unordered_set<std::string>;

// Collects the names that the expressions and texts of a definition use.
class UseCollector {
 public:
  void add(const model::Expression& expression) {
    names_.insert(expression.variables().begin(), expression.variables().end());
  }
  void add(const std::optional<model::Expression>& expression) {
    if (expression) add(*expression);
  }
  void add(const std::vector<model::Expression>& expressions) {
    for (const model::Expression& expression : expressions) add(expression);
  }
  // The identifiers of a text, also those within its placeholders.
  void add_text(const std::string& text) { compiling::add_identifiers(text, names_); }

  void add(const Launch& launch) {
    add_text(launch.entry);
    for (const auto* list : {&launch.grid, &launch.block, &launch.cluster}) add(*list);
    for (const auto* one : {&launch.shared_bytes, &launch.when, &launch.cooperative, &launch.carveout,
                            &launch.cluster_scheduling})
      add(*one);
    if (launch.arguments) add(*launch.arguments);
  }
  void add(const std::vector<HostArgument>& passed) {
    for (const HostArgument& argument : passed) {
      names_.insert(argument.type);
      add(argument.offset);
      add(argument.value);
      add(argument.members);
    }
  }
  void add(const Argument& argument) {
    names_.insert(argument.type);
    for (const auto* one : {&argument.count, &argument.value, &argument.memory, &argument.width,
                            &argument.pitch, &argument.init.value, &argument.init.total})
      add(*one);
    const ManagedMemory& managed = argument.managed;
    for (const auto* one :
         {&managed.residency, &managed.read_mostly, &managed.preferred_location, &managed.accessed_by})
      add(*one);
    if (argument.tensor_map) {
      for (const auto* list :
           {&argument.tensor_map->shape, &argument.tensor_map->pitch, &argument.tensor_map->box})
        add(*list);
      add(argument.tensor_map->swizzle);
      add(argument.tensor_map->when);
    }
    if (argument.texture) {
      for (const auto* one : {&argument.texture->width, &argument.texture->height, &argument.texture->pitch})
        add(*one);
    }
  }
  void add(const HostProgram& program) {
    add(program.priorities);
    for (const auto* one : {&program.streams, &program.graph, &program.timed}) add(*one);
    for (const HostLoop& loop : program.loops) {
      for (const auto* one : {&loop.times, &loop.when, &loop.stream}) add(*one);
      for (const HostStep& step : loop.steps) {
        add(step.when);
        add(step.stream);
        std::visit(*this, step.action);
      }
    }
  }
  void operator()(const HostLaunch& step) { add(step.launch); }
  void operator()(const HostCopy& step) {
    for (const auto* one : {&step.from_offset, &step.to_offset, &step.count}) add(*one);
  }
  void operator()(const HostFill& step) {
    add(step.offset);
    add(step.count);
    add(step.byte);
  }
  void operator()(const HostPrefetch& step) {
    for (const auto* one : {&step.offset, &step.count}) add(*one);
    add(step.to);
  }
  void operator()(const HostCall& step) {
    for (const auto* size : {&step.m, &step.n, &step.k}) add(*size);
    add(step.math);
  }
  void operator()(const HostWait& step) { add(step.stream); }
  void operator()(const HostAllocate& step) {
    add(step.bytes);
    add(step.pool);
  }
  void operator()(const HostSynchronise&) {}

  bool has(const std::string& name) const { return names_.contains(name); }

 private:
  Names names_;
};

UseCollector uses_of(const KernelDefinition& definition) {
  UseCollector uses;
  if (definition.host) {
    uses.add(*definition.host);
  } else {
    uses.add(definition.launch);
  }
  for (const auto* launches : {&definition.before, &definition.after}) {
    for (const Launch& launch : *launches) uses.add(launch);
  }
  for (const Argument& argument : definition.arguments) uses.add(argument);
  const Check& check = definition.check;
  uses.add(check.launch);
  for (const auto* one : {&check.absolute, &check.relative, &check.nondeterministic}) uses.add(*one);
  for (const auto& [output, expression] : check.expressions) uses.add_text(expression);
  uses.add(definition.flops);
  uses.add(definition.bytes);
  uses.add_text(definition.entry);
  for (const Variant& variant : definition.variants) uses.add_text(variant.entry);
  for (const std::string& flag : definition.flags) uses.add_text(flag);
  for (const model::Parameter& parameter : definition.parameters) {
    for (const model::Value& value : parameter.values) {  // A macro's text may name another macro.
      if (const auto* text = std::get_if<std::string>(&value)) uses.add_text(*text);
    }
  }
  return uses;
}

bool is_mentioned(const std::vector<SourceFacts>& sources, const std::string& name) {
  return std::any_of(sources.begin(), sources.end(),
                     [&](const SourceFacts& facts) { return facts.mentions(name); });
}

}  // namespace

Findings unused_names(const KernelDefinition& definition, const std::vector<SourceFacts>& sources) {
  UseCollector uses = uses_of(definition);
  Findings findings;
  const auto warn = [&](const base::SourcePosition& position, std::string message) {
    findings.push_back({Severity::kWarning, position, std::move(message)});
  };
  for (const auto& [name, expression] : definition.defines) {
    if (is_mentioned(sources, name) || uses.has(name)) {
      uses.add(expression);
    } else {
      warn(expression.position(), fmt::format("nothing uses the define '{}': no source names it", name));
    }
  }
  for (const model::Parameter& parameter : definition.parameters) {
    const bool chooses_variant = !definition.variants.empty() && &parameter == &definition.parameters.front();
    if (chooses_variant || is_mentioned(sources, parameter.name) || uses.has(parameter.name)) continue;
    warn(parameter.position,
         fmt::format("nothing uses the parameter '{}': no source names it, and no launch or argument depends "
                     "on it",
                     parameter.name));
  }
  for (const model::Constraint& constraint : definition.constraints) uses.add(constraint.expression);
  for (std::size_t i = 0; i < definition.problem.size(); ++i) {
    const std::string& name = definition.problem[i].first;
    const bool is_macro = compiling::type_of_entry(definition.problem, name).has_value();
    if (uses.has(name) || (is_macro && is_mentioned(sources, name))) continue;
    warn(definition.problem_positions[i],
         fmt::format(
             "nothing uses the problem entry '{}'{}", name,
             !is_macro && is_mentioned(sources, name)
                 ? ": the source does not get it as a macro; pass it as a scalar, or put it into 'defines'"
                 : ""));
  }
  return findings;
}

}  // namespace warptune::kernel_templates::inspection
