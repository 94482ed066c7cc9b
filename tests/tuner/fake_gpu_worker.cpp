// `fake_gpu_worker worker gpu DESCRIPTOR NAME`: a GPU worker without a GPU. The parameter DO of a
// configuration tells what an evaluation does: "measure", "keep_counters" (until they are lost), "disturbed"
// (counts are, the first time), "die", "hang", "fault" (reports it, then ends), "fail" (reports an error of
// the session). With FAKE_SET_UP_DIES in the environment it ends when it is set up; FAKE_SET_UP_DIES_ON and
// FAKE_EVALUATION_DIES_ON name the GPU whose worker ends at that. As a compile worker it compiles anything.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tuner/detail/json_forms.h"
#include "tuner/detail/message_channel.h"

namespace {

using nlohmann::json;
using warptune::tuner::detail::MessageChannel;

// Measures where it is told no roofs.
json ready(const json& known) {
  const std::vector<warptune::search::RoofReading> measured = {{"copy", 4.2e12, 0.001, 1980.0, 1, 13000}};
  return {{"type", "ready"},
          {"roofs", known.empty() ? warptune::tuner::detail::to_json(measured) : known},
          {"environment", warptune::tuner::detail::to_json(warptune::search::Environment{})}};
}

// Two lines of the kernel's source.
json hot_lines(const json& message) {
  const std::string kernel = message.at("kernel").get<std::string>();
  warptune::profiling::HotLines lines;
  lines.lines.resize(2);
  lines.lines[0].line = {kernel, 2};
  lines.lines[0].samples = 30;
  lines.lines[0].stalls = {{"barrier", 30}};
  lines.lines[1].line = {"none.cu", 1};
  lines.lines[1].samples = 10;
  lines.samples = 40;
  return {{"type", "hot_lines"}, {"lines", warptune::tuner::detail::to_json(lines)}};
}

json counters(const json& id, bool closed) {
  json readings = json::array();
  if (!id.is_null()) readings.push_back(json::array({id, {{"one", 1.0}}, false}));
  return {{"type", "counters"}, {"readings", readings}, {"closed", closed}};
}

std::string action_of(const json& configuration) {
  for (const json& row : configuration) {
    if (row.at(0) == "DO") return row.at(1).get<std::string>();
  }
  return "measure";
}

bool evaluate(const json& message, MessageChannel& channel) {
  const std::string action = action_of(message.at("configuration"));
  if (action == "die") ::_exit(9);
  if (action == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (action == "fail")
    return channel.send({{"type", "error"}, {"exit_code", 3}, {"message", "the GPU fell off the bus"}});
  warptune::search::Measurement measurement;
  measurement.configuration = warptune::tuner::detail::named_values_of(message.at("configuration"));
  measurement.status =
      action == "fault" ? warptune::search::Status::kLaunchFailed : warptune::search::Status::kMeasured;
  measurement.reason = action == "fault" ? "illegal address" : "";
  measurement.time = {100.0, 99.0, 101.0};
  channel.send({{"type", "measured"},
                {"id", message.at("id")},
                {"measurement", warptune::tuner::detail::to_json(measurement)},
                {"context_lost", action == "fault"}});
  if (action == "keep_counters") return true;  // They would come when the session closes.
  if (action == "disturbed") {
    json readings = json::array({json::array({message.at("id"), {{"one", 666.0}}, true})});
    return channel.send({{"type", "counters"}, {"readings", readings}, {"closed", false}});
  }
  if (action != "fault") return channel.send(counters(message.at("id"), false));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // The message comes well before the end.
  return false;
}

bool interleave(const json& message, MessageChannel& channel) {
  json samples = json::array();
  for (const json& finalist : message.at("finalists")) {
    if (action_of(finalist.at("configuration")) == "die") ::_exit(9);
    samples.push_back(json::array({1.0, 2.0, 3.0}));
  }
  return channel.send({{"type", "interleaved"}, {"samples", samples}});
}

// Whether the environment variable names this worker's GPU.
bool named_by(const char* variable, const std::string& name) {
  const char* value = std::getenv(variable);
  return value != nullptr && name == std::string("gpu ") + value;
}

bool serve(const json& message, MessageChannel& channel, const std::string& name) {
  const std::string type = message.at("type").get<std::string>();
  if (type == "compile") {
    const warptune::kernel_templates::CompiledKernel compiled;
    return channel.send({{"type", "compiled"},
                         {"id", message.at("id")},
                         {"compiled", warptune::tuner::detail::to_json(compiled)}});
  }
  if (type == "set_up" && named_by("FAKE_SET_UP_DIES_ON", name)) return false;
  if (type == "evaluate" && named_by("FAKE_EVALUATION_DIES_ON", name)) return false;
  if (type == "count")
    return channel.send({{"type", "counted"}, {"id", message.at("id")}}) &&
           channel.send(counters(message.at("id"), false));
  if (type == "load_driver") return true;
  if (type == "hot_lines")
    return std::getenv("FAKE_SAMPLING_DIES") == nullptr && channel.send(hot_lines(message));
  if (type == "set_up")
    return std::getenv("FAKE_SET_UP_DIES") == nullptr && channel.send(ready(message.at("roofs")));
  if (type == "evaluate") return evaluate(message, channel);
  if (type == "close_counters")
    return channel.send(counters(json(777), false)) && channel.send(counters(nullptr, true));
  return interleave(message, channel);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 5) return 2;
  MessageChannel channel{warptune::tuner::detail::FileDescriptor(std::atoi(arguments[3]))};
  while (const std::optional<json> message = channel.receive()) {
    if (!serve(*message, channel, arguments[4])) return 1;
  }
  return 0;
}
