#include "tuner/kernel_page_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <variant>
#include <vector>

#include "tuner/markdown.h"

namespace warptune::tuner {

std::string texts_of(const std::vector<search::Expression>& expressions) {
  std::vector<std::string> texts;
  texts.reserve(expressions.size());
  for (const search::Expression& expression : expressions) texts.push_back(expression.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

namespace {

struct StepText {
  static std::string optional(const std::optional<search::Expression>& expression,
                              const std::string& otherwise) {
    return expression ? markdown_code(expression->text()) : otherwise;
  }
  static std::string passed(const std::vector<kernel_templates::HostArgument>& arguments) {
    std::vector<std::string> texts;
    texts.reserve(arguments.size());
    for (const kernel_templates::HostArgument& argument : arguments) {
      texts.push_back(argument.value    ? argument.value->text()
                      : argument.offset ? fmt::format("{} + {}", argument.name, argument.offset->text())
                                        : argument.name);
    }
    return markdown_code(fmt::format("{}", fmt::join(texts, ", ")));
  }

  std::string operator()(const kernel_templates::HostLaunch& step) const {
    return fmt::format("launch {}, grid {}, block {}{}", markdown_code(step.launch.entry),
                       markdown_code(texts_of(step.launch.grid)), markdown_code(texts_of(step.launch.block)),
                       step.arguments ? ", with " + passed(*step.arguments) : "");
  }
  std::string operator()(const kernel_templates::HostCopy& step) const {
    return fmt::format("copy {} to {}{}", markdown_code(step.from), markdown_code(step.to),
                       step.count ? fmt::format(", {} elements", markdown_code(step.count->text())) : "");
  }
  std::string operator()(const kernel_templates::HostFill& step) const {
    return fmt::format("fill {} with {}", markdown_code(step.buffer), markdown_code(step.byte.text()));
  }
  std::string operator()(const kernel_templates::HostCall& step) const {
    return fmt::format("{}: {} = {} {}, {} x {} x {}", step.function, markdown_code(step.c),
                       markdown_code(step.a), markdown_code(step.b), markdown_code(step.m.text()),
                       markdown_code(step.n.text()), markdown_code(step.k.text()));
  }
  std::string operator()(const kernel_templates::HostWait& step) const {
    return fmt::format("wait for stream {}", markdown_code(step.stream.text()));
  }
  std::string operator()(const kernel_templates::HostSynchronise& /*step*/) const {
    return "the host waits for all streams";
  }
};

}  // namespace

std::string steps_section(const kernel_templates::HostProgram& program) {
  std::string text = "\n## Steps\n\n" + markdown_head({"times", "stream", "step", "only where"});
  for (const kernel_templates::HostLoop& loop : program.loops) {
    for (const kernel_templates::HostStep& step : loop.steps) {
      const std::string outer = StepText::optional(loop.when, "");
      const std::string inner = StepText::optional(step.when, "");
      const char* both = outer.empty() || inner.empty() ? "" : " and ";
      text += markdown_row({StepText::optional(loop.times, "1"),
                            StepText::optional(step.stream ? step.stream : loop.stream, "0"),
                            std::visit(StepText{}, step.action), fmt::format("{}{}{}", outer, both, inner)});
    }
  }
  if (program.streams) text += fmt::format("\nStreams: {}.", markdown_code(program.streams->text()));
  if (program.graph) text += fmt::format("\nOne CUDA graph where {}.", markdown_code(program.graph->text()));
  if (program.timed) text += fmt::format("\nTimed by {}.", markdown_code(program.timed->text()));
  return text + (program.streams || program.graph || program.timed ? "\n" : "");
}

}  // namespace warptune::tuner
