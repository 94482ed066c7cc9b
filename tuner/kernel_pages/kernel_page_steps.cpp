#include "tuner/kernel_pages/kernel_page_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <variant>
#include <vector>

#include "tuner/text_output/markdown.h"

namespace warptune::tuner::kernel_pages {

std::string texts_of(const std::vector<model::Expression>& expressions) {
  std::vector<std::string> texts;
  texts.reserve(expressions.size());
  for (const model::Expression& expression : expressions) texts.push_back(expression.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

namespace {

std::string list_text(const std::vector<kernel_templates::HostArgument>& arguments) {
  std::vector<std::string> texts;
  texts.reserve(arguments.size());
  for (const kernel_templates::HostArgument& argument : arguments) {
    texts.push_back(argument.struct_bytes > 0 ? fmt::format("{{{}}}", list_text(argument.members))
                    : argument.value          ? argument.value->text()
                    : argument.offset         ? fmt::format("{} + {}", argument.name, argument.offset->text())
                                              : argument.name);
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string passed_text(const std::vector<kernel_templates::HostArgument>& arguments) {
  return text_output::markdown_code(list_text(arguments));
}

namespace {

struct StepText {
  static std::string optional(const std::optional<model::Expression>& expression,
                              const std::string& otherwise) {
    return expression ? text_output::markdown_code(expression->text()) : otherwise;
  }
  std::string operator()(const kernel_templates::HostLaunch& step) const {
    return fmt::format("launch {}, grid {}, block {}{}", text_output::markdown_code(step.launch.entry),
                       text_output::markdown_code(texts_of(step.launch.grid)),
                       text_output::markdown_code(texts_of(step.launch.block)),
                       step.launch.arguments ? ", with " + passed_text(*step.launch.arguments) : "");
  }
  std::string operator()(const kernel_templates::HostCopy& step) const {
    return fmt::format(
        "copy {} to {}{}", text_output::markdown_code(step.from), text_output::markdown_code(step.to),
        step.count ? fmt::format(", {} elements", text_output::markdown_code(step.count->text())) : "");
  }
  std::string operator()(const kernel_templates::HostFill& step) const {
    return fmt::format("fill {} with {}", text_output::markdown_code(step.buffer),
                       text_output::markdown_code(step.byte.text()));
  }
  std::string operator()(const kernel_templates::HostPrefetch& step) const {
    return fmt::format(
        "prefetch {} to {}{}", text_output::markdown_code(step.buffer),
        text_output::markdown_code(step.to.text()),
        step.count ? fmt::format(", {} elements", text_output::markdown_code(step.count->text())) : "");
  }
  std::string operator()(const kernel_templates::HostCall& step) const {
    return fmt::format("{}: {} = {} {}, {} x {} x {}", step.function, text_output::markdown_code(step.c),
                       text_output::markdown_code(step.a), text_output::markdown_code(step.b),
                       text_output::markdown_code(step.m.text()), text_output::markdown_code(step.n.text()),
                       text_output::markdown_code(step.k.text()));
  }
  std::string operator()(const kernel_templates::HostWait& step) const {
    return fmt::format("wait for stream {}", text_output::markdown_code(step.stream.text()));
  }
  std::string operator()(const kernel_templates::HostAllocate& step) const {
    const std::string pool = step.pool ? text_output::markdown_code(step.pool->text()) : "";
    return fmt::format("allocate and free {} bytes{}", text_output::markdown_code(step.bytes.text()),
                       step.pool ? fmt::format(", from the memory pool if {}", pool) : "");
  }
  std::string operator()(const kernel_templates::HostSynchronise& /*step*/) const {
    return "the host waits for all streams";
  }
};

}  // namespace

std::string steps_section(const kernel_templates::HostProgram& program) {
  std::string text = "\n## Steps\n\nA host program executes these steps in order.\n\n" +
                     text_output::markdown_head({"repetitions", "stream", "step", "only if"});
  for (const kernel_templates::HostLoop& loop : program.loops) {
    for (const kernel_templates::HostStep& step : loop.steps) {
      const std::string outer = StepText::optional(loop.when, "");
      const std::string inner = StepText::optional(step.when, "");
      const char* both = outer.empty() || inner.empty() ? "" : " and ";
      text += text_output::markdown_row({StepText::optional(loop.times, "1"),
                                         StepText::optional(step.stream ? step.stream : loop.stream, "0"),
                                         std::visit(StepText{}, step.action),
                                         fmt::format("{}{}{}", outer, both, inner)});
    }
  }
  if (program.streams)
    text += fmt::format("\nStreams: {}.", text_output::markdown_code(program.streams->text()));
  for (std::size_t i = 0; i < program.priorities.size(); ++i)
    text += fmt::format("\nThe priority of stream {}: {}.", i,
                        text_output::markdown_code(program.priorities[i].text()));
  if (program.graph)
    text += fmt::format("\nThe steps are submitted as one CUDA graph where {}.",
                        text_output::markdown_code(program.graph->text()));
  if (program.timed)
    text += fmt::format("\nThe clock that times the steps (`host` or `gpu`): {}.",
                        text_output::markdown_code(program.timed->text()));
  const bool has_more = program.streams || !program.priorities.empty() || program.graph || program.timed;
  return text + (has_more ? "\n" : "");
}

}  // namespace warptune::tuner::kernel_pages
