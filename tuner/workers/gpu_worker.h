#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "profiling/kernel_runner.h"
#include "tuner/processes/worker_output.h"
#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::workers {

/// The state of a GPU worker between messages, and its answer to each message.
class GpuWorker {
 public:
  explicit GpuWorker(protocol::MessageChannel& channel) : channel_(channel) {}

  /// Answers a message. Returns false when the worker must end. Then the coordinator is gone, or a kernel
  /// destroyed the CUDA context, which cannot be repaired within the process. An exception is sent to the
  /// coordinator.
  bool answer(const protocol::Message& message);
  /// The next message, as `MessageChannel::receive`. Messages that arrived while the coordinator was asked
  /// something come first.
  std::optional<protocol::Message> receive();

 private:
  bool take(const protocol::ListGpus& message);
  bool take(const protocol::MeasureRoofs& message);
  bool take(const protocol::SampleHotLines& message);
  bool take(const protocol::TraceSteps& message);
  bool take(const protocol::PrepareGpu& message);
  bool take(const protocol::SetUp& message);
  bool take(const protocol::Begin& message);
  bool take(const protocol::Evaluate& message);
  bool take(const protocol::Count& message);
  bool take(const protocol::CloseCounters& message);
  bool take(const protocol::Interleave& message);
  bool take(const protocol::Confirm& message);
  bool take(const protocol::Judged& message);
  template <class Other>
  bool take(const Other& message);

  std::optional<std::string> ask_whether_right();
  void note_printed(model::Measurement& measurement);
  bool context_is_lost();
  bool finish_set_up();
  void add_second_inputs();
  bool measure_roofs();
  bool prepare_finals();
  bool send_counters(bool close);
  bool send_warnings();

  protocol::MessageChannel& channel_;
  std::deque<protocol::Message> early_;  ///< Arrived while something else was awaited.
  processes::WorkerOutput output_ = processes::WorkerOutput::of_this_process();
  bool prints_ = false;  ///< A measured kernel has printed something since the last warning.
  model::GpuDescription gpu_;
  int ordinal_ = 0;
  profiling::MeasuringOptions measuring_;
  std::optional<profiling::PreparedGpu> prepared_;  ///< Held until the runner takes it.
  std::unique_ptr<kernel_templates::KernelInstance> instance_;
  std::unique_ptr<profiling::KernelRunner> runner_;
  bool replacement_ = false;
  bool roofs_first_ = false;
  bool roofs_known_ = false;  ///< The coordinator knows the roofs, or was told that there are none.
  bool has_second_inputs_ = false;
  std::optional<std::chrono::steady_clock::time_point> first_evaluated_at_;
};

}  // namespace warptune::tuner::workers
