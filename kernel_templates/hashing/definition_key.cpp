// Computes the key of a definition's stored results.
//
// The hash is the key of stored results, so it must change with everything that changes them, and with
// nothing else. It covers the sources with all included files, the parameters, constraints, launches,
// arguments and flags. It does not cover the values of [problem], because these are a key of their own, nor
// titles and descriptions. A key that a later version of the format adds is hashed only if it is used, so
// that older definitions keep their hashes. The texts that are hashed must therefore never be changed.
#include "kernel_templates/hashing/definition_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "kernel_templates/adapting/adapted_source.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::hashing {

namespace {

namespace fs = std::filesystem;

// Collects the text that is hashed for `KernelDefinition::hash`: the parts of a definition that change what a
// configuration compiles to or how it runs.
class KeyText {
 public:
  void add(std::string_view name, std::string_view text) {
    text_ += fmt::format("{}[{}]={}\n", name, text.size(), text);
  }
  void add(std::string_view name, const std::optional<model::Expression>& expression) {
    add(name, expression ? expression->text() : std::string_view("-"));
  }
  void add(std::string_view name, const std::vector<model::Expression>& expressions) {
    for (const model::Expression& expression : expressions) add(name, expression.text());
  }
  void add(std::string_view name, const Launch& launch) {
    add(name, launch.entry);
    add("grid", launch.grid);
    add("block", launch.block);
    add("cluster", launch.cluster);
    add("shared", launch.shared_bytes);
    add("when", launch.when);
    if (launch.cooperative) add("cooperative", launch.cooperative);
    if (launch.carveout) add("carveout", launch.carveout);
    if (launch.cluster_scheduling) add("cluster_scheduling", launch.cluster_scheduling);
    if (launch.arguments) add(*launch.arguments);
  }
  void add(const std::vector<HostArgument>& passed) {
    for (const HostArgument& argument : passed) {
      add("passed " + argument.type, argument.name);
      add("offset", argument.offset);
      add("value", argument.value);
      if (argument.at != 0) add("at", std::to_string(argument.at));
      if (argument.struct_bytes == 0) continue;
      add("struct", std::to_string(argument.struct_bytes));
      add(argument.members);
      add("end", "struct");
    }
  }
  void add(std::string_view name, const Texture& texture) {
    add(name, texture.of);
    for (const auto* extent : {&texture.width, &texture.height, &texture.pitch}) add("extent", *extent);
    add("read", fmt::format("{} {}", texture.linear, texture.border));
  }
  void add(std::string_view name, const TensorMap& map) {
    add(name, map.of);
    add("shape", map.shape);
    add("pitch", map.pitch);
    add("box", map.box);
    add("swizzle", map.swizzle);
    add("when", map.when);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct AddStep {
  KeyText& key;

  void operator()(const HostLaunch& step) const { key.add("step launch", step.launch); }
  void operator()(const HostCopy& step) const {
    key.add("step copy", step.from);
    key.add("to", step.to);
    for (const auto* one : {&step.from_offset, &step.to_offset, &step.count}) key.add("range", *one);
  }
  void operator()(const HostFill& step) const {
    key.add("step fill", step.buffer);
    key.add("offset", step.offset);
    key.add("count", step.count);
    key.add("byte", step.byte.text());
  }
  void operator()(const HostPrefetch& step) const {
    key.add("step prefetch", step.buffer);
    key.add("offset", step.offset);
    key.add("count", step.count);
    key.add("to", step.to.text());
  }
  void operator()(const HostCall& step) const {
    key.add("step call", step.function);
    for (const auto* buffer : {&step.a, &step.b, &step.c}) key.add("with", *buffer);
    for (const auto* size : {&step.m, &step.n, &step.k}) key.add("size", size->text());
    key.add("math", step.math);
  }
  void operator()(const HostWait& step) const { key.add("step wait", step.stream.text()); }
  void operator()(const HostAllocate& step) const {
    key.add("step allocate", step.bytes.text());
    if (step.pool) key.add("pool", step.pool);
  }
  void operator()(const HostSynchronise&) const { key.add("step", "synchronise"); }
};

void add_host_program(const HostProgram& program, KeyText& key) {
  key.add("streams", program.streams);
  key.add("priority", program.priorities);
  key.add("graph", program.graph);
  if (program.timed) key.add("timed", program.timed);
  for (const HostLoop& loop : program.loops) {
    key.add("loop", loop.times);
    key.add("when", loop.when);
    key.add("stream", loop.stream);
    for (const HostStep& step : loop.steps) {
      key.add("when", step.when);
      key.add("stream", step.stream);
      std::visit(AddStep{key}, step.action);
    }
  }
}

void add_description(const KernelDefinition& definition, KeyText& key) {
  key.add("name", definition.name);
  key.add("entry", definition.entry);
  key.add("language", definition.language);
  if (!definition.compiler.empty()) key.add("compiler", definition.compiler);
  for (const std::string& flag : definition.flags) key.add("flag", flag);
  for (const std::string& library : definition.libraries) key.add("library", library);
  if (definition.architecture_specific) key.add("flag", "architecture_specific");
  for (const auto& [name, expression] : definition.defines) key.add("define " + name, expression.text());
  for (const auto& [name, value] : definition.problem) key.add("problem", name);
  for (const model::Parameter& parameter : definition.parameters) {
    for (const model::Value& value : parameter.values)
      key.add("parameter " + parameter.name, model::to_literal(value));
  }
  for (const model::Constraint& constraint : definition.constraints)
    key.add("constraint", constraint.expression.text());
  if (definition.host) add_host_program(*definition.host, key);
  key.add("launch", definition.launch);
  for (const Launch& launch : definition.before) key.add("before", launch);
  for (const Launch& launch : definition.after) key.add("after", launch);
  for (const Argument& argument : definition.arguments) {
    const Initialiser& init = argument.init;
    key.add("argument " + argument.name,
            fmt::format("{} {} {} {} {} {}", static_cast<int>(argument.kind), argument.type,
                        static_cast<int>(init.kind), init.seed, init.first, init.second));
    if (init.value) key.add("init", init.value);
    if (init.total) key.add("total", init.total);
    if (argument.tensor_map) key.add("map", *argument.tensor_map);
    if (argument.texture) key.add("texture", *argument.texture);
    if (!argument.symbol.empty()) key.add("symbol", argument.symbol);
    if (argument.memory) key.add("memory", argument.memory);
    const ManagedMemory& managed = argument.managed;
    if (managed.residency) key.add("residency", managed.residency);
    if (managed.read_mostly) key.add("read_mostly", managed.read_mostly);
    if (managed.preferred_location) key.add("preferred_location", managed.preferred_location);
    if (managed.accessed_by) key.add("accessed_by", managed.accessed_by);
    if (argument.width) key.add("width", argument.width);
    if (argument.pitch) key.add("row_pitch", argument.pitch);
    key.add("count", argument.count);
    key.add("value", argument.value);
    if (!init.path.empty()) {
      const fs::path relative = init.path.lexically_relative(definition.path.parent_path());
      key.add("file", (relative.empty() ? init.path : relative).generic_string());
    }
  }
  for (const Variant& variant : definition.variants) key.add("variant " + variant.name, variant.entry);
}

// Adds the sources with their included files. The description within a source is blanked, so that a new
// default size does not change the key.
void add_sources(const KernelDefinition& definition, KeyText& key) {
  std::vector<fs::path> sources = {definition.source};
  for (const Variant& variant : definition.variants) {
    if (variant.source != definition.source) sources.push_back(variant.source);
  }
  for (const fs::path& source : sources) {
    const std::string code = compiling::split_source(base::read_file(source), source.string()).code;
    key.add("source", code.substr(std::min(code.find_first_not_of('\n'), code.size())));
    for (const std::string& text :
         compiling::include_closure(source, code, definition.include_folders, &definition.scope))
      key.add("include", text);
    if (definition.compiler.empty() &&
        adapting::needs_adapting(source, code, compiling::source_settings(definition), &definition.scope))
      key.add("adapted", std::to_string(adapting::kVersion));
  }
}

// Removes the name of a function from a name expression. Its placeholders (`{NAME}`) and template arguments
// stay, because they decide which code a configuration launches.
void remove_name(std::string& entry) {
  std::string left;
  bool in_placeholder = false;
  const std::size_t arguments = std::min(entry.find('<'), entry.size());
  for (const char character : std::string_view(entry).substr(0, arguments)) {
    in_placeholder = in_placeholder || character == '{';
    if (in_placeholder) left += character;
    in_placeholder = in_placeholder && character != '}';
  }
  entry = left + entry.substr(arguments);
}

KernelDefinition without_names(KernelDefinition definition) {
  remove_name(definition.entry);
  remove_name(definition.launch.entry);
  for (std::vector<Launch>* launches : {&definition.before, &definition.after}) {
    for (Launch& launch : *launches) remove_name(launch.entry);
  }
  for (Variant& variant : definition.variants) remove_name(variant.entry);
  if (!definition.host) return definition;
  for (HostLoop& loop : definition.host->loops) {
    for (HostStep& step : loop.steps) {
      if (HostLaunch* launch = std::get_if<HostLaunch>(&step.action)) remove_name(launch->launch.entry);
    }
  }
  return definition;
}

}  // namespace

std::string hash_of(const KernelDefinition& definition) {
  KeyText key;
  add_description(definition, key);
  add_sources(definition, key);
  return base::hash_hex(key.text());
}

std::string form_of(const KernelDefinition& definition) {
  KeyText key;
  add_description(without_names(definition), key);
  return base::hash_hex(key.text());
}

}  // namespace warptune::kernel_templates::hashing
