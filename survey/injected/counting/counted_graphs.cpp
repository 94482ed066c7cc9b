// Launches of graphs, of which the counters take one pass each.
#include <time.h>

#include <cuda.h>

#include "survey/injected/counting/launch_counter.h"
#include "survey/injected/recorder.h"

namespace warptune::survey::injected::counting {

using collecting::RawCountedGraph;

namespace {

constexpr time_t kLongestTurnSeconds = 10;
// Launches that are not counted while a graph has some of its passes. After them the graph is given up: the
// program may never launch it again.
constexpr std::uint32_t kMaxSkipped = 1000;
constexpr std::uint32_t kMaxMixedRanges = 5;
// In `correlationData`.
constexpr std::uint64_t kCounts = 2;

}  // namespace

bool LaunchCounter::take_turn() {
  timespec latest{};
  ::clock_gettime(CLOCK_REALTIME, &latest);
  latest.tv_sec += kLongestTurnSeconds;
  return ::pthread_mutex_timedlock(&turn_, &latest) == 0;
}

bool LaunchCounter::waits_for_range() {
  if (range_.graph == nullptr) return false;
  if (++range_.skipped <= kMaxSkipped) return true;
  ++range_.graph->mixed;
  range_ = {};
  return false;
}

bool LaunchCounter::is_wanted(const LaunchCall& call, const GraphLaunch& launch, RawCountedGraph* graph) {
  if (is_over_ || graph == nullptr) return false;
  ++graph->launches;
  if (refuses_graphs_) return false;
  if (captures_ > 0 || is_captured(call, launch.stream) || !is_in_time() || graph->mixed >= kMaxMixedRanges)
    return false;
  if (range_.graph != graph && waits_for_range()) return false;
  if (graph->counted >= plan_.plan().launches) return false;
  for (std::uint32_t i = 0; i < plan_.plan().kernels; ++i) {
    if (graph->nodes[i] > 0 && !is_complete(i)) return true;
  }
  return false;
}

// Kernels may still be counted.
void LaunchCounter::refuse_graphs(const CountingStep& step) {
  report(step);
  refuses_graphs_ = true;
  range_ = {};
}

CountingStep LaunchCounter::start_pass(RawCountedGraph& graph, CountingSession& session) {
  if (range_.graph != &graph || range_.session != &session) {
    range_ = {};
    if (const CountingStep begun = session.begin_range(); begun.failed()) return begun;
    range_.graph = &graph;
    range_.session = &session;
  }
  range_.skipped = 0;
  functions_.wait_for_context();
  is_disturbed_ = false;
  const CountingStep started = session.start_pass();
  is_in_pass_ = !started.failed();
  return started;
}

// A graph that is launched while another thread's launch is replayed would not run. So it waits for its turn,
// also if it is not counted, and no replay begins before the call returns.
void LaunchCounter::enter_graph(const LaunchCall& call, const CUpti_CallbackData& data) {
  *data.correlationData = 0;
  ++graph_launches_;
  if (is_over_) return;
  if (!take_turn()) {
    write_problem("A CUDA graph was launched while another launch was counted, so it may not have run.");
    return;
  }
  const GraphLaunch launch = graph_launch(data.functionParams);
  RawCountedGraph* const graph = graphs_.find(launch.graph);
  CountingSession* const session = is_wanted(call, launch, graph) ? session_of(data.context) : nullptr;
  if (session == nullptr) {
    if (is_over_) end();
    ::pthread_mutex_unlock(&turn_);
    return;
  }
  started_ = monotonic_ns();
  if (const CountingStep started = start_pass(*graph, *session); started.failed()) {
    refuse_graphs(started);
    ::pthread_mutex_unlock(&turn_);
    return;
  }
  *data.correlationData = kCounts;
}

void LaunchCounter::keep_graph(const CountingStep& stopped, RawCountedGraph& graph,
                               CountingSession& session) {
  std::size_t ranges = 0;
  const CountingStep decoded = stopped.failed() || range_.is_disturbed ? stopped : session.decode(ranges);
  range_ = {};
  if (decoded.failed()) {
    refuse_graphs(decoded);
  } else if (ranges != 1) {
    ++graph.mixed;
  } else if (write_counted(session, collecting::kFirstGraph + graph.number)) {
    ++graph.counted;
    if (file_.open()) {  // Before the program can be killed.
      file_.write(collecting::RawChunk::kCountedGraphs, 1, &graph, sizeof(graph));
      file_.close();
    }
  }
  for (std::uint32_t i = 0; i < plan_.plan().kernels; ++i) {
    if (graph.nodes[i] > 0 && graph.counted >= plan_.plan().launches) progress_[i].is_in_counted_graph = true;
  }
}

void LaunchCounter::leave_graph(const CUpti_CallbackData& data) {
  --graph_launches_;
  if (*data.correlationData != kCounts) return;
  *data.correlationData = 0;
  const auto* const returned = static_cast<const CUresult*>(data.functionReturnValue);
  const bool has_run =
      functions_.wait_for_context() == CUDA_SUCCESS && (returned == nullptr || *returned == CUDA_SUCCESS);
  is_in_pass_ = false;
  range_.is_disturbed = range_.is_disturbed || is_disturbed_ || !has_run;
  CountingSession& session = *range_.session;
  bool is_last = false;
  const CountingStep stopped = session.stop_pass(is_last);
  if (is_last || stopped.failed()) keep_graph(stopped, *range_.graph, session);
  spent_ += monotonic_ns() - started_;
  end_if_complete();
  if (is_over_) {
    session.close();
    range_ = {};
    end();
  }
  ::pthread_mutex_unlock(&turn_);
}

}  // namespace warptune::survey::injected::counting
