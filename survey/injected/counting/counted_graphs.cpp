// Launches of graphs, of which the counters take one pass each, and captures of graphs.
#include <cuda.h>

#include "survey/injected/counting/launch_counter.h"
#include "survey/injected/recorder.h"

namespace warptune::survey::injected::counting {

using collecting::RawCountedGraph;

namespace {

// Launches that are not counted while a graph has some of its passes. After them the graph is given up: the
// program may never launch it again.
constexpr std::uint32_t kMaxSkipped = 1000;
constexpr std::uint32_t kMaxLostRanges = 5;

}  // namespace

// A launch that is counted waits for its context, which would spoil a capture. So a capture waits until it
// has ended, and no other one begins to be counted.
void LaunchCounter::begin_or_end_capture(const LaunchCall& call, const CUpti_CallbackData& data) {
  const int change = change_of_captures(call, data);
  captures_ += change;
  if (change <= 0 || is_over_) return;
  if (take_turn(kLongestTurnSeconds))
    ::pthread_mutex_unlock(&turn_);
  else
    is_over_ = true;
}

std::atomic<int>& LaunchCounter::uncounted_calls(CUcontext context) {
  constexpr std::uintptr_t kAlignment = 64;
  return uncounted_calls_[reinterpret_cast<std::uintptr_t>(context) / kAlignment % uncounted_calls_.size()];
}

// Passes are missing, so the profiler is switched off.
void LaunchCounter::abandon_range() {
  if (range_.session != nullptr) range_.session->close();
  range_ = {};
}

bool LaunchCounter::waits_for_range() {
  if (range_.graph == nullptr) return false;
  if (++range_.skipped <= kMaxSkipped) return true;
  ++range_.graph->given_up;
  abandon_range();
  return false;
}

bool LaunchCounter::is_wanted(const LaunchCall& call, const GraphLaunch& launch, RawCountedGraph* graph) {
  if (is_over_ || graph == nullptr || refuses_graphs_ || graph->has_collectives != 0) return false;
  if (graph->counted >= plan_.plan().launches || graph->mixed + graph->given_up >= kMaxLostRanges)
    return false;
  bool has_news = false;
  for (std::uint32_t i = 0; i < plan_.plan().kernels; ++i)
    has_news = has_news || (graph->nodes[i] > 0 && !is_complete(i));
  if (!has_news || captures_ > 0 || is_captured(call, launch.stream) || !is_in_time()) return false;
  ++graph->launches;
  return true;
}

// Kernels may still be counted.
void LaunchCounter::refuse_graphs(const CountingStep& step) {
  report(step);
  refuses_graphs_ = true;
  abandon_range();
}

CountingStep LaunchCounter::start_pass(RawCountedGraph& graph, CountingSession& session, CUcontext context) {
  if (range_.graph == nullptr) {
    if (const CountingStep begun = session.begin_range(); begun.failed()) return begun;
    range_ = {&graph, &session, 0};
  }
  range_.skipped = 0;
  // Launches that come from here on are noticed, and those that have not returned are counted with the graph.
  is_disturbed_ = false;
  pass_context_ = context;
  functions_.wait_for_context();
  const CountingStep started = session.start_pass();
  constexpr int kThisCall = 1;
  if (uncounted_calls(context) > kThisCall) is_disturbed_ = true;
  if (started.failed()) pass_context_ = nullptr;
  return started;
}

// A graph that is launched while another thread's launch is replayed would not run. So it waits for its turn,
// also if it is not counted, and no replay begins before the call returns.
bool LaunchCounter::begin_graph(const LaunchCall& call, const CUpti_CallbackData& data) {
  // A call that waits disturbs no pass, so it does not count before it has its turn.
  const bool has_turn = !is_over_ && take_turn(kLongestTurnSeconds);
  ++uncounted_calls(data.context);
  if (!has_turn) {
    if (!is_over_) may_have_lost_graph_ = is_disturbed_ = is_over_ = true;
    return false;
  }
  const GraphLaunch launch = graph_launch(data.functionParams);
  RawCountedGraph* const graph = graphs_.find(launch.graph);
  CountingSession* session = is_wanted(call, launch, graph) ? session_of(data.context) : nullptr;
  const bool is_open = range_.graph == graph && range_.session == session;
  if (session != nullptr && !is_open && waits_for_range()) session = nullptr;
  if (session != nullptr) {
    started_ = monotonic_ns();
    const CountingStep started = start_pass(*graph, *session, data.context);
    if (!started.failed()) return true;
    refuse_graphs(started);
  }
  if (is_over_) end();
  ::pthread_mutex_unlock(&turn_);
  return false;
}

void LaunchCounter::keep_graph(RawCountedGraph& graph, CountingSession& session) {
  std::size_t ranges = 0;
  const CountingStep decoded = session.decode(ranges);
  range_ = {};
  if (decoded.failed()) return refuse_graphs(decoded);
  if (ranges != 1) {
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

void LaunchCounter::end_graph(const CUpti_CallbackData& data) {
  const auto* const returned = static_cast<const CUresult*>(data.functionReturnValue);
  const bool was_launched = returned == nullptr || *returned == CUDA_SUCCESS;
  if (functions_.wait_for_context() != CUDA_SUCCESS || !was_launched) is_disturbed_ = true;
  pass_context_ = nullptr;
  CountingSession& session = *range_.session;
  bool is_last = false;
  const CountingStep stopped = session.stop_pass(is_last);
  if (stopped.failed()) {
    refuse_graphs(stopped);
  } else if (is_disturbed_) {
    ++range_.graph->mixed;
    abandon_range();
  } else if (is_last) {
    keep_graph(*range_.graph, session);
  }
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
