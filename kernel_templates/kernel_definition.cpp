// Reads a definition and computes its hash.
//
// The hash is the key of stored results, so it must change with everything that changes them, and with
// nothing else. It covers the sources with all included files, the parameters, constraints, launches,
// arguments and flags. It does not cover the values of [problem], because these are a key of their own, nor
// titles and descriptions. A key that a later version of the format adds is hashed only if it is used, so
// that older definitions keep their hashes. The texts that are hashed must therefore never be changed.
#include "kernel_templates/kernel_definition.h"

#include <fmt/format.h>

#include <system_error>

#include "base/files.h"
#include "base/hash.h"
#include "kernel_templates/adapting/adapted_source.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/definition/definition_sections.h"
#include "kernel_templates/definition/include_check.h"

namespace warptune::kernel_templates {

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

  void operator()(const HostLaunch& step) const {
    key.add("step launch", step.launch);
    if (!step.arguments) return;
    for (const HostArgument& argument : *step.arguments) {
      key.add("passed " + argument.type, argument.name);
      key.add("offset", argument.offset);
      key.add("value", argument.value);
    }
  }
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
  void operator()(const HostCall& step) const {
    key.add("step call", step.function);
    for (const auto* buffer : {&step.a, &step.b, &step.c}) key.add("with", *buffer);
    for (const auto* size : {&step.m, &step.n, &step.k}) key.add("size", size->text());
    key.add("math", step.math);
  }
  void operator()(const HostWait& step) const { key.add("step wait", step.stream.text()); }
  void operator()(const HostAllocate& step) const { key.add("step allocate", step.bytes.text()); }
  void operator()(const HostSynchronise&) const { key.add("step", "synchronise"); }
};

void add_host_program(const HostProgram& program, KeyText& key) {
  key.add("streams", program.streams);
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

void require_sources(const KernelDefinition& definition, const definition::TableReader& root) {
  const auto require = [&](const fs::path& source, const definition::TableReader& table) {
    definition.scope.require(source, "the source", table.position("source"));
    std::error_code ignored;
    if (fs::is_regular_file(source, ignored)) return;
    throw base::InputError(
        fmt::format("the source {} is missing; expected a CUDA file in the folder of this definition",
                    source.string()),
        table.position("source"));
  };
  require(definition.source, root.table("kernel"));
  const std::vector<definition::TableReader> variants = root.tables("variant");
  for (std::size_t i = 0; i < variants.size(); ++i) require(definition.variants[i].source, variants[i]);
  if (definition.check.reference == ReferenceKind::kEntry)
    require(definition.check.source, root.table("check"));
}

// Checks that all files and folders that the definition names may be read.
void require_readable(const KernelDefinition& definition, const definition::TableReader& root) {
  const definition::TableReader kernel = root.table("kernel");
  for (const fs::path& folder : definition.include_folders)
    definition.scope.require(folder, "the include folder", kernel.position("include"));
  const std::vector<definition::TableReader> arguments = root.tables("argument");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const fs::path& file = definition.arguments[i].init.path;
    if (!file.empty())
      definition.scope.require(file, "the data", arguments[i].table("init").position("path"));
  }
  for (const auto& [output, file] : definition.check.files)
    definition.scope.require(file, "the data", root.table("check").position("path"));
}

toml::table parse_description(const fs::path& path, const ReadScope& scope) {
  scope.require(path, "the definition", {path.string(), 0, 0});
  const std::string text = base::read_file(path);
  if (path.extension() == ".toml") return definition::parse_toml(text, path.string());
  const std::string description = compiling::split_source(text, path.string()).description;
  if (description.empty()) {
    throw base::InputError(
        "there is no tuning description: expected a first comment that starts with '/* warptune', or a .toml "
        "file that names this source",
        {path.string(), 1, 1});
  }
  return definition::parse_toml(description, path.string());
}

// Moves `over` into `base`. Tables are merged key by key; any other value is replaced. Values are moved,
// because a copy would lose its position in the file.
void merge_into(toml::table& base, toml::table&& over) {
  for (auto&& [key, value] : over) {
    toml::table* below = base[key.str()].as_table();
    if (below != nullptr && value.is_table()) {
      merge_into(*below, std::move(*value.as_table()));
    } else {
      base.insert_or_assign(key, std::move(value));
    }
  }
}

// The tables of a definition, merged over those of the definition that it extends.
toml::table description_of(const fs::path& path, const ReadScope& scope, int depth = 0) {
  constexpr int kMaxExtensions = 8;
  toml::table own = parse_description(path, scope);
  const definition::TableReader kernel = definition::TableReader(&own, "", path.string()).table("kernel");
  const std::optional<std::string> extended = kernel.text("extends");
  if (!extended) return own;
  if (path.extension() != ".toml")
    kernel.fail("extends", "no such key: only a .toml file can extend another definition");
  const fs::path base_path = path.parent_path() / *extended;
  std::error_code ignored;
  if (fs::path(*extended).has_parent_path() || !fs::is_regular_file(base_path, ignored))
    kernel.fail("extends", "the name of a definition in the same folder");
  scope.require(base_path, "the extended definition", kernel.position("extends"));
  if (depth == kMaxExtensions)
    kernel.fail("extends", "definitions that do not extend each other in a circle");
  toml::table merged = description_of(base_path, scope, depth + 1);
  if (toml::table* of_base = merged["kernel"].as_table(); of_base != nullptr) {
    if (base_path.extension() != ".toml") of_base->insert_or_assign("source", *extended);
    for (const char* key : {"name", "description"}) of_base->erase(key);
  }
  own["kernel"].as_table()->erase("extends");
  merge_into(merged, std::move(own));
  return merged;
}

}  // namespace

KernelDefinition load_kernel_definition(const fs::path& path, const Permissions& permissions) {
  const ReadScope scope(path, permissions);
  const toml::table table = description_of(path, scope);
  // Tables are merged into those of the definition that extends no other, so `kernel` is a table of its file.
  const toml::node* kernel = table.get("kernel");
  const bool names_file = kernel != nullptr && kernel->source().path != nullptr;
  const definition::TableReader root(&table, "", path.string(),
                                     names_file ? *kernel->source().path : path.string());
  KernelDefinition definition = definition::read_sections(root, path);
  definition.scope = scope;
  definition::check_names(definition, root);
  require_sources(definition, root);
  require_readable(definition, root);
  compiling::check_compiler_options(definition);
  definition::check_includes(definition);
  KeyText key;
  add_description(definition, key);
  add_sources(definition, key);
  definition.hash = base::hash_hex(key.text());
  return definition;
}

}  // namespace warptune::kernel_templates
