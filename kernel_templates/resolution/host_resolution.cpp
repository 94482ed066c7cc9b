#include <fmt/format.h>

#include <algorithm>

#include "kernel_templates/argument_data.h"
#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/launch_resolution.h"

namespace warptune::kernel_templates::resolution {

namespace {

constexpr std::int64_t kMostSteps = 100000;
constexpr std::int64_t kMostStreams = 64;

// Turns the steps of a host program into numbers, one after another; `k` is the last of the scope's names.
class HostResolution {
 public:
  HostResolution(const KernelDefinition& definition, const std::string& entry,
                 const model::NamedValues& problem, const model::NamedValues& scope,
                 const std::vector<ResolvedArgument>& arguments)
      : definition_(definition), entry_(entry), problem_(problem), scope_(scope), arguments_(arguments) {
    scope_.emplace_back("k", std::int64_t{0});
  }

  model::Outcome<LaunchPlan> plan() {
    const HostProgram& program = *definition_.host;
    plan_.host_program = true;
    const auto streams = number(program.streams, 1, 1, kMostStreams);
    if (!streams) return base::failure(streams.error());
    plan_.streams = static_cast<std::size_t>(*streams);
    if (program.graph) {
      const model::Outcome<bool> graph = holds(program.graph, scope_);
      if (!graph) return base::failure(graph.error());
      plan_.graph = *graph;
    }
    if (const auto rejection = resolve_timing(program)) return base::failure(*rejection);
    for (const HostLoop& loop : program.loops) {
      if (const auto rejection = add(loop)) return base::failure(*rejection);
    }
    choose_main();
    return plan_;
  }

 private:
  using Fault = std::optional<model::Rejection>;

  // The value of an expression, or `otherwise` where there is none, inside the bounds.
  model::Outcome<std::int64_t> number(const std::optional<model::Expression>& expression,
                                      std::int64_t otherwise, std::int64_t least, std::int64_t most) const {
    if (!expression) return otherwise;
    const base::Result<std::int64_t> value = integer_of(*expression, scope_);
    if (!value) return invalid_launch(value.error());
    if (*value < least || *value > most) {
      return invalid_launch(
          fmt::format("'{}' is {}{}, expected {} to {}", expression->text(), *value, turn(), least, most));
    }
    return *value;
  }

  // For messages: the turn of the loop.
  std::string turn() const { return fmt::format(" where k is {}", model::to_text(scope_.back().second)); }

  std::size_t place_of(const std::string& name) const {
    const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                    [&](const ResolvedArgument& argument) { return argument.name == name; });
    return static_cast<std::size_t>(found - arguments_.begin());
  }

  Fault resolve_timing(const HostProgram& program) {
    const base::Result<model::Value> timed =
        program.timed ? program.timed->evaluate(scope_) : base::Result<model::Value>(std::string("host"));
    const std::string text = timed ? model::to_text(*timed) : timed.error();
    if (!timed || (text != "host" && text != "gpu")) {
      return model::Rejection{model::Status::kLaunchInvalid,
                              fmt::format("[host] is timed by {}, expected 'host' or 'gpu'", text)};
    }
    plan_.timed_by_host = text == "host";
    return std::nullopt;
  }

  Fault add(const HostLoop& loop) {
    const auto times = number(loop.times, 1, 0, kMostSteps);
    if (!times) return times.error();
    for (std::int64_t turn = 0; turn < *times; ++turn) {
      scope_.back().second = turn;
      const model::Outcome<bool> wanted = holds(loop.when, scope_);
      if (!wanted) return wanted.error();
      if (!*wanted) continue;
      for (const HostStep& step : loop.steps) {
        if (auto fault = add(step, loop)) return fault;
      }
      if (plan_.steps.size() > static_cast<std::size_t>(kMostSteps)) {
        return model::Rejection{model::Status::kLaunchInvalid,
                                fmt::format("[host] has more than {} steps", kMostSteps)};
      }
    }
    scope_.back().second = std::int64_t{0};
    return std::nullopt;
  }

  Fault add(const HostStep& step, const HostLoop& loop) {
    const model::Outcome<bool> wanted = holds(step.when, scope_);
    if (!wanted) return wanted.error();
    if (!*wanted) return std::nullopt;
    const auto last_stream = static_cast<std::int64_t>(plan_.streams) - 1;
    const auto stream = number(step.stream ? step.stream : loop.stream, 0, 0, last_stream);
    if (!stream) return stream.error();
    stream_ = static_cast<std::size_t>(*stream);
    return std::visit([this](const auto& action) { return resolve(action); }, step.action);
  }

  template <class Action>
  Fault append(Action action) {
    plan_.steps.push_back({std::move(action), stream_});
    return std::nullopt;
  }

  Fault resolve(const HostLaunch& host) {
    const std::string& name = host.launch.entry == definition_.entry ? entry_ : host.launch.entry;
    model::Outcome<LaunchStep> step = resolve_launch(host.launch, name, problem_, scope_);
    if (!step) return step.error();
    if (host.arguments) {
      step->arguments.emplace();
      for (const HostArgument& argument : *host.arguments) {
        model::Outcome<PassedArgument> passed = resolve_passed(argument);
        if (!passed) return passed.error();
        step->arguments->push_back(std::move(*passed));
      }
    }
    return append(std::move(*step));
  }

  model::Outcome<PassedArgument> resolve_passed(const HostArgument& argument) const {
    PassedArgument passed;
    if (argument.value) {
      Argument scalar;
      scalar.name = argument.value->text();
      scalar.kind = ArgumentKind::kScalar;
      scalar.type = argument.type;
      scalar.value = argument.value;
      const base::Result<ResolvedArgument> resolved = resolve_argument(scalar, problem_, scope_);
      if (!resolved) return invalid_launch(resolved.error() + turn());
      passed.value = scalar_bytes(*resolved);
      return passed;
    }
    passed.argument = place_of(argument.name);
    const ResolvedArgument& of = arguments_[*passed.argument];
    if (!argument.offset) return passed;
    const auto offset = number(argument.offset, 0, 0, of.count - 1);
    if (!offset)
      return invalid_launch(fmt::format("the offset into \"{}\": {}", of.name, offset.error().reason));
    passed.offset_bytes = *offset * element_bytes(of);
    return passed;
  }

  static std::int64_t element_bytes(const ResolvedArgument& argument) {
    return static_cast<std::int64_t>(info(argument.type).size_bytes);
  }

  // The elements of a buffer from `offset` on: `count` of them, or all.
  model::Outcome<BufferRange> range_of(const std::string& name,
                                       const std::optional<model::Expression>& offset,
                                       const std::optional<model::Expression>& count) const {
    const std::size_t buffer = place_of(name);
    const ResolvedArgument& of = arguments_[buffer];
    const auto fail = [&](const std::string& reason) {
      return invalid_launch(fmt::format("\"{}\": {}", of.name, reason));
    };
    const auto first = number(offset, 0, 0, of.count - 1);
    if (!first) return fail("the offset " + first.error().reason);
    const auto elements = number(count, of.count - *first, 1, INT64_MAX);
    if (!elements) return fail("the count " + elements.error().reason);
    if (*elements > of.count - *first) {
      return fail(
          fmt::format("{} elements from element {} on{}, it has {}", *elements, *first, turn(), of.count));
    }
    return BufferRange{buffer, *first * element_bytes(of), *elements * element_bytes(of)};
  }

  Fault resolve(const HostCopy& copy) {
    const ResolvedArgument& source = arguments_[place_of(copy.from)];
    const ResolvedArgument& target = arguments_[place_of(copy.to)];
    const auto fail = [&](const std::string& reason) {
      return model::Rejection{model::Status::kLaunchInvalid,
                              fmt::format("the copy from \"{}\" to \"{}\": {}", copy.from, copy.to, reason)};
    };
    if (source.type != target.type)
      return fail(fmt::format("one holds {}, one {}", info(source.type).name, info(target.type).name));
    const auto from = range_of(copy.from, copy.from_offset, copy.count);
    if (!from) return fail(from.error().reason);
    auto to = range_of(copy.to, copy.to_offset, copy.count);
    if (!to) return fail(to.error().reason);
    if (from->bytes > to->bytes)
      return fail(fmt::format("{} bytes into {}; give a count", from->bytes, to->bytes));
    to->bytes = from->bytes;
    const bool apart = from->buffer != to->buffer || from->offset_bytes + from->bytes <= to->offset_bytes ||
                       to->offset_bytes + to->bytes <= from->offset_bytes;
    if (!apart) return fail("they overlap" + turn());
    return append(CopyStep{*from, *to});
  }

  Fault resolve(const HostFill& fill) {
    const auto range = range_of(fill.buffer, fill.offset, fill.count);
    if (!range)
      return model::Rejection{range.error().status, "the fill of " + range.error().reason,
                              range.error().cause};
    if (arguments_[range->buffer].memory == Memory::kPageable) {
      return model::Rejection{model::Status::kLaunchInvalid,
                              fmt::format("the fill of \"{}\": a GPU fills no pageable memory", fill.buffer)};
    }
    const auto byte = number(fill.byte, 0, 0, 255);
    if (!byte) return byte.error();
    return append(FillStep{*range, static_cast<std::uint8_t>(*byte)});
  }

  Fault resolve(const HostCall& call) {
    const auto fail = [&](const std::string& reason) {
      return model::Rejection{model::Status::kLaunchInvalid, fmt::format("{}: {}", call.function, reason)};
    };
    MatrixProductStep step;
    for (const auto& [expression, size] :
         {std::pair{&call.m, &step.m}, std::pair{&call.n, &step.n}, std::pair{&call.k, &step.k}}) {
      const auto value = number(*expression, 1, 1, INT32_MAX);
      if (!value) return fail(value.error().reason);
      *size = static_cast<std::int32_t>(*value);
    }
    const auto buffer = [&](const std::string& name, std::int64_t rows,
                            std::int64_t columns) -> model::Outcome<std::size_t> {
      const ResolvedArgument& of = arguments_[place_of(name)];
      if (rows * columns > of.count) {
        return invalid_launch(
            fmt::format("\"{}\" has {} elements, {} x {} are needed", name, of.count, rows, columns));
      }
      if (of.memory == Memory::kPageable)
        return invalid_launch(fmt::format("\"{}\" lies in pageable memory, which a GPU cannot read", name));
      return place_of(name);
    };
    const auto a = buffer(call.a, step.m, step.k);
    const auto b = buffer(call.b, step.k, step.n);
    const auto c = buffer(call.c, step.m, step.n);
    for (const auto* one : {&a, &b, &c}) {
      if (!*one) return fail(one->error().reason);
    }
    step.a = *a;
    step.b = *b;
    step.c = *c;
    step.type = arguments_[step.a].type;
    step.result_type = arguments_[step.c].type;
    const bool half = step.type == DataType::kF16 || step.type == DataType::kBf16;
    const bool known = half || step.type == DataType::kF32 || step.type == DataType::kF64;
    const bool result = step.result_type == step.type || (half && step.result_type == DataType::kF32);
    if (!known || arguments_[step.b].type != step.type || !result) {
      return fail(fmt::format(
          "it takes f32, f64, f16 or bf16 matrices of one type (the result of f16 and bf16 may be f32), not "
          "{}, {} and {}",
          info(step.type).name, info(arguments_[step.b].type).name, info(step.result_type).name));
    }
    if (call.math) {
      const base::Result<model::Value> math = call.math->evaluate(scope_);
      if (!math) return fail(fmt::format("'{}': {}", call.math->text(), math.error()));
      const std::string text = model::to_text(*math);
      if (text != "default" && text != "pedantic")
        return fail(fmt::format("'{}' is {}, expected 'default' or 'pedantic'", call.math->text(), text));
      step.pedantic = text == "pedantic";
    }
    return append(step);
  }

  Fault resolve(const HostWait& wait) {
    const auto other = number(wait.stream, 0, 0, static_cast<std::int64_t>(plan_.streams) - 1);
    if (!other) return other.error();
    if (static_cast<std::size_t>(*other) == stream_) return std::nullopt;  // In order already.
    return append(WaitStep{static_cast<std::size_t>(*other)});
  }

  Fault resolve(const HostSynchronise&) {
    if (!plan_.graph && plan_.timed_by_host) return append(SynchroniseStep{});
    return model::Rejection{model::Status::kLaunchInvalid,
                            plan_.graph ? "the host cannot wait inside a graph"
                                        : "the host cannot wait in a program that is timed by the GPU"};
  }

  // The first launch of [kernel] entry, else the first of all.
  void choose_main() {
    const auto find = [&](const auto& wanted) {
      return static_cast<std::size_t>(std::find_if(plan_.steps.begin(), plan_.steps.end(), wanted) -
                                      plan_.steps.begin());
    };
    const base::Result<std::string> entry = compiling::fill_placeholders(entry_, problem_, scope_);
    plan_.main = find([&](const PlanStep& step) {
      return step.launch() != nullptr && entry && step.launch()->entry == *entry;
    });
    if (plan_.main == plan_.steps.size())
      plan_.main = find([](const PlanStep& step) { return step.launch() != nullptr; });
  }

  const KernelDefinition& definition_;
  const std::string& entry_;
  const model::NamedValues& problem_;
  model::NamedValues scope_;
  const std::vector<ResolvedArgument>& arguments_;
  LaunchPlan plan_;
  std::size_t stream_ = 0;
};

}  // namespace

model::Outcome<LaunchPlan> resolve_host_program(const KernelDefinition& definition, const std::string& entry,
                                                const model::NamedValues& problem,
                                                const model::NamedValues& scope,
                                                const std::vector<ResolvedArgument>& arguments) {
  return HostResolution(definition, entry, problem, scope, arguments).plan();
}

}  // namespace warptune::kernel_templates::resolution
