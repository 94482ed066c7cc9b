#include "tuner/explaining/hot_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::explaining {

namespace {

constexpr std::chrono::seconds kCompileDeadline{60};
constexpr int kSamplingTimeoutMs = 180000;  // The worker also fills the kernel's buffers in this time.

profiling::HotLines problem(std::string why) {
  profiling::HotLines lines;
  lines.problem = std::move(why);
  return lines;
}

model::Outcome<kernel_templates::CompiledKernel> compile_with_lines(
    const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
    const std::filesystem::path& compile_cache) {
  model::Outcome<kernel_templates::CompileRequest> request = instance.compile_request(configuration);
  if (!request) return base::failure(request.error());
  request->options.emplace_back("--generate-line-info");
  workers::compiling::CompilePool pool(1, kCompileDeadline, compile_cache);
  return std::move(pool.compile_all({std::move(*request)}).front());
}

// Adds the text of each line. Each file is read once. A #line in the kernel's source may name any file of
// this machine. So only files that the definition may read are opened. Lines of other files, and of files
// that cannot be read, stay without text.
void add_texts(const kernel_templates::ReadScope& scope, profiling::HotLines& lines) {
  std::map<std::string, std::vector<std::string>> files;
  for (profiling::HotLine& line : lines.lines) {
    const auto [file, is_new] = files.try_emplace(line.line.file);
    std::error_code ignored;
    if (is_new && scope.allows(line.line.file) && std::filesystem::is_regular_file(line.line.file, ignored)) {
      try {
        file->second = base::split(base::read_file(line.line.file), '\n');
      } catch (const base::Error& error) {
        base::log_debug(fmt::format("the text of hot lines is missing: {}", error.what()));
      }
    }
    const auto number = static_cast<std::size_t>(line.line.number);
    if (number >= 1 && number <= file->second.size()) line.text = base::trim(file->second[number - 1]);
  }
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
    add_texts(instance.definition().scope, lines);
    return lines;
  } catch (const base::Error& error) {
    return problem(error.what());
  }
}

}  // namespace warptune::tuner::explaining
