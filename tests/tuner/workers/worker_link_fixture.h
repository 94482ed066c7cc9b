#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"
#include "tuner/workers/gpu_link.h"

namespace warptune::tuner::workers {

/// A link to a worker that does what the test asks (fake_gpu_worker.cpp).
class WorkerLinkTest : public ::testing::Test {
 protected:
  WorkerLinkTest() { start(link_); }

  static void start(GpuLink& link, const std::vector<model::RoofReading>& roofs = {}) {
    protocol::PrepareGpu prepare;
    prepare.roofs = roofs;
    link.prepare(prepare);
    link.set_up({});
    link.begin({});
    link.wait_until_ready();
  }

  static model::NamedValues configuration(const std::string& action) { return {{"DO", action}}; }

  void evaluate(std::uint64_t id, const std::string& action, std::size_t cubin_bytes = 16) {
    kernel_templates::CompiledKernel compiled;
    compiled.cubin.assign(cubin_bytes, 'x');
    link_.evaluate({id, configuration(action), compiled, 0.0});
  }

  std::vector<profiling::timing::FinalistTiming> interleave(const std::vector<std::string>& actions) {
    protocol::Interleave message{{}, 3};
    for (const std::string& action : actions) message.finalists.push_back({configuration(action), {}});
    return link_.interleave(message);
  }

  /// Collects measurements until nothing is in flight.
  std::vector<evaluation::MeasurementEvent> finish() {
    std::vector<evaluation::MeasurementEvent> events;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (link_.in_flight() > 0 && std::chrono::steady_clock::now() < end) {
      const int wanted = link_.has_unsent() ? POLLIN | POLLOUT : POLLIN;
      pollfd polled{link_.descriptor(), static_cast<short>(wanted), 0};
      ::poll(&polled, 1, 50);
      for (evaluation::EvaluationEvent& event : link_.collect()) {
        if (auto* measured = std::get_if<evaluation::MeasurementEvent>(&event))
          events.push_back(std::move(*measured));
        if (const auto* counted = std::get_if<evaluation::CounterEvent>(&event))
          counted_.push_back(counted->id);
      }
    }
    return events;
  }

  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  GpuLink link_{0, evaluation::EvaluationLimit{std::chrono::seconds(1)}};
  std::vector<std::uint64_t> counted_;  ///< Evaluations whose counters arrived together with measurements.
};

}  // namespace warptune::tuner::workers
