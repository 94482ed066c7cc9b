#include "tuner/gpus/local_gpus.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::gpus {

namespace {

constexpr int kTimeoutMs = 180000;  // For a worker to list the GPUs, or to measure the roofs.

// Waits for the answer to a message. Returns std::nullopt when the worker ends, does not answer or sends
// another message. Throws the error that the worker reports.
template <class Answer>
std::optional<Answer> receive(processes::WorkerProcess& worker) {
  std::optional<protocol::Message> reply = worker.channel().receive(kTimeoutMs);
  if (!reply) return std::nullopt;
  if (const auto* failure = std::get_if<protocol::Failure>(&*reply)) protocol::throw_failure(*failure);
  if (auto* answer = std::get_if<Answer>(&*reply)) return std::move(*answer);
  worker.distrust("a message that it was not asked for");
  return std::nullopt;
}

}  // namespace

struct LocalGpus::State {
  std::unique_ptr<processes::WorkerProcess> worker;  ///< Null before the start, and after it was taken.
  std::optional<profiling::GpuList> list;
};

LocalGpus::LocalGpus() : state_(std::make_unique<State>()) {}

LocalGpus::~LocalGpus() = default;
LocalGpus::LocalGpus(LocalGpus&&) noexcept = default;
LocalGpus& LocalGpus::operator=(LocalGpus&&) noexcept = default;

void LocalGpus::start() {
  if (state_->worker || state_->list) return;
  state_->worker = std::make_unique<processes::WorkerProcess>("gpu 0");
  state_->worker->channel().post(protocol::ListGpus{});
}

const profiling::GpuList& LocalGpus::list() {
  if (state_->list) return *state_->list;
  start();
  std::optional<protocol::GpusListed> listed = receive<protocol::GpusListed>(*state_->worker);
  if (listed) {
    state_->list = profiling::GpuList{std::move(listed->gpus), std::move(listed->reason)};
  } else {
    state_->list = profiling::GpuList{{}, "the worker that lists the GPUs ended: " + state_->worker->end()};
  }
  if (state_->list->gpus.empty()) state_->worker.reset();
  return *state_->list;
}

std::unique_ptr<processes::WorkerProcess> LocalGpus::take_worker() {
  list();
  return std::move(state_->worker);
}

profiling::GpuList list_local_gpus() { return LocalGpus().list(); }

profiling::roofs::RoofMeasurements measure_roofs(LocalGpus& gpus, const model::GpuDescription& gpu,
                                                 int ordinal, const std::filesystem::path& compile_cache) {
  std::unique_ptr<processes::WorkerProcess> worker = gpus.take_worker();
  if (!worker) worker = std::make_unique<processes::WorkerProcess>(fmt::format("gpu {}", ordinal));
  worker->channel().send(protocol::MeasureRoofs{gpu, ordinal, compile_cache});
  std::optional<protocol::RoofsMeasured> measured = receive<protocol::RoofsMeasured>(*worker);
  if (!measured) {
    throw base::MachineError("the worker that measures the roofs ended: " + worker->end(),
                             "look with nvidia-smi whether another program uses the GPU");
  }
  return {std::move(measured->readings), std::move(measured->problems)};
}

}  // namespace warptune::tuner::gpus
