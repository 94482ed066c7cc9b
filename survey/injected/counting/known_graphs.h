// The executable CUDA graphs of this process that have kernels of the counting plan.
#pragma once

#include <cuda.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/raw_stream.h"
#include "survey/injected/counting/counting_functions.h"
#include "survey/injected/counting/planned_launches.h"

namespace warptune::survey::injected::counting {

/// The object is large, so it is a member of one that is allocated once.
class KnownGraphs {
 public:
  static constexpr std::size_t kMaxGraphs = 128;
  static constexpr std::size_t kMaxExecutables = 512;

  KnownGraphs(const CountingFunctions& functions, PlannedLaunches& plan)
      : functions_(functions), plan_(plan) {}
  KnownGraphs(const KnownGraphs&) = delete;
  KnownGraphs& operator=(const KnownGraphs&) = delete;

  /// Remembers a graph that was made ready, if it has kernels of the plan. Graphs with the same numbers of
  /// nodes are one, because programs make the same graph again and again. Later changes of nodes are not
  /// seen. Several threads may call it. It knows at most `kMaxGraphs` graphs, and those that were made ready
  /// last.
  void learn(CUgraphExec executable, CUgraph graph);
  /// The graph of `executable`, or null. It stays where it is, and one thread at a time may change it.
  collecting::RawCountedGraph* find(CUgraphExec executable);

  /// All graphs, in the order of their numbers.
  const collecting::RawCountedGraph* graphs() const { return graphs_.data(); }
  std::size_t count() const { return count_; }

 private:
  void add_nodes(CUgraph graph, collecting::RawCountedGraph& found, int depth);
  void add_kernel(CUgraphNode node, collecting::RawCountedGraph& found);

  const CountingFunctions& functions_;
  PlannedLaunches& plan_;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  struct Executable {
    CUgraphExec handle = nullptr;
    std::size_t graph = 0;
  };
  std::array<Executable, kMaxExecutables> executables_{};
  std::size_t next_ = 0;  ///< The place of the next executable graph. The oldest ones are overwritten.
  std::array<collecting::RawCountedGraph, kMaxGraphs> graphs_{};
  std::size_t count_ = 0;
};

}  // namespace warptune::survey::injected::counting
