#include "kernel_templates/definition/host_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernel_templates/buffer_memory.h"
#include "kernel_templates/definition/definition_sections.h"
#include "kernel_templates/definition/passed_arguments.h"
#include "kernel_templates/launch_plan.h"

namespace warptune::kernel_templates::definition {

namespace {

const std::vector<std::string>& action_keys() {
  static const std::vector<std::string> keys = {"launch", "copy", "fill",     "prefetch",
                                                "call",   "wait", "allocate", "synchronise"};
  return keys;
}

std::vector<model::Expression> read_extent(const TableReader& table, std::string_view key) {
  std::vector<model::Expression> extent = table.expressions(key);
  if (extent.size() > 3) table.fail(key, "one to three expressions");
  return extent;
}

// Expressions, among which 'high' and 'low' may be written as plain text.
std::vector<model::Expression> read_priorities(const TableReader& host) {
  std::vector<model::Expression> priorities = host.expressions("priorities");
  for (model::Expression& priority : priorities) {
    if (priority.text() == "high" || priority.text() == "low")
      priority = model::Expression::constant(std::string(priority.text()));
  }
  return priorities;
}

// The name of a buffer argument.
std::string read_buffer(const TableReader& table, std::string_view key, const KernelDefinition& definition) {
  std::string name = table.required_text(key);
  std::vector<std::string> buffers;
  for (const Argument& argument : definition.arguments) {
    if (argument.is_buffer()) buffers.push_back(argument.name);
  }
  if (std::find(buffers.begin(), buffers.end(), name) == buffers.end())
    table.fail(key, fmt::format("one of the buffer arguments {}", fmt::join(buffers, ", ")));
  return name;
}

HostLaunch read_host_launch(const TableReader& table, const KernelDefinition& definition) {
  HostLaunch host;
  host.launch = read_launch(table);
  host.launch.entry = table.required_text("launch");
  host.launch.position = table.position("launch");
  host.launch.when.reset();  // The condition belongs to the step.
  host.launch.arguments = read_passed_arguments(table, definition);
  return host;
}

HostCopy read_copy(const TableReader& table, const KernelDefinition& definition) {
  table.allow_only({"from", "to", "offset", "from_offset", "to_offset", "count"});
  HostCopy copy;
  copy.from = read_buffer(table, "from", definition);
  copy.to = read_buffer(table, "to", definition);
  const std::optional<model::Expression> both = table.expression("offset");
  for (const auto& [key, offset] :
       {std::pair{"from_offset", &copy.from_offset}, std::pair{"to_offset", &copy.to_offset}}) {
    *offset = table.expression(key);
    if (both && *offset) table.fail(key, "no such key: offset is used for both buffers");
    if (both) *offset = both;
  }
  copy.count = table.expression("count");
  return copy;
}

HostFill read_fill(const TableReader& table, const KernelDefinition& definition) {
  table.allow_only({"buffer", "offset", "count", "byte"});
  return {read_buffer(table, "buffer", definition), table.expression("offset"), table.expression("count"),
          table.required_expression("byte")};
}

HostPrefetch read_prefetch(const TableReader& table, const KernelDefinition& definition) {
  table.allow_only({"buffer", "offset", "count", "to"});
  return {read_buffer(table, "buffer", definition), table.expression("offset"), table.expression("count"),
          table.required_choice("to", page_place_names())};
}

HostCall read_call(const TableReader& step, const KernelDefinition& definition) {
  const std::string function = step.required_text("call");
  if (function != "cublas_gemm") step.fail("call", "cublas_gemm, which is the only supported call");
  const TableReader with = step.table("with");
  if (!with.present()) step.fail("with", "a table with a, b, c, m, n, k");
  with.allow_only({"a", "b", "c", "m", "n", "k", "math"});
  return {function,
          read_buffer(with, "a", definition),
          read_buffer(with, "b", definition),
          read_buffer(with, "c", definition),
          with.required_expression("m"),
          with.required_expression("n"),
          with.required_expression("k"),
          with.expression("math")};
}

// The action of a step: the one key of `action_keys` that it has.
std::string action_of(const TableReader& table) {
  std::string action;
  for (const std::string& key : action_keys()) {
    if (table.node(key) == nullptr) continue;
    if (!action.empty())
      table.fail(key, fmt::format("no such key: this step has the action {} already", action));
    action = key;
  }
  if (action.empty()) {
    throw base::InputError(
        fmt::format("a step of [host] has no action: expected one of {}", fmt::join(action_keys(), ", ")),
        table.position());
  }
  return action;
}

HostStep read_step(const TableReader& table, const KernelDefinition& definition) {
  const std::string action = action_of(table);
  std::vector<std::string> known = {action, "when", "stream"};
  if (action == "call") known.emplace_back("with");
  if (action == "allocate") known.emplace_back("pool");
  if (action == "launch") {
    for (const std::string& key : launch_keys()) known.push_back(key);
    known.emplace_back("arguments");
  }
  table.allow_only(known);
  HostStep step{HostSynchronise{}, table.expression("when"), table.expression("stream"), table.position()};
  if (action == "launch") {
    step.action = read_host_launch(table, definition);
  } else if (action == "copy") {
    step.action = read_copy(table.table(action), definition);
  } else if (action == "fill") {
    step.action = read_fill(table.table(action), definition);
  } else if (action == "prefetch") {
    step.action = read_prefetch(table.table(action), definition);
  } else if (action == "call") {
    step.action = read_call(table, definition);
  } else if (action == "wait") {
    step.action = HostWait{table.required_expression("wait")};
  } else if (action == "allocate") {
    step.action = HostAllocate{table.required_expression("allocate"), table.expression("pool")};
  } else if (!table.boolean("synchronise").value_or(false)) {
    table.fail("synchronise", "true");
  }
  return step;
}

class HostNameCheck {
 public:
  explicit HostNameCheck(std::vector<std::string> known) : known_(std::move(known)) {}

  void operator()(const std::optional<model::Expression>& expression, std::string_view what) const {
    if (expression) check_expression(*expression, known_, what);
  }
  void operator()(const HostLaunch& step) const { check_launch(step.launch, known_); }
  void operator()(const HostCopy& step) const {
    (*this)(step.from_offset, "the offset");
    (*this)(step.to_offset, "the offset");
    (*this)(step.count, "the count");
  }
  void operator()(const HostFill& step) const {
    (*this)(step.offset, "the offset");
    (*this)(step.count, "the count");
    (*this)(step.byte, "the byte");
  }
  void operator()(const HostPrefetch& step) const {
    (*this)(step.offset, "the offset");
    (*this)(step.count, "the count");
    check_choice(step.to, known_, "the place", page_place_names());
  }
  void operator()(const HostCall& step) const {
    for (const auto& size : {step.m, step.n, step.k}) (*this)(size, "the size");
    (*this)(step.math, "the math");
  }
  void operator()(const HostWait& step) const { (*this)(step.stream, "the stream"); }
  void operator()(const HostAllocate& step) const {
    (*this)(step.bytes, "the bytes");
    (*this)(step.pool, "the condition");
  }
  void operator()(const HostSynchronise&) const {}

 private:
  std::vector<std::string> known_;
};

}  // namespace

std::vector<std::string> launch_keys() {
  return {"grid", "block", "shared_bytes", "cluster", "cooperative", "carveout", "cluster_scheduling"};
}

Launch read_launch(const TableReader& table) {
  Launch launch;
  launch.grid = read_extent(table, "grid");
  launch.block = read_extent(table, "block");
  launch.cluster = read_extent(table, "cluster");
  launch.shared_bytes = table.expression("shared_bytes");
  launch.when = table.expression("when");
  launch.cooperative = table.expression("cooperative");
  launch.carveout = table.expression("carveout");
  if (table.node("cluster_scheduling") != nullptr)
    launch.cluster_scheduling = table.required_choice("cluster_scheduling", cluster_scheduling_names());
  launch.position = table.node("entry") != nullptr ? table.position("entry") : table.position();
  if (launch.grid.empty()) table.fail("grid", "one to three expressions");
  if (launch.block.empty()) table.fail("block", "one to three expressions");
  return launch;
}

void read_host_program(const TableReader& host, KernelDefinition& definition) {
  host.allow_only({"streams", "priorities", "graph", "timed", "loop"});
  HostProgram program;
  program.streams = host.expression("streams");
  program.priorities = read_priorities(host);
  program.graph = host.expression("graph");
  if (host.node("timed") != nullptr) program.timed = host.required_choice("timed", {"host", "gpu"});
  for (const TableReader& table : host.tables("loop")) {
    table.allow_only({"times", "when", "stream", "step"});
    HostLoop loop{table.expression("times"), table.expression("when"), table.expression("stream"), {}};
    for (const TableReader& step : table.tables("step")) {
      loop.steps.push_back(read_step(step, definition));
      const auto* launch = std::get_if<HostLaunch>(&loop.steps.back().action);
      if (launch != nullptr && definition.entry.empty()) definition.entry = launch->launch.entry;
    }
    if (loop.steps.empty()) table.fail("step", "at least one [[host.loop.step]]");
    program.loops.push_back(std::move(loop));
  }
  if (program.loops.empty()) host.fail("loop", "at least one [[host.loop]]");
  for (Variant& variant : definition.variants) {
    if (variant.entry.empty()) variant.entry = definition.entry;
  }
  definition.host = std::move(program);
}

void check_host_names(const KernelDefinition& definition, const TableReader& host,
                      const std::vector<std::string>& known) {
  // Within a loop, expressions may also use k, the number of the iteration.
  std::vector<std::string> inside = known;
  inside.emplace_back("k");
  const HostNameCheck outer(known);
  const HostNameCheck check(inside);
  outer(definition.host->streams, "the number of streams");
  for (const model::Expression& priority : definition.host->priorities)
    check_choice(priority, known, "the priority", {"high", "low", "0 or less"});
  outer(definition.host->graph, "the condition");
  check_choice(definition.host->timed, known, "the clock", {"host", "gpu"});
  const std::vector<TableReader> loops = host.tables("loop");
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const HostLoop& loop = definition.host->loops[i];
    outer(loop.times, "the number of iterations");
    check(loop.when, "the condition");
    check(loop.stream, "the stream");
    for (const HostStep& step : loop.steps) {
      check(step.when, "the condition");
      check(step.stream, "the stream");
      std::visit(check, step.action);
    }
    for (const TableReader& step : loops[i].tables("step"))
      check_placeholders(step.text("launch").value_or(""), inside, step.position("launch"));
  }
}

}  // namespace warptune::kernel_templates::definition
