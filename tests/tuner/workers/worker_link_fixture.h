#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"
#include "tuner/workers/gpu_link.h"

namespace warptune::tuner::workers {

/// A link to a worker that does what the test asks (fake_gpu_worker.cpp).
class WorkerLinkTest : public ::testing::Test {
 protected:
  WorkerLinkTest();

  static void start(GpuLink& link, const std::vector<model::RoofReading>& roofs = {});

  static model::NamedValues configuration(const std::string& action) { return {{"DO", action}}; }

  void evaluate(std::uint64_t id, const std::string& action, std::size_t cubin_bytes = 16);

  std::vector<profiling::timing::FinalistTiming> interleave(const std::vector<std::string>& actions);

  /// Collects measurements until nothing is in flight.
  std::vector<evaluation::MeasurementEvent> finish();

  testing::ScopedVariable worker_;
  GpuLink link_{0, evaluation::EvaluationLimit{std::chrono::seconds(1)}};
  std::vector<std::uint64_t> counted_;  ///< Evaluations whose counters arrived together with measurements.
};

}  // namespace warptune::tuner::workers
