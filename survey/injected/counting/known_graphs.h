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
  static constexpr std::size_t kMaxExecutables = 2048;

  KnownGraphs(const CountingFunctions& functions, PlannedLaunches& plan)
      : functions_(functions), plan_(plan) {}
  KnownGraphs(const KnownGraphs&) = delete;
  KnownGraphs& operator=(const KnownGraphs&) = delete;

  /// Remembers a graph that was made ready or updated, if it has kernels of the plan. Graphs whose nodes have
  /// the same kernels, grids and blocks are one, because programs make the same graph again and again.
  /// Changes of single nodes are not seen. Several threads may call it. It knows at most `kMaxGraphs` graphs,
  /// and as many executable ones as it has places. Without a free place, the oldest one is overwritten.
  void learn(CUgraphExec executable, CUgraph graph);
  /// The graph was destroyed.
  void forget(CUgraphExec executable);
  /// The graph of `executable`, or null. It stays where it is, and one thread at a time may change it.
  collecting::RawCountedGraph* find(CUgraphExec executable);
  /// Copies all graphs in the order of their numbers, and returns how many there are.
  std::size_t copy_to(std::array<collecting::RawCountedGraph, kMaxGraphs>& graphs);

 private:
  void add_nodes(CUgraph graph, collecting::RawCountedGraph& found, int depth);
  void add_kernel(CUgraphNode node, collecting::RawCountedGraph& found);

  const CountingFunctions& functions_;
  PlannedLaunches& plan_;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  struct Executable {
    CUgraphExec handle = nullptr;  ///< Null: the place is free.
    std::size_t graph = 0;
  };
  Executable* find_place(CUgraphExec executable);

  std::array<Executable, kMaxExecutables> executables_{};
  std::size_t used_ = 0;    ///< Places from here on were never taken.
  std::size_t oldest_ = 0;  ///< The place that is overwritten next if none is free.
  std::array<collecting::RawCountedGraph, kMaxGraphs> graphs_{};
  std::size_t count_ = 0;
};

}  // namespace warptune::survey::injected::counting
