#include "tuner/detail/gpu_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "tuner/detail/json_forms.h"
#include "tuner/detail/worker_errors.h"

namespace warptune::tuner::detail {

using nlohmann::json;
using search::Status;
using std::chrono::steady_clock;

namespace {

// Setting up fills buffers of gigabytes and runs a reference that may be slow.
constexpr int kSetUpTimeoutMs = 180000;

search::Counters counters_of(const json& form) {
  search::Counters counters;
  for (const auto& [name, value] : form.items()) counters[name] = value.is_null() ? 0.0 : value.get<double>();
  return counters;
}

bool was_launched(Status status) { return status == Status::kMeasured || status == Status::kDropped; }

std::optional<WorkerProcess>& spare_worker() {
  static std::optional<WorkerProcess> worker;
  return worker;
}

}  // namespace

GpuLink::GpuLink(int ordinal, std::chrono::seconds deadline)
    : GpuLink(ordinal, deadline, WorkerProcess("gpu", fmt::format("gpu {}", ordinal))) {}

GpuLink::GpuLink(int ordinal, std::chrono::seconds deadline, WorkerProcess process)
    : ordinal_(ordinal), deadline_(deadline), process_(std::move(process)) {
  process_.channel().post({{"type", "load_driver"}});
}

void GpuLink::set_up(GpuSetUp set_up) {
  set_up_ = std::move(set_up);
  send_set_up(false);
}

void GpuLink::send_set_up(bool replacement) {
  const json reference = set_up_.reference ? to_json(*set_up_.reference) : json(nullptr);
  process_.channel().post({{"type", "set_up"},
                           {"kernel", set_up_.kernel},
                           {"problem", to_json(set_up_.problem)},
                           {"gpu", to_json(set_up_.gpu)},
                           {"ordinal", ordinal_},
                           {"seed", set_up_.seed},
                           {"cache", search::to_string(set_up_.cache)},
                           {"count", set_up_.count},
                           {"metrics", set_up_.metrics},
                           {"thorough", set_up_.thorough},
                           {"measure_energy", set_up_.measure_energy},
                           {"measure_error", set_up_.measure_error},
                           {"compile_cache", set_up_.compile_cache.string()},
                           {"roofs", to_json(set_up_.roofs)},
                           {"replacement", replacement},
                           {"reference", reference}});
  state_ = State::kStarting;
  front_since_ = steady_clock::now();
}

void GpuLink::restart() {
  process_ = WorkerProcess("gpu", fmt::format("gpu {}", ordinal_));
  send_set_up(true);
  std::map<std::uint64_t, json> lost;
  lost.swap(uncounted_);
  for (auto& [id, message] : lost) {
    if (!counted_again_.insert(id).second) continue;
    message["type"] = "count";
    process_.channel().post(message);
    uncounted_.emplace(id, std::move(message));
  }
  counting_ = uncounted_.size();
  for (const Flight& flight : in_flight_) process_.channel().post(flight.message);
}

void GpuLink::end() {
  how_ended_ = process_.end();
  state_ = State::kDown;
}

void GpuLink::wait_until_ready() {
  while (!is_ready()) {
    wake();
    pollfd polled{process_.channel().descriptor(),
                  static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(&polled, 1, 100);
    early_ = collect();
  }
}

void GpuLink::evaluate(Candidate candidate, const kernel_templates::CompiledKernel& compiled,
                       double incumbent_ns) {
  json message = {{"type", "evaluate"},
                  {"id", candidate.id},
                  {"configuration", to_json(candidate.configuration)},
                  {"compiled", to_json(compiled)},
                  {"incumbent_ns", incumbent_ns}};
  evaluate({std::move(candidate), std::move(message)});
}

void GpuLink::evaluate(Flight flight) {
  if (in_flight_.empty()) front_since_ = steady_clock::now();
  // A worker that is gone shows in `collect`; one that hangs must not make this process hang, too.
  if (state_ != State::kDown) process_.channel().post(flight.message);
  in_flight_.push_back(std::move(flight));
}

void GpuLink::take_ready(const json& message) {
  const std::vector<search::RoofReading> readings = roof_readings_of(message.at("roofs"));
  roofs_ = search::roofs_of(readings, set_up_.gpu);
  if (set_up_.roofs.empty()) set_up_.roofs = new_roofs_ = readings;  // A replacement measures nothing again.
  environment_ = environment_of(message.at("environment"));
  state_ = State::kReady;
  front_since_ = steady_clock::now();
}

void GpuLink::take_readings(const json& message, std::vector<CounterEvent>& events) {
  for (const json& row : message.at("readings")) {
    const auto id = row.at(0).get<std::uint64_t>();
    const auto sent = uncounted_.find(id);
    const bool disturbed = row.size() > 2 && row.at(2).get<bool>();
    if (disturbed && sent != uncounted_.end() && counted_again_.insert(id).second) {
      sent->second["type"] = "count";
      process_.channel().post(sent->second);
      ++counting_;
      continue;
    }
    if (sent != uncounted_.end()) uncounted_.erase(sent);
    events.push_back({id, counters_of(row.at(1))});
  }
}

void GpuLink::take(const json& message, std::vector<EvaluationEvent>& events) {
  throw_if_error(message);
  const std::string type = message.at("type").get<std::string>();
  if (type == "ready") return take_ready(message);
  if (type == "warning") {
    warnings_.push_back(message.at("text").get<std::string>());
    return;
  }
  if (type == "counted") {
    --counting_;
    front_since_ = steady_clock::now();
    return;
  }
  if (type == "counters") {
    std::vector<CounterEvent> readings;
    take_readings(message, readings);
    for (CounterEvent& event : readings) events.emplace_back(std::move(event));
    return;
  }
  MeasurementEvent event{message.at("id").get<std::uint64_t>(), measurement_of(message.at("measurement"))};
  if (event.measurement.status == Status::kMeasured &&
      (best_ns_ == 0.0 || event.measurement.time.median_ns < best_ns_))
    best_ns_ = event.measurement.time.median_ns;
  if (!message.value("counting", set_up_.count)) {
    uncounted_.clear();  // Nothing will come for them.
  } else if (was_launched(event.measurement.status)) {
    uncounted_.emplace(event.id, std::move(in_flight_.front().message));
  }
  events.emplace_back(std::move(event));
  in_flight_.pop_front();
  front_since_ = steady_clock::now();
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

std::vector<EvaluationEvent> GpuLink::collect() {
  // Not where it ended: starting another may throw, and the event of the one that ended must not be lost.
  if (state_ == State::kDown && !idle()) restart();
  std::vector<EvaluationEvent> events = std::exchange(early_, {});
  if (state_ == State::kDown) return events;
  const bool open = process_.channel().drain();
  bool lost_context = false;
  if (reported_) std::rethrow_exception(std::exchange(reported_, nullptr));
  while (const std::optional<json> message = process_.channel().next()) {
    try {
      take(*message, events);
    } catch (const base::Error&) {
      if (events.empty()) throw;
      reported_ = std::current_exception();
      return events;
    }
    lost_context = lost_context || message->value("context_lost", false);
  }
  const auto since_front = steady_clock::now() - front_since_;
  if (state_ == State::kStarting) {
    const bool late = since_front > std::chrono::milliseconds(kSetUpTimeoutMs);
    if (open && !late) return events;
    end();
    throw base::MachineError("the GPU worker ended while setting up: " + how_ended_,
                             "see whether another program holds the GPU (nvidia-smi)");
  }
  const bool late = (counting_ > 0 || !in_flight_.empty()) && since_front > deadline_;
  if (!lost_context && open && !late) return events;
  end();
  if (std::exchange(counting_, 0) > 0) {  // Counting once more did it, not the evaluation behind.
    std::erase_if(uncounted_, [&](const auto& row) { return counted_again_.count(row.first) != 0; });
    return events;
  }
  if (lost_context) return events;  // It reported the fault and ends by itself: nothing more is to blame.
  if (!open) {
    blame_front(Status::kWorkerDied, fmt::format("the GPU worker ended: {}", how_ended_), events);
  } else {
    blame_front(Status::kTimedOut, fmt::format("the evaluation took more than {} s", deadline_.count()),
                events);
  }
  return events;
}

// Nothing when the worker ended or did not answer; then it is down.
std::optional<json> GpuLink::ask(const json& message, const char* expected,
                                 std::vector<CounterEvent>& readings) {
  wait_until_ready();
  if (process_.channel().send(message)) {
    while (std::optional<json> reply = process_.channel().receive(kSetUpTimeoutMs)) {
      throw_if_error(*reply);
      if (reply->at("type") == "counters") take_readings(*reply, readings);
      if (reply->at("type") == "counted") --counting_;
      if (reply->at("type") == "warning") warnings_.push_back(reply->at("text").get<std::string>());
      if (reply->at("type") == expected && reply->value("closed", true)) return reply;
    }
  }
  end();
  return std::nullopt;
}

std::vector<CounterEvent> GpuLink::close_counters() {
  std::vector<CounterEvent> events;
  if (state_ == State::kDown && uncounted_.empty()) return events;
  // Again where the worker ended at it, or where a count was disturbed: then some are counted once more.
  do {
    if (ask({{"type", "close_counters"}}, "counters", events)) continue;
    base::log_warning("the GPU worker ended while reading counters: " + how_ended_);
    if (counting_ > 0) uncounted_.clear();
    counting_ = 0;
  } while (counting_ > 0 || (state_ == State::kDown && !uncounted_.empty()));
  for (EvaluationEvent& event : std::exchange(early_, {})) {
    if (auto* counted = std::get_if<CounterEvent>(&event)) {
      events.push_back(std::move(*counted));
    } else {
      early_.push_back(std::move(event));
    }
  }
  return events;
}

std::vector<std::vector<double>> GpuLink::interleave(
    const std::vector<search::NamedValues>& configurations,
    const std::vector<kernel_templates::CompiledKernel>& compiled, int rounds) {
  json finalists = json::array();
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    finalists.push_back({{"configuration", to_json(configurations[i])}, {"compiled", to_json(compiled[i])}});
  }
  std::vector<CounterEvent> readings;  // None is outstanding when finalists are timed.
  std::optional<json> reply;
  try {
    reply =
        ask({{"type", "interleave"}, {"finalists", finalists}, {"rounds", rounds}}, "interleaved", readings);
  } catch (const base::Error& error) {
    if (!is_ready()) throw;  // It could not be set up.
    end();
    how_ended_ = error.what();  // A finalist's fault, reported.
  }
  if (!reply) {
    base::log_warning("the GPU worker ended while timing the best once more: " + how_ended_);
    return {};
  }
  return reply->at("samples").get<std::vector<std::vector<double>>>();
}

std::vector<std::string> GpuLink::take_warnings() { return std::exchange(warnings_, {}); }

profiling::GpuCensus take_census() {
  WorkerProcess process("gpu", "gpu 0");
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
  if (!census.gpus.empty()) spare_worker() = std::move(process);
  return census;
}

std::optional<WorkerProcess> take_spare_worker() { return std::exchange(spare_worker(), std::nullopt); }

profiling::RoofSurvey take_roof_survey(const search::GpuDescription& gpu, int ordinal,
                                       const std::filesystem::path& compile_cache) {
  std::optional<WorkerProcess> spare = take_spare_worker();
  WorkerProcess process = spare ? std::move(*spare) : WorkerProcess("gpu", fmt::format("gpu {}", ordinal));
  process.channel().send({{"type", "survey_roofs"},
                          {"gpu", to_json(gpu)},
                          {"ordinal", ordinal},
                          {"compile_cache", compile_cache.string()}});
  const std::optional<json> reply = process.channel().receive(kSetUpTimeoutMs);
  if (!reply) {
    throw base::MachineError("the worker that measures roofs ended: " + process.end(),
                             "see whether another program holds the GPU (nvidia-smi)");
  }
  throw_if_error(*reply);
  return {roof_readings_of(reply->at("roofs")), reply->at("problems").get<std::vector<std::string>>()};
}

}  // namespace warptune::tuner::detail
