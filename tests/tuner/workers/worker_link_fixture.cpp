#include "tests/tuner/workers/worker_link_fixture.h"

#include <poll.h>

#include <utility>
#include <variant>

namespace warptune::tuner::workers {

WorkerLinkTest::WorkerLinkTest() : worker_("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER) { start(link_); }

void WorkerLinkTest::start(GpuLink& link, const std::vector<model::RoofReading>& roofs) {
  protocol::PrepareGpu prepare;
  prepare.roofs = roofs;
  link.prepare(prepare);
  link.set_up({});
  link.begin({});
  link.wait_until_ready();
}

void WorkerLinkTest::evaluate(std::uint64_t id, const std::string& action, std::size_t cubin_bytes) {
  kernel_templates::CompiledKernel compiled;
  compiled.cubin.assign(cubin_bytes, 'x');
  link_.evaluate({id, configuration(action), compiled, 0.0});
}

std::vector<profiling::timing::FinalistTiming> WorkerLinkTest::interleave(
    const std::vector<std::string>& actions) {
  protocol::Interleave message{{}, 3};
  for (const std::string& action : actions) message.finalists.push_back({configuration(action), {}});
  return link_.interleave(message);
}

std::vector<evaluation::MeasurementEvent> WorkerLinkTest::finish() {
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

}  // namespace warptune::tuner::workers
