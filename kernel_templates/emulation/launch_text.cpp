#include "kernel_templates/emulation/launch_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <variant>

namespace warptune::kernel_templates::emulation {

namespace {

std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  return fmt::format("{{{}u, {}u, {}u}}", extent[0], extent[1], extent[2]);
}

std::string bytes_text(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", std::to_integer<unsigned>(byte));
  return text;
}

// The position of a buffer among the buffers of a run.
std::size_t position_of(const std::vector<ResolvedArgument>& arguments, std::size_t argument) {
  std::size_t position = 0;
  for (std::size_t i = 0; i < argument; ++i) position += arguments[i].is_buffer() ? 1U : 0U;
  return position;
}

const char* missing_feature(const LaunchStep& step) {
  if (step.cluster != std::array<std::int64_t, 3>{1, 1, 1}) return "clusters";
  return step.cooperative ? "barriers of a whole grid" : nullptr;
}

std::string argument_text(const std::vector<ResolvedArgument>& arguments, std::size_t i,
                          const model::NamedValues& scalars, std::int64_t offset_bytes) {
  const ResolvedArgument& argument = arguments[i];
  if (argument.kind == ArgumentKind::kTensorMap) return "{}";
  if (argument.kind != ArgumentKind::kScalar)
    return fmt::format("warptune_case.pointer({}, {})", position_of(arguments, i), offset_bytes);
  const model::Value* other = model::find(scalars, argument.name);
  if (other != nullptr) {
    ResolvedArgument replaced = argument;
    replaced.scalar = *other;
    return argument_text({replaced}, 0, {}, 0);
  }
  return fmt::format("({})({})", info(argument.type).cuda_name, model::to_text(argument.scalar));
}

// A value, or a struct with the addresses of buffers.
std::string value_text(const std::vector<ResolvedArgument>& arguments, const PassedArgument& passed) {
  std::string text = fmt::format("::warptune::emulation::AnyValue<{}>{{{{{}}}}}", passed.value.size(),
                                 bytes_text(passed.value));
  for (const PassedAddress& address : passed.addresses)
    text += fmt::format(".with({}, warptune_case.pointer({}, {}))", address.at,
                        position_of(arguments, address.argument), address.offset_bytes);
  return text;
}

base::Result<std::string> launch_text(const std::vector<ResolvedArgument>& arguments,
                                      const model::NamedValues& scalars, const LaunchStep& step) {
  if (const char* missing = missing_feature(step)) return base::failure(missing);
  std::string passed;
  const auto pass = [&](const std::string& text) { passed += (passed.empty() ? "" : ", ") + text; };
  if (step.arguments) {
    for (const PassedArgument& one : *step.arguments) {
      pass(one.argument ? argument_text(arguments, *one.argument, scalars, one.offset_bytes)
                        : value_text(arguments, one));
    }
  } else {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].symbol.empty()) pass(argument_text(arguments, i, scalars, 0));
    }
  }
  return fmt::format("  WARPTUNE_RUNNER.launch({}, {}, {}, warptune_backward, [&] {{ {}({}); }});\n",
                     extent_text(step.grid), extent_text(step.block), step.shared_bytes, step.entry, passed);
}

}  // namespace

base::Result<std::string> launches_text(const std::vector<ResolvedArgument>& arguments,
                                        const model::NamedValues& scalars, const LaunchPlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].symbol.empty()) {
      text += fmt::format("  warptune_case.fill_variable({}, {});\n", arguments[i].symbol,
                          position_of(arguments, i));
    }
  }
  // The host runs the steps in order and has one memory, so waits between streams and prefetches need no
  // code.
  for (const PlanStep& one : plan.steps) {
    if (const LaunchStep* step = one.launch()) {
      const base::Result<std::string> launch = launch_text(arguments, scalars, *step);
      if (!launch) return base::failure(launch.error());
      text += *launch;
    } else if (const auto* copied = std::get_if<CopyStep>(&one.action)) {
      text +=
          fmt::format("  warptune_case.copy({}, {}, {}, {}, {});\n",
                      position_of(arguments, copied->from.buffer), copied->from.offset_bytes,
                      position_of(arguments, copied->to.buffer), copied->to.offset_bytes, copied->from.bytes);
    } else if (const auto* filled = std::get_if<FillStep>(&one.action)) {
      text +=
          fmt::format("  warptune_case.set({}, {}, {}, {});\n", position_of(arguments, filled->range.buffer),
                      filled->range.offset_bytes, filled->byte, filled->range.bytes);
    } else if (std::holds_alternative<MatrixProductStep>(one.action)) {
      return base::failure("cuBLAS");
    }
  }
  return text;
}

}  // namespace warptune::kernel_templates::emulation
