// Nodes that replay recordings of a small kernel, with a store in memory.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/tuner/memory_store.h"
#include "tests/tuner/session_data.h"
#include "tuner/nodes/node.h"

namespace warptune::tuner::testing {

class NodeTest : public ::testing::Test {
 protected:
  NodeTest();

  /// Records the toy kernel for a size, so that replays can run it. Each of its 8 configurations was compiled
  /// in 1 ms and measured in `measure_ms`.
  void record(std::int64_t n, double measure_ms = 10.0, bool all_fail = false);
  /// Adds the campaign `c` with one table [[tune]] of the toy kernel and these lines.
  void add_campaign(const std::string& lines);
  /// Records the toy kernel for these sizes on another GPU, which is returned. Each evaluation takes 20 ms.
  model::GpuDescription record_on_another_gpu(const std::vector<std::int64_t>& sizes);
  /// Runs a node with `options_`. `also` gets its events, too.
  nodes::NodeEnd run(const nodes::NodeListener& also = [](const nodes::NodeEvent&) {});
  fleet::TaskRecord task(std::uint64_t index) { return store_.tasks("c").at(index); }
  /// The texts of the events of one kind.
  std::vector<std::string> texts(nodes::NodeEvent::Kind kind) const;
  /// How many distinct configurations the joined database of all batches has, for each size N.
  std::map<std::int64_t, std::size_t> published_rows();

  TemporaryFolder folder_;
  std::filesystem::path kernel_;
  std::shared_ptr<MemoryState> state_ = std::make_shared<MemoryState>();
  MemoryStore store_{state_};
  nodes::NodeOptions options_;
  std::vector<nodes::NodeEvent> events_;
  base::Cancellation stop_;
};

}  // namespace warptune::tuner::testing
