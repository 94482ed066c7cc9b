#include "tuner/workers.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "profiling/gpu.h"
#include "profiling/kernel_runner.h"
#include "profiling/roofs.h"
#include "tuner/detail/compile_servant.h"
#include "tuner/detail/json_forms.h"
#include "tuner/detail/message_channel.h"

namespace warptune::tuner {

namespace {

using nlohmann::json;

constexpr int kCompileNiceness = 10;

// What a GPU worker holds between messages.
class GpuServant {
 public:
  /// Answers one message; false when the worker must end (a lost context cannot be repaired inside its
  /// process).
  bool serve(const json& message, detail::MessageChannel& channel) {
    const std::string type = message.at("type").get<std::string>();
    if (type == "census") return channel.send(census());
    if (type == "load_driver") return load_driver();
    if (type == "survey_roofs") return channel.send(survey_roofs(message));
    if (type == "hot_lines") return channel.send(hot_lines(message));
    if (type == "set_up") return channel.send(set_up(message)) && send_warnings(channel);
    if (type == "count") return count(message, channel);
    if (type == "evaluate") return evaluate(message, channel);
    if (type == "close_counters") return channel.send(counters(true));
    if (type == "interleave") return channel.send(interleave(message));
    throw base::InternalError(fmt::format("a GPU worker knows no message '{}'", type));
  }

 private:
  static json census() {
    const profiling::GpuCensus found = profiling::find_gpus();
    json gpus = json::array();
    for (const search::GpuDescription& gpu : found.gpus) gpus.push_back(detail::to_json(gpu));
    return {{"type", "census"}, {"gpus", gpus}, {"reason", found.reason}};
  }

  static bool load_driver() {
    profiling::load_driver();
    return true;
  }

  static json survey_roofs(const json& message) {
    const profiling::RoofSurvey survey =
        profiling::survey_roofs(detail::gpu_of(message.at("gpu")), message.at("ordinal").get<int>(),
                                message.at("compile_cache").get<std::string>());
    return {{"type", "roofs"}, {"roofs", detail::to_json(survey.readings)}, {"problems", survey.problems}};
  }

  static json hot_lines(const json& message) {
    const kernel_templates::KernelInstance instance(
        kernel_templates::load_kernel(message.at("kernel").get<std::string>()),
        detail::named_values_of(message.at("problem")), detail::gpu_of(message.at("gpu")));
    profiling::RunnerOptions options;
    message.at("ordinal").get_to(options.ordinal);
    message.at("seed").get_to(options.seed);
    options.cache = search::parse_cache_state(message.at("cache").get<std::string>()).value();
    options.count = false;
    options.sample_lines = true;
    options.compile_cache = message.at("compile_cache").get<std::string>();
    profiling::KernelRunner runner(instance, options);
    const profiling::HotLines lines = runner.sample_lines(
        detail::named_values_of(message.at("configuration")), detail::compiled_of(message.at("compiled")));
    return {{"type", "hot_lines"}, {"lines", detail::to_json(lines)}};
  }

  json set_up(const json& message) {
    instance_ = std::make_unique<kernel_templates::KernelInstance>(
        kernel_templates::load_kernel(message.at("kernel").get<std::string>()),
        detail::named_values_of(message.at("problem")), detail::gpu_of(message.at("gpu")));
    profiling::RunnerOptions options;
    message.at("ordinal").get_to(options.ordinal);
    message.at("seed").get_to(options.seed);
    options.cache = search::parse_cache_state(message.at("cache").get<std::string>()).value();
    message.at("count").get_to(options.count);
    message.at("metrics").get_to(options.metrics);
    options.racing.drop = !message.at("thorough").get<bool>();
    message.at("measure_energy").get_to(options.measure_energy);
    message.at("measure_error").get_to(options.measure_error);
    options.compile_cache = message.at("compile_cache").get<std::string>();
    options.roofs = detail::roof_readings_of(message.at("roofs"));
    runner_ = std::make_unique<profiling::KernelRunner>(*instance_, options);
    if (!message.at("reference").is_null())
      runner_->prepare_reference(detail::compiled_of(message.at("reference")));
    // Of a replacement the first look at the GPU sees what the worker before it left.
    if (message.at("replacement").get<bool>()) runner_->take_warnings();
    return {{"type", "ready"},
            {"roofs", detail::to_json(runner_->roof_readings())},
            {"environment", detail::to_json(profiling::read_environment(options.ordinal))}};
  }

  bool evaluate(const json& message, detail::MessageChannel& channel) {
    const auto id = message.at("id").get<std::uint64_t>();
    const kernel_templates::CompiledKernel compiled = detail::compiled_of(message.at("compiled"));
    search::Measurement measurement =
        runner_->evaluate(id, detail::named_values_of(message.at("configuration")), compiled,
                          message.at("incumbent_ns").get<double>());
    measurement.compile_ms = compiled.compile_ms;
    const bool sent = channel.send({{"type", "measured"},
                                    {"id", id},
                                    {"measurement", detail::to_json(measurement)},
                                    {"counting", runner_->counting()},
                                    {"context_lost", runner_->context_lost()}});
    if (!sent || runner_->context_lost()) return false;
    return send_readings(channel) && send_warnings(channel);
  }

  // Once more what a profiler session that ended with its worker had counted.
  bool count(const json& message, detail::MessageChannel& channel) {
    const auto id = message.at("id").get<std::uint64_t>();
    runner_->count(id, detail::named_values_of(message.at("configuration")),
                   detail::compiled_of(message.at("compiled")));
    if (runner_->context_lost()) return false;
    return channel.send({{"type", "counted"}, {"id", id}}) && send_readings(channel);
  }

  bool send_readings(detail::MessageChannel& channel) {
    const json readings = counters(false);
    return readings.at("readings").empty() || channel.send(readings);
  }

  bool send_warnings(detail::MessageChannel& channel) {
    for (const std::string& warning : runner_->take_warnings()) {
      if (!channel.send({{"type", "warning"}, {"text", warning}})) return false;
    }
    return true;
  }

  json counters(bool close) {
    json rows = json::array();
    for (const profiling::CounterReading& reading : runner_->take_counters(close)) {
      json values = json::object();
      for (const auto& [name, value] : reading.counters) values[name] = value;
      rows.push_back({reading.id, values, reading.disturbed});
    }
    return {{"type", "counters"}, {"readings", rows}, {"closed", close}};
  }

  json interleave(const json& message) {
    std::vector<kernel_templates::CompiledKernel> compiled;
    for (const json& row : message.at("finalists"))
      compiled.push_back(detail::compiled_of(row.at("compiled")));
    std::vector<profiling::KernelRunner::Finalist> finalists;
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      finalists.push_back(
          {detail::named_values_of(message.at("finalists").at(i).at("configuration")), &compiled[i]});
    }
    return {{"type", "interleaved"},
            {"samples", runner_->time_interleaved(finalists, message.at("rounds").get<int>())}};
  }

  std::unique_ptr<kernel_templates::KernelInstance> instance_;
  std::unique_ptr<profiling::KernelRunner> runner_;
};

// Reports a failed session to the coordinator, which throws it there.
void report(detail::MessageChannel& channel, base::ExitCode code, const std::string& text) {
  channel.send({{"type", "error"}, {"exit_code", static_cast<int>(code)}, {"message", text}});
}

}  // namespace

int run_worker(const std::string& role, int descriptor) {
  // The GPU waits for its worker, and its worker for a core.
  if (role == "compile") ::setpriority(PRIO_PROCESS, 0, kCompileNiceness);
  detail::MessageChannel channel{detail::FileDescriptor(descriptor)};
  detail::CompileServant compiler;
  GpuServant servant;
  while (std::optional<json> message = channel.receive()) {
    try {
      const bool go_on =
          role == "compile" ? channel.send(compiler.reply(*message)) : servant.serve(*message, channel);
      if (!go_on) return 1;
    } catch (const base::Error& error) {
      report(channel, error.exit_code(), error.what());
    } catch (const std::exception& error) {
      report(channel, base::ExitCode::kWorkFailed, error.what());
    }
  }
  return 0;
}

}  // namespace warptune::tuner
