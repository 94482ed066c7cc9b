#include "kernel_templates/definition/argument_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "kernel_templates/buffer_memory.h"

namespace warptune::kernel_templates::definition {

namespace {

Initialiser read_initialiser(const TableReader& table, const KernelDefinition& definition) {
  Initialiser init;
  if (!table.present()) return init;
  struct Kind {
    const char* name;
    InitialiserKind kind;
    const char* first;
    const char* second;
    double first_default;
    double second_default;
  };
  static constexpr Kind kKinds[] = {{"uniform", InitialiserKind::kUniform, "low", "high", -1.0, 1.0},
                                    {"normal", InitialiserKind::kNormal, "mean", "deviation", 0.0, 1.0},
                                    {"iota", InitialiserKind::kIota, "start", "step", 0.0, 1.0},
                                    {"constant", InitialiserKind::kConstant, "value", nullptr, 0.0, 0.0},
                                    {"file", InitialiserKind::kFile, nullptr, nullptr, 0.0, 0.0},
                                    {"expression", InitialiserKind::kExpression, nullptr, nullptr, 0.0, 0.0},
                                    {"offsets", InitialiserKind::kOffsets, nullptr, nullptr, 0.0, 0.0}};
  const std::string name = table.text("kind").value_or("uniform");
  for (const Kind& kind : kKinds) {
    if (name != kind.name) continue;
    std::vector<std::string> known = {"kind", "seed"};
    if (kind.first != nullptr) known.emplace_back(kind.first);
    if (kind.second != nullptr) known.emplace_back(kind.second);
    if (kind.kind == InitialiserKind::kFile) known.emplace_back("path");
    if (kind.kind == InitialiserKind::kExpression) known.emplace_back("value");
    if (kind.kind == InitialiserKind::kOffsets) known.insert(known.end(), {"weight", "total"});
    table.allow_only(known);
    init.kind = kind.kind;
    const std::int64_t seed = table.integer("seed").value_or(0);
    if (seed < 0) table.fail("seed", "0 or more");
    init.seed = static_cast<std::uint64_t>(seed);
    init.first = kind.first == nullptr ? 0.0 : table.number(kind.first).value_or(kind.first_default);
    init.second = kind.second == nullptr ? 0.0 : table.number(kind.second).value_or(kind.second_default);
    if (kind.kind == InitialiserKind::kFile)
      init.path = definition.path.parent_path() / table.required_text("path");
    if (kind.kind == InitialiserKind::kExpression) init.value = table.required_expression("value");
    if (kind.kind == InitialiserKind::kOffsets) {
      init.value = table.required_expression("weight");
      init.total = table.required_expression("total");
    }
    return init;
  }
  table.fail("kind", "one of uniform, normal, iota, constant, file, expression, offsets");
}

TensorMap read_tensor_map(const TableReader& table, const KernelDefinition& definition) {
  TensorMap map;
  map.of = table.required_text("of");
  const bool known =
      std::any_of(definition.arguments.begin(), definition.arguments.end(), [&](const Argument& other) {
        return other.name == map.of && other.is_buffer() && other.symbol.empty();
      });
  if (!known) table.fail("of", "the name of a buffer argument above");
  map.shape = table.expressions("shape");
  map.pitch = table.expressions("pitch");
  map.box = table.expressions("box");
  map.swizzle = table.expression("swizzle");
  map.when = table.expression("when");
  if (map.shape.size() < 2 || map.shape.size() > 5)
    table.fail("shape", "two to five expressions, innermost first");
  if (map.box.size() != map.shape.size()) table.fail("box", "as many expressions as the shape has");
  if (!map.pitch.empty() && map.pitch.size() + 1 != map.shape.size())
    table.fail("pitch", "one expression fewer than the shape has");
  return map;
}

Texture read_texture(const TableReader& table, const KernelDefinition& definition) {
  Texture texture;
  texture.of = table.required_text("of");
  const bool known =
      std::any_of(definition.arguments.begin(), definition.arguments.end(), [&](const Argument& other) {
        return other.name == texture.of && other.kind == ArgumentKind::kIn && other.symbol.empty();
      });
  if (!known) table.fail("of", "the name of an argument of kind in above");
  texture.width = table.expression("width");
  texture.height = table.expression("height");
  texture.pitch = table.expression("pitch");
  if (texture.width && !texture.height)
    table.fail("height", "an expression: the number of rows of the texture");
  for (const char* key : {"height", "pitch", "filter", "address"}) {
    if (table.node(key) != nullptr && !texture.width)
      table.fail(key, "no such key: without a width the texture has one dimension");
  }
  const auto is_second = [&](const char* key, const char* first, const char* second) {
    const std::string text = table.text(key).value_or(first);
    if (text != first && text != second) table.fail(key, fmt::format("{} or {}", first, second));
    return text == second;
  };
  texture.linear = is_second("filter", "point", "linear");
  texture.border = is_second("address", "clamp", "border");
  return texture;
}

std::string read_symbol(const TableReader& table, const Argument& argument) {
  std::string symbol = table.text("symbol").value_or("");
  if (table.node("symbol") == nullptr) return symbol;
  const auto allowed = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (symbol.empty() || !std::all_of(symbol.begin(), symbol.end(), allowed))
    table.fail("symbol", "the name of a variable");
  if (argument.kind != ArgumentKind::kIn)
    table.fail("symbol", "no such key: only an argument of kind in can have a symbol");
  if (table.node("memory") != nullptr) table.fail("memory", "no such key: the variable is in GPU memory");
  return symbol;
}

std::vector<std::string> argument_keys(const std::string& kind) {
  if (kind == "tensor_map") return {"name", "kind", "of", "shape", "pitch", "box", "swizzle", "when"};
  if (kind == "texture") return {"name", "kind", "of", "width", "height", "pitch", "filter", "address"};
  return {"name",   "kind",      "type",   "count",  "value", "init", "zero",
          "memory", "residency", "advise", "symbol", "width", "pitch"};
}

ArgumentKind read_kind(const TableReader& table) {
  static constexpr std::pair<const char*, ArgumentKind> kKinds[] = {
      {"in", ArgumentKind::kIn},          {"out", ArgumentKind::kOut},
      {"inout", ArgumentKind::kInOut},    {"scratch", ArgumentKind::kScratch},
      {"scalar", ArgumentKind::kScalar},  {"tensor_map", ArgumentKind::kTensorMap},
      {"texture", ArgumentKind::kTexture}};
  const std::string name = table.required_text("kind");
  const auto* kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& row) { return name == row.first; });
  if (kind == std::end(kKinds))
    table.fail("kind", "one of in, out, inout, scratch, scalar, tensor_map, texture");
  return kind->second;
}

void read_scalar(const TableReader& table, Argument& argument) {
  if (!argument.value) table.fail("value", "an expression");
  if (argument.count) table.fail("count", "no such key: a scalar has a value");
  for (const char* key : {"memory", "residency", "advise", "width", "pitch"}) {
    if (table.node(key) != nullptr) table.fail(key, "no such key: a scalar is not in memory");
  }
}

// Whether some configuration may have the buffer in managed memory.
bool may_be_managed(const std::optional<model::Expression>& memory) {
  if (!memory) return false;
  if (!memory->variables().empty()) return true;
  const base::Result<model::Value> value = memory->evaluate(model::NamedValues{});
  return !value || model::to_text(*value) == to_string(Memory::kManaged);
}

std::optional<model::Expression> read_place(const TableReader& advise, std::string_view key) {
  if (advise.node(key) == nullptr) return std::nullopt;
  return advise.required_choice(key, advised_place_names());
}

// The keys `memory`, `residency` and `advise` of a buffer.
void read_memory(const TableReader& table, Argument& argument) {
  if (table.node("memory") != nullptr) argument.memory = table.required_choice("memory", memory_names());
  for (const char* key : {"residency", "advise"}) {
    if (table.node(key) != nullptr && !may_be_managed(argument.memory))
      table.fail(key, "no such key: only a buffer with memory = \"managed\" has it");
  }
  if (table.node("residency") != nullptr)
    argument.managed.residency = table.required_choice("residency", page_place_names());
  const TableReader advise = table.table("advise");
  advise.allow_only({"read_mostly", "preferred_location", "accessed_by"});
  argument.managed.read_mostly = advise.expression("read_mostly");
  argument.managed.preferred_location = read_place(advise, "preferred_location");
  argument.managed.accessed_by = read_place(advise, "accessed_by");
}

// The keys `width` and `pitch` of a buffer whose rows are padded.
void read_rows(const TableReader& table, Argument& argument) {
  argument.width = table.expression("width");
  argument.pitch = table.expression("pitch");
  if (!argument.width && !argument.pitch) return;
  if (argument.kind == ArgumentKind::kScratch)
    table.fail(argument.pitch ? "pitch" : "width",
               "no such key: the count of a scratch argument may include the padding of its rows");
  if (!argument.width) table.fail("width", "an expression: the elements of a row");
  if (!argument.pitch) table.fail("pitch", "an expression: the elements from row to row");
  for (const char* key : {"memory", "symbol"}) {
    if (table.node(key) != nullptr)
      table.fail(
          key, "no such key: a buffer with padded rows is in the GPU's memory, and kernels get its address");
  }
}

void read_buffer(const TableReader& table, Argument& argument) {
  if (!argument.count) table.fail("count", "an expression: the number of elements of the buffer");
  if (argument.value) table.fail("value", "no such key: a buffer has a count and init");
  read_memory(table, argument);
  read_rows(table, argument);
}

Argument read_argument(const TableReader& table, const KernelDefinition& definition) {
  table.allow_only(argument_keys(table.text("kind").value_or("")));
  Argument argument;
  argument.position = table.position();
  argument.name = table.required_text("name");
  require_identifier(argument.name, table.position("name"));
  argument.kind = read_kind(table);
  if (argument.kind == ArgumentKind::kTensorMap) {
    argument.tensor_map = read_tensor_map(table, definition);
    return argument;
  }
  if (argument.kind == ArgumentKind::kTexture) {
    argument.texture = read_texture(table, definition);
    return argument;
  }
  argument.type = table.required_text("type");
  argument.count = table.expression("count");
  argument.value = table.expression("value");
  if (argument.is_buffer()) {
    read_buffer(table, argument);
  } else {
    read_scalar(table, argument);
  }
  argument.init = read_initialiser(table.table("init"), definition);
  argument.zeroed = table.boolean("zero").value_or(false);
  if (argument.zeroed && argument.kind != ArgumentKind::kScratch)
    table.fail("zero", "no such key: only a scratch argument can be set to zero");
  argument.symbol = read_symbol(table, argument);
  return argument;
}

}  // namespace

void read_arguments(const TableReader& root, KernelDefinition& definition) {
  for (const TableReader& table : root.tables("argument"))
    definition.arguments.push_back(read_argument(table, definition));
  if (definition.arguments.empty())
    throw base::InputError("[[argument]] is missing: expected one for each parameter of the entry",
                           {root.file(), 0, 0});
}

}  // namespace warptune::kernel_templates::definition
