// Counts the first launches of the kernels of a plan, in one process. Other launches run as they are. Kernels
// that are nodes of graphs are counted together with the graph: one pass of the counters for each of its
// launches.
#pragma once

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "survey/injected/counting/counting_functions.h"
#include "survey/injected/counting/counting_session.h"
#include "survey/injected/counting/known_graphs.h"
#include "survey/injected/counting/launch_calls.h"
#include "survey/injected/counting/planned_launches.h"
#include "survey/injected/cupti_functions.h"
#include "survey/injected/raw_file.h"
#include "survey/injected/settings.h"

namespace warptune::survey::injected::counting {

/// The counter of this process. There is at most one. It is never destroyed, because CUPTI calls it until the
/// process ends.
class LaunchCounter {
 public:
  /// Creates the stream of this process and asks CUPTI for callbacks. What fails is written into the stream.
  /// Returns null if there is no stream.
  static LaunchCounter* start(const Settings& settings);

  /// Writes what became of the launches. It may be called more than once. It does nothing in a child that the
  /// process forked.
  void finish();
  /// In a child that the process forked, nothing is counted.
  void forget_process() { is_over_ = is_forgotten_ = true; }

 private:
  /// What became of the launches of a kernel. Members may be changed by several threads.
  struct Progress {
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> captured{0};
    std::atomic<std::uint64_t> others{0};
    std::atomic<std::uint32_t> counted{0};
    std::atomic<std::uint32_t> mixed{0};
    std::atomic<bool> is_in_counted_graph{false};
  };
  /// A graph that has some of its passes.
  struct OpenRange {
    collecting::RawCountedGraph* graph = nullptr;  ///< Null if there is none.
    CountingSession* session = nullptr;
    std::uint32_t skipped = 0;  ///< Launches that were not counted since its last pass.
  };
  struct ContextSession {
    CUcontext context = nullptr;
    CountingSession* session = nullptr;  ///< Null if it could not be opened.
  };
  static constexpr std::size_t kMaxContexts = 16;
  static constexpr time_t kLongestTurnSeconds = 60;

  LaunchCounter(const Settings& settings, const CuptiFunctions& cupti);
  /// Returns why nothing can be counted, as a sentence, or null.
  const char* prepare();
  static void CUPTIAPI on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                               const void* data);
  void enter(const LaunchCall& call, CUpti_CallbackId callback, const CUpti_CallbackData& data);
  void leave(const CUpti_CallbackData& data);
  void begin_or_end_capture(const LaunchCall& call, const CUpti_CallbackData& data);
  /// Begins to count a launch. If it returns true, the thread has the turn until the call ends.
  bool begin_kernel(const LaunchCall& call, CUpti_CallbackId callback, const CUpti_CallbackData& data);
  bool begin_graph(const LaunchCall& call, const CUpti_CallbackData& data);
  void end_kernel();
  void end_graph(const CUpti_CallbackData& data);
  /// Waits until no other thread counts a launch. Returns false if that takes too long.
  bool take_turn(time_t longest_s);
  bool is_wanted(const LaunchCall& call, const GraphLaunch& launch, collecting::RawCountedGraph* graph);
  /// Begins a pass of the counters of a graph.
  CountingStep start_pass(collecting::RawCountedGraph& graph, CountingSession& session, CUcontext context);
  void keep_graph(collecting::RawCountedGraph& graph, CountingSession& session);
  void refuse_graphs(const CountingStep& step);
  void abandon_range();
  bool is_complete(std::uint32_t kernel) const;
  /// Whether a launch must leave the profiler to the open range, which is another's.
  bool waits_for_range();
  bool is_in_time() const;
  std::atomic<int>& uncounted_calls(CUcontext context);
  bool write_counted(CountingSession& session, std::uint32_t number);
  /// Whether the launch is one to count now.
  bool is_wanted(const LaunchCall& call, const LaunchForm& form, std::uint32_t kernel);
  bool is_captured(const LaunchCall& call, CUstream stream) const;
  CountingSession* session_of(CUcontext context);
  /// Writes a step's failure once for the process.
  void report(const CountingStep& step);
  void write_problem(const char* text);
  void end_if_complete();
  /// Ends counting: calls are not called back any more. The thread must have its turn.
  void end();

  const Settings settings_;
  const CountingFunctions functions_;
  const char* const problem_;
  RawFile file_;
  PlannedLaunches plan_;
  KnownGraphs graphs_{functions_, plan_};
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_forgotten_{false};
  std::atomic<int> captures_{0};        ///< Captures that have begun and not ended.
  std::atomic<int> graph_launches_{0};  ///< Calls that launch graphs and have not returned.
  /// Calls that launch something uncounted and have not returned. Contexts share the numbers by address.
  std::array<std::atomic<int>, 64> uncounted_calls_{};
  std::atomic<CUcontext> pass_context_{nullptr};  ///< Where a pass of a graph is being counted, or null.
  std::atomic<bool> is_disturbed_{false};         ///< Another launch came to that context.
  std::atomic<bool> may_have_lost_graph_{false};
  std::array<Progress, collecting::counting::kMaxPlannedKernels> progress_{};

  /// The thread that counts a launch has it from the call's begin to its end. It guards what follows.
  pthread_mutex_t turn_ = PTHREAD_MUTEX_INITIALIZER;
  std::array<ContextSession, kMaxContexts> sessions_{};
  std::uint32_t current_ = kNotPlanned;  ///< The kernel that is counted.
  CountingSession* current_session_ = nullptr;
  std::uint64_t started_ = 0;
  std::uint64_t spent_ = 0;
  OpenRange range_;
  bool refuses_graphs_ = false;
  bool has_problem_ = false;
};

}  // namespace warptune::survey::injected::counting
