// The driver's calls that launch kernels or graphs, and those that capture launches as graphs or make graphs
// ready.
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace warptune::survey::injected::counting {

/// What a call of the driver means for counting.
enum class LaunchCallKind {
  kLaunch,
  kCaptureBegin,
  kCaptureEnd,
  kGraphInstantiate,
  kGraphUpdate,
  kGraphDestroy,
  kGraphLaunch
};

struct LaunchCall {
  CUpti_CallbackId callback = 0;
  LaunchCallKind kind = LaunchCallKind::kLaunch;
  bool by_thread = false;  ///< Its default stream is that of the thread (`_ptsz`).
};

/// The calls for which the injected library asks CUPTI for callbacks.
std::span<const LaunchCall> launch_calls();
/// The row of `launch_calls` with CUPTI's number `callback`, or null.
const LaunchCall* launch_call(CUpti_CallbackId callback);

/// By how much a callback of a call that begins or ends a capture changes the number of captures that have
/// begun and not ended: -1, 0 or 1.
int change_of_captures(const LaunchCall& call, const CUpti_CallbackData& data);

/// The geometry of a launch.
struct LaunchForm {
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  CUstream stream = nullptr;
};

/// Reads the parameters of a call of kind `kLaunch`. Returns std::nullopt if they are missing.
std::optional<LaunchForm> launch_form(CUpti_CallbackId callback, const void* parameters);

/// The parameters of a call of kind `kGraphLaunch`.
struct GraphLaunch {
  CUgraphExec graph = nullptr;
  CUstream stream = nullptr;
};
/// Reads them. The graph is null if they are missing.
GraphLaunch graph_launch(const void* parameters);

/// An executable graph, and the graph that it was made or updated from.
struct ReadyGraph {
  CUgraphExec executable = nullptr;
  CUgraph graph = nullptr;
};
/// Reads the graph of a call of kind `kGraphInstantiate`, `kGraphUpdate` or `kGraphDestroy` when the call
/// ends. `executable` is null if the call failed or its parameters are missing, and `graph` is null for
/// `kGraphDestroy`.
ReadyGraph ready_graph(LaunchCallKind kind, const CUpti_CallbackData& data);

}  // namespace warptune::survey::injected::counting
