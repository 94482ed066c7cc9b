// Evaluates the loops and steps of a host program, which become the steps of a launch plan.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/resolution/host_actions.h"
#include "kernel_templates/resolution/host_scope.h"
#include "kernel_templates/resolution/launch_resolution.h"

namespace warptune::kernel_templates::resolution {

namespace {

constexpr std::int64_t kMaxSteps = 100000;
constexpr std::int64_t kMaxStreams = 64;

// Evaluates the steps of a host program, one after another.
class HostResolution {
 public:
  HostResolution(const KernelDefinition& definition, const std::string& entry,
                 const model::NamedValues& problem, const model::NamedValues& scope,
                 const std::vector<ResolvedArgument>& arguments)
      : definition_(definition), entry_(entry), scope_(problem, scope, arguments) {}

  model::Outcome<LaunchPlan> plan() {
    if (const Fault rejection = resolve()) return base::failure(*rejection);
    choose_main();
    return plan_;
  }

  // The position of what was rejected.
  base::SourcePosition fault_position() const {
    return scope_.rejected() != nullptr ? *scope_.rejected() : place_;
  }

 private:
  using Fault = std::optional<model::Rejection>;

  Fault resolve() {
    const HostProgram& program = *definition_.host;
    plan_.host_program = true;
    const auto streams = scope_.number(program.streams, 1, 1, kMaxStreams, "streams");
    if (!streams) return streams.error();
    plan_.streams = static_cast<std::size_t>(*streams);
    if (auto rejection = resolve_priorities(program)) return rejection;
    if (program.graph) {
      place_ = program.graph->position();
      const model::Outcome<bool> graph = holds(program.graph, scope_.names());
      if (!graph) return graph.error();
      plan_.graph = *graph;
    }
    if (auto rejection = resolve_timing(program)) return rejection;
    for (const HostLoop& loop : program.loops) {
      if (auto rejection = add(loop)) return rejection;
    }
    return std::nullopt;
  }

  Fault resolve_priorities(const HostProgram& program) {
    const std::size_t known = std::min(program.priorities.size(), plan_.streams);
    if (known > 0) plan_.priorities.assign(plan_.streams, 0);
    for (std::size_t i = 0; i < known; ++i) {
      place_ = program.priorities[i].position();
      const base::Result<model::Value> value = program.priorities[i].evaluate(scope_.names());
      const std::string text = value ? model::to_text(*value) : value.error();
      const auto* const number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
      if (value && text == "high") {
        plan_.priorities[i] = kHighestPriority;
      } else if (number != nullptr && *number <= 0 && *number > kHighestPriority) {
        plan_.priorities[i] = static_cast<int>(*number);
      } else if (!value || text != "low") {
        return model::Rejection{
            model::Status::kLaunchInvalid,
            fmt::format("the priority of stream {} is {}, expected 'high', 'low' or an integer that is not "
                        "positive",
                        i, text)};
      }
    }
    return std::nullopt;
  }

  Fault resolve_timing(const HostProgram& program) {
    if (program.timed) place_ = program.timed->position();
    const base::Result<model::Value> timed = program.timed ? program.timed->evaluate(scope_.names())
                                                           : base::Result<model::Value>(std::string("host"));
    const std::string text = timed ? model::to_text(*timed) : timed.error();
    if (!timed || (text != "host" && text != "gpu")) {
      return model::Rejection{model::Status::kLaunchInvalid,
                              fmt::format("[host] is timed by {}, expected 'host' or 'gpu'", text)};
    }
    plan_.timed_by_host = text == "host";
    return std::nullopt;
  }

  Fault add(const HostLoop& loop) {
    const auto times = scope_.number(loop.times, 1, 0, kMaxSteps, "times");
    if (!times) return times.error();
    for (std::int64_t turn = 0; turn < *times; ++turn) {
      scope_.set_turn(turn);
      place_ = loop.steps.front().position;
      const model::Outcome<bool> wanted = holds(loop.when, scope_.names());
      if (!wanted) return wanted.error();
      if (!*wanted) continue;
      for (const HostStep& step : loop.steps) {
        if (auto fault = add(step, loop)) return fault;
      }
      if (plan_.steps.size() > static_cast<std::size_t>(kMaxSteps)) {
        return model::Rejection{model::Status::kLaunchInvalid,
                                fmt::format("[host] has more than {} steps", kMaxSteps)};
      }
    }
    scope_.set_turn(0);
    return std::nullopt;
  }

  Fault add(const HostStep& step, const HostLoop& loop) {
    place_ = step.position;
    const model::Outcome<bool> wanted = holds(step.when, scope_.names());
    if (!wanted) return wanted.error();
    if (!*wanted) return std::nullopt;
    const auto last_stream = static_cast<std::int64_t>(plan_.streams) - 1;
    const auto stream = scope_.number(step.stream ? step.stream : loop.stream, 0, 0, last_stream, "stream");
    if (!stream) return stream.error();
    stream_ = static_cast<std::size_t>(*stream);
    return std::visit([this](const auto& action) { return resolve(action); }, step.action);
  }

  template <class Action>
  Fault append(Action action) {
    plan_.steps.push_back({std::move(action), stream_});
    return std::nullopt;
  }

  template <class Action>
  Fault append_resolved(model::Outcome<Action> action) {
    if (!action) return action.error();
    return append(std::move(*action));
  }

  Fault resolve(const HostLaunch& host) {
    const std::string& name = host.launch.entry == definition_.entry ? entry_ : host.launch.entry;
    model::Outcome<LaunchStep> step = resolve_launch(host.launch, name, scope_.problem(), scope_.names());
    if (!step) return step.error();
    if (auto fault = resolve_passed(host.launch, scope_, *step)) return fault;
    return append(std::move(*step));
  }

  Fault resolve(const HostCopy& copy) { return append_resolved(resolve_copy(copy, scope_)); }
  Fault resolve(const HostFill& fill) { return append_resolved(resolve_fill(fill, scope_)); }
  Fault resolve(const HostPrefetch& prefetch) {
    if (auto fault = require_host("prefetch")) return fault;
    return append_resolved(resolve_prefetch(prefetch, scope_));
  }
  Fault resolve(const HostCall& call) { return append_resolved(resolve_call(call, scope_)); }

  Fault resolve(const HostWait& wait) {
    const auto other = scope_.number(wait.stream, 0, 0, static_cast<std::int64_t>(plan_.streams) - 1, "wait");
    if (!other) return other.error();
    // A stream need not wait for itself.
    if (static_cast<std::size_t>(*other) == stream_) return std::nullopt;
    return append(WaitStep{static_cast<std::size_t>(*other)});
  }

  Fault resolve(const HostAllocate& allocate) {
    const auto bytes = scope_.number(allocate.bytes, 1, 1, std::int64_t{1} << 40, "the bytes to allocate");
    if (!bytes) return bytes.error();
    bool from_pool = false;
    if (allocate.pool) {
      const model::Outcome<bool> wanted = holds(allocate.pool, scope_.names());
      if (!wanted) return wanted.error();
      from_pool = *wanted;
    }
    if (auto fault = require_host("allocate memory")) return fault;
    return append(AllocateStep{*bytes, from_pool});
  }

  Fault resolve(const HostSynchronise&) {
    if (auto fault = require_host("wait")) return fault;
    return append(SynchroniseStep{});
  }

  // Rejects what the host can do only between steps that it submits itself, within the timed part.
  Fault require_host(std::string_view action) const {
    if (!plan_.graph && plan_.timed_by_host) return std::nullopt;
    return model::Rejection{
        model::Status::kLaunchInvalid,
        fmt::format("the host cannot {} {}", action,
                    plan_.graph ? "inside a graph" : "in a program that is timed by the GPU")};
  }

  // The main step is the first launch of the entry of [kernel], else the first launch.
  void choose_main() {
    const auto find = [&](const auto& wanted) {
      return static_cast<std::size_t>(std::find_if(plan_.steps.begin(), plan_.steps.end(), wanted) -
                                      plan_.steps.begin());
    };
    const base::Result<std::string> entry =
        compiling::fill_placeholders(entry_, scope_.problem(), scope_.names());
    plan_.main = find([&](const PlanStep& step) {
      return step.launch() != nullptr && entry && step.launch()->entry == *entry;
    });
    if (plan_.main == plan_.steps.size())
      plan_.main = find([](const PlanStep& step) { return step.launch() != nullptr; });
  }

  const KernelDefinition& definition_;
  const std::string& entry_;
  HostScope scope_;
  base::SourcePosition place_;  // What is being resolved.
  LaunchPlan plan_;
  std::size_t stream_ = 0;
};

}  // namespace

model::Outcome<LaunchPlan> resolve_host_program(const KernelDefinition& definition, const std::string& entry,
                                                const model::NamedValues& problem,
                                                const model::NamedValues& scope,
                                                const std::vector<ResolvedArgument>& arguments,
                                                base::SourcePosition* fault) {
  HostResolution resolution(definition, entry, problem, scope, arguments);
  model::Outcome<LaunchPlan> plan = resolution.plan();
  if (!plan && fault != nullptr) *fault = resolution.fault_position();
  return plan;
}

}  // namespace warptune::kernel_templates::resolution
