#include "tuner/detail/gpu_link.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "tuner/detail/json_forms.h"
#include "tuner/detail/worker_errors.h"

namespace warptune::tuner::detail {

using nlohmann::json;
using search::Status;

namespace {

// Setting up fills buffers of gigabytes and runs a reference that may be slow.
constexpr int kSetUpTimeoutMs = 180000;

search::Counters counters_of(const json& form) {
  search::Counters counters;
  for (const auto& [name, value] : form.items()) counters[name] = value.is_null() ? 0.0 : value.get<double>();
  return counters;
}

std::vector<CounterEvent> readings_of(const json& message) {
  std::vector<CounterEvent> events;
  for (const json& row : message.at("readings"))
    events.push_back({row.at(0).get<std::uint64_t>(), counters_of(row.at(1))});
  return events;
}

}  // namespace

GpuLink::GpuLink(GpuSetUp set_up, std::chrono::seconds deadline)
    : set_up_(std::move(set_up)),
      deadline_(deadline),
      process_("gpu", fmt::format("gpu {}", set_up_.ordinal)) {
  start();
}

// Nothing when the worker ended or did not answer; then it is down.
std::optional<json> GpuLink::ask(const json& message, const char* expected) {
  if (down_) restart();
  if (process_.channel().send(message)) {
    while (std::optional<json> reply = process_.channel().receive(kSetUpTimeoutMs)) {
      throw_if_error(*reply);
      if (reply->at("type") == expected) return reply;
    }
  }
  how_ended_ = process_.end();
  down_ = true;
  return std::nullopt;
}

void GpuLink::start() {
  const json reference = set_up_.reference ? to_json(*set_up_.reference) : json(nullptr);
  const std::optional<json> answer = ask({{"type", "set_up"},
                                          {"kernel", set_up_.kernel},
                                          {"problem", to_json(set_up_.problem)},
                                          {"gpu", to_json(set_up_.gpu)},
                                          {"ordinal", set_up_.ordinal},
                                          {"seed", set_up_.seed},
                                          {"count", set_up_.count},
                                          {"reference", reference}},
                                         "ready");
  if (!answer) {
    throw base::MachineError("the GPU worker ended while setting up: " + how_ended_,
                             "see whether another program holds the GPU (nvidia-smi)");
  }
  const json& reply = *answer;
  roofs_ = {reply.at("memory_bytes_per_s").get<double>(), reply.at("fp32_flops_per_s").get<double>()};
  environment_ = environment_of(reply.at("environment"));
  reply.at("counter_problem").get_to(counter_problem_);
}

void GpuLink::evaluate(Candidate candidate, const kernel_templates::CompiledKernel& compiled,
                       double incumbent_ns) {
  json message = {{"type", "evaluate"},
                  {"id", candidate.id},
                  {"configuration", to_json(candidate.configuration)},
                  {"compiled", to_json(compiled)},
                  {"incumbent_ns", incumbent_ns}};
  if (in_flight_.empty()) front_since_ = std::chrono::steady_clock::now();
  // A worker that is gone shows in `collect`; one that hangs must not make this process hang, too.
  if (!down_) process_.channel().post(message);
  in_flight_.push_back({std::move(candidate), std::move(message)});
}

void GpuLink::take(const json& message, std::vector<EvaluationEvent>& events) {
  throw_if_error(message);
  if (message.at("type") == "counters") {
    for (CounterEvent& event : readings_of(message)) events.emplace_back(std::move(event));
    return;
  }
  events.emplace_back(
      MeasurementEvent{message.at("id").get<std::uint64_t>(), measurement_of(message.at("measurement"))});
  in_flight_.pop_front();
  front_since_ = std::chrono::steady_clock::now();
}

void GpuLink::blame_front(Status status, const std::string& reason, std::vector<EvaluationEvent>& events) {
  if (in_flight_.empty()) return;
  search::Measurement measurement;
  measurement.configuration = in_flight_.front().candidate.configuration;
  measurement.status = status;
  measurement.reason = reason;
  events.emplace_back(MeasurementEvent{in_flight_.front().candidate.id, std::move(measurement)});
  in_flight_.pop_front();
}

void GpuLink::restart() {
  process_ = WorkerProcess("gpu", fmt::format("gpu {}", set_up_.ordinal));
  down_ = false;
  start();
  front_since_ = std::chrono::steady_clock::now();
  for (const Flight& flight : in_flight_) process_.channel().post(flight.message);
}

std::vector<EvaluationEvent> GpuLink::collect() {
  // Not where it ended: starting another may throw, and the event of the one that ended must not be lost.
  if (down_ && !in_flight_.empty()) restart();
  std::vector<EvaluationEvent> events;
  if (down_) return events;
  const bool open = process_.channel().drain();
  bool lost_context = false;
  while (const std::optional<json> message = process_.channel().next()) {
    take(*message, events);
    lost_context = lost_context || message->value("context_lost", false);
  }
  const bool late = !in_flight_.empty() && std::chrono::steady_clock::now() - front_since_ > deadline_;
  down_ = lost_context || !open || late;
  if (down_) how_ended_ = process_.end();
  if (lost_context) return events;  // It reported the fault and ends by itself: nothing more is to blame.
  if (!open) {
    blame_front(Status::kWorkerDied, fmt::format("the GPU worker ended: {}", how_ended_), events);
  } else if (late) {
    blame_front(Status::kTimedOut, fmt::format("the evaluation took more than {} s", deadline_.count()),
                events);
  }
  return events;
}

std::vector<CounterEvent> GpuLink::close_counters() {
  std::vector<CounterEvent> events;
  if (down_) return events;
  std::optional<json> reply = ask({{"type", "close_counters"}}, "counters");
  while (reply) {  // Readings of a session that closed by itself may come first.
    for (CounterEvent& event : readings_of(*reply)) events.push_back(std::move(event));
    if (reply->at("closed").get<bool>()) return events;
    reply = process_.channel().receive(kSetUpTimeoutMs);
    if (reply) throw_if_error(*reply);
  }
  if (!down_) how_ended_ = process_.end();
  down_ = true;
  base::log_warning("the GPU worker ended while reading counters: " + how_ended_);
  return events;
}

std::vector<std::vector<double>> GpuLink::interleave(
    const std::vector<search::NamedValues>& configurations,
    const std::vector<kernel_templates::CompiledKernel>& compiled, int rounds) {
  json finalists = json::array();
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    finalists.push_back({{"configuration", to_json(configurations[i])}, {"compiled", to_json(compiled[i])}});
  }
  const std::optional<json> reply =
      ask({{"type", "interleave"}, {"finalists", finalists}, {"rounds", rounds}}, "interleaved");
  if (!reply) {
    base::log_warning("the GPU worker ended while timing the best once more: " + how_ended_);
    return {};
  }
  return reply->at("samples").get<std::vector<std::vector<double>>>();
}

profiling::GpuCensus take_census() {
  WorkerProcess process("gpu", "census");
  profiling::GpuCensus census;
  process.channel().send({{"type", "census"}});
  const std::optional<json> reply = process.channel().receive(kSetUpTimeoutMs);
  if (!reply) {
    census.reason = "the worker that looks for GPUs ended: " + process.end();
    return census;
  }
  throw_if_error(*reply);
  for (const json& gpu : reply->at("gpus")) census.gpus.push_back(gpu_of(gpu));
  reply->at("reason").get_to(census.reason);
  return census;
}

}  // namespace warptune::tuner::detail
