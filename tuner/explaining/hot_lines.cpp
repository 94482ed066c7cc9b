#include "tuner/explaining/hot_lines.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "tuner/explaining/source_lines.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::explaining {

namespace {

constexpr int kSamplingTimeoutMs = 180000;  // The worker also fills the kernel's buffers in this time.

profiling::HotLines problem(std::string why) {
  profiling::HotLines lines;
  lines.problem = std::move(why);
  return lines;
}

}  // namespace

profiling::HotLines sample_hot_lines(const kernel_templates::KernelInstance& instance,
                                     const model::NamedValues& configuration, const HotLineOptions& options) {
  try {
    auto compiled = compile_with_lines(instance, configuration, options.measuring.compile_cache);
    if (!compiled) return problem(compiled.error().reason);
    processes::WorkerProcess process(fmt::format("gpu {}", options.ordinal));
    process.channel().send(protocol::SampleHotLines{
        std::filesystem::absolute(instance.definition().path).string(),
        instance.definition().scope.permissions().readable, instance.problem(), instance.gpu(),
        options.ordinal, options.measuring, configuration, std::move(*compiled)});
    std::optional<protocol::Message> reply = process.channel().receive(kSamplingTimeoutMs);
    if (!reply) return problem("the sampling GPU worker ended: " + process.end());
    if (const auto* failure = std::get_if<protocol::Failure>(&*reply)) protocol::throw_failure(*failure);
    auto* const sampled = std::get_if<protocol::HotLinesSampled>(&*reply);
    if (sampled == nullptr) return problem("the sampling GPU worker sent an unexpected reply");
    profiling::HotLines lines = std::move(sampled->lines);
    SourceTexts texts(instance.definition().scope);
    for (profiling::HotLine& line : lines.lines) line.text = texts.text_of(line.line);
    return lines;
  } catch (const base::Error& error) {
    return problem(error.what());
  }
}

}  // namespace warptune::tuner::explaining
