#include "survey/injected/counting/launch_counter.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "survey/collecting/raw_stream.h"
#include "survey/injected/counting/counting_failures.h"
#include "survey/injected/recorder.h"

namespace warptune::survey::injected::counting {

namespace {

// A launch that other launches disturb is tried again, but not for ever.
constexpr std::uint32_t kMaxMixed = 20;
constexpr time_t kLongestWaitAtExit = 2;  // Seconds.
// What `correlationData` says about a call until it ends.
constexpr std::uint64_t kKernel = 1;
constexpr std::uint64_t kCountedKernel = 2;
constexpr std::uint64_t kGraph = 3;
constexpr std::uint64_t kCountedGraph = 4;

}  // namespace

LaunchCounter::LaunchCounter(const Settings& settings, const CuptiFunctions& cupti)
    : settings_(settings),
      functions_(load_counting_functions(cupti.library)),
      problem_(cupti.problem != nullptr ? cupti.problem : functions_.problem) {}

LaunchCounter* LaunchCounter::start(const Settings& settings) {
  const CuptiFunctions& functions = cupti(settings.cupti.data());
  const collecting::RawHeader header = header_of_this_process(functions);
  void* const memory = std::calloc(1, sizeof(LaunchCounter));
  if (memory == nullptr) return nullptr;
  auto* const counter = new (memory) LaunchCounter(settings, functions);
  if (!counter->file_.create(settings.folder.data(), header, settings.keep_free_bytes)) return nullptr;
  if (const char* const problem = counter->prepare(); problem != nullptr) {
    counter->is_over_ = true;
    counter->write_problem(problem);
  }
  return counter;
}

const char* LaunchCounter::prepare() {
  if (problem_ != nullptr) return problem_;
  if (!plan_.read(settings_.plan.data())) return "The counting plan cannot be read, so nothing was counted.";
  if (functions_.cuptiSubscribe(&subscriber_, on_call, this) != CUPTI_SUCCESS)
    return "CUPTI refuses to count, probably because another profiler uses it.";
  for (const LaunchCall& call : launch_calls())
    functions_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call.callback);
  return nullptr;
}

void LaunchCounter::write_problem(const char* text) {
  file_.write_text(collecting::RawChunk::kProblem, text, std::strlen(text));
}

void LaunchCounter::report(const CountingStep& step) {
  if (has_problem_) return;
  has_problem_ = true;
  if (step.problem != nullptr) return write_problem(step.problem);
  std::array<char, 512> text{};
  const char* name = nullptr;
  functions_.cuptiGetResultString(step.code, &name);
  const char* const reason = reason_of(step.code);
  std::snprintf(text.data(), text.size(), "The counters could not be read%s%s (%s: %s).",
                reason == nullptr ? "" : ": ", reason == nullptr ? "" : reason, step.step,
                name == nullptr ? "unknown error" : name);
  write_problem(text.data());
}

void CUPTIAPI LaunchCounter::on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                                     const void* data) {
  auto& counter = *static_cast<LaunchCounter*>(self);
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || data == nullptr) return;
  const auto& call_data = *static_cast<const CUpti_CallbackData*>(data);
  const LaunchCall* const call = launch_call(callback);
  if (call == nullptr) return;
  const bool enters = call_data.callbackSite == CUPTI_API_ENTER;
  switch (call->kind) {
    case LaunchCallKind::kLaunch:
    case LaunchCallKind::kGraphLaunch:
      return enters ? counter.enter(*call, callback, call_data) : counter.leave(call_data);
    case LaunchCallKind::kGraphInstantiate:
    case LaunchCallKind::kGraphUpdate:
    case LaunchCallKind::kGraphDestroy: {
      const ReadyGraph ready = enters ? ReadyGraph{} : ready_graph(call->kind, call_data);
      return ready.graph == nullptr ? counter.graphs_.forget(ready.executable)
                                    : counter.graphs_.learn(ready.executable, ready.graph);
    }
    case LaunchCallKind::kCaptureBegin:
    case LaunchCallKind::kCaptureEnd:
      return counter.begin_or_end_capture(*call, call_data);
  }
}

bool LaunchCounter::take_turn(time_t longest_s) {
  timespec latest{};
  ::clock_gettime(CLOCK_REALTIME, &latest);
  latest.tv_sec += longest_s;
  return ::pthread_mutex_timedlock(&turn_, &latest) == 0;
}

bool LaunchCounter::is_captured(const LaunchCall& call, CUstream stream) const {
  const auto ask = call.by_thread ? functions_.is_capturing_by_thread : functions_.is_capturing;
  if (ask == nullptr) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return ask(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// Starting the profiler while any thread captures could spoil the capture.
bool LaunchCounter::is_wanted(const LaunchCall& call, const LaunchForm& form, std::uint32_t kernel) {
  Progress& progress = progress_[kernel];
  const collecting::counting::RawPlannedKernel& planned = plan_.kernel(kernel);
  if (form.grid != planned.grid || form.block != planned.block) {
    ++progress.others;
    return false;
  }
  ++progress.launches;
  if (progress.counted >= plan_.plan().launches || progress.mixed >= kMaxMixed) return false;
  if (captures_ > 0 || is_captured(call, form.stream)) {
    ++progress.captured;
    return false;
  }
  return is_in_time();
}

bool LaunchCounter::is_in_time() const {
  const std::uint64_t now = monotonic_ns();
  return now >= settings_.start && (settings_.stop == 0 || now < settings_.stop);
}

CountingSession* LaunchCounter::session_of(CUcontext context) {
  for (ContextSession& known : sessions_) {
    if (known.context == context) return known.session;
    if (known.context != nullptr) continue;
    known.context = context;
    void* const memory = std::malloc(sizeof(CountingSession));
    if (memory == nullptr) return nullptr;
    auto* const session = new (memory) CountingSession(functions_, plan_);
    const CountingStep opened = session->open(context);
    if (opened.failed()) {
      report(opened);
      session->close();
      if (concerns_all_contexts(opened.code)) is_over_ = true;
    } else {
      known.session = session;
    }
    return known.session;
  }
  return nullptr;
}

void LaunchCounter::enter(const LaunchCall& call, CUpti_CallbackId callback, const CUpti_CallbackData& data) {
  const bool is_graph = call.kind == LaunchCallKind::kGraphLaunch;
  if (is_graph) {
    ++graph_launches_;
  } else {
    ++uncounted_calls(data.context);
    if (pass_context_ == data.context) is_disturbed_ = true;
  }
  const bool counts = is_graph ? begin_graph(call, data) : begin_kernel(call, callback, data);
  *data.correlationData = is_graph ? (counts ? kCountedGraph : kGraph) : (counts ? kCountedKernel : kKernel);
  if (counts) --uncounted_calls(data.context);
}

void LaunchCounter::leave(const CUpti_CallbackData& data) {
  const std::uint64_t what = *data.correlationData;
  *data.correlationData = 0;
  if (what == kGraph || what == kCountedGraph) --graph_launches_;
  if (what == kGraph || what == kKernel) --uncounted_calls(data.context);
  if (what == kCountedKernel) end_kernel();
  if (what == kCountedGraph) end_graph(data);
}

bool LaunchCounter::begin_kernel(const LaunchCall& call, CUpti_CallbackId callback,
                                 const CUpti_CallbackData& data) {
  if (is_over_ || data.symbolName == nullptr) return false;
  const std::uint32_t kernel = plan_.kernel_of(data.symbolName);
  if (kernel == kNotPlanned) return false;
  const std::optional<LaunchForm> form = launch_form(callback, data.functionParams);
  if (!form || !is_wanted(call, *form, kernel)) return false;
  // Another thread counts a launch. This one runs uncounted, because waiting could block the program for
  // ever.
  if (::pthread_mutex_trylock(&turn_) != 0) return false;
  started_ = monotonic_ns();
  current_session_ = is_over_ || waits_for_range() ? nullptr : session_of(data.context);
  // Other contexts may have a session. A capture may have begun meanwhile. A graph that another thread
  // launches during a replay would not run.
  if (current_session_ == nullptr || captures_ > 0 || graph_launches_ > 0) {
    if (is_over_) end();
    ::pthread_mutex_unlock(&turn_);
    return false;
  }
  const CountingStep started = current_session_->start();
  if (started.failed()) {
    report(started);
    end();
    ::pthread_mutex_unlock(&turn_);
    return false;
  }
  current_ = kernel;
  return true;
}

bool LaunchCounter::write_counted(CountingSession& session, std::uint32_t number) {
  session.record()->kernel = number;
  bool written = file_.open(true);
  if (written) {
    written = file_.write(collecting::RawChunk::kCounted, 1, session.record(), session.record_bytes());
    file_.close();
  }
  if (written) return true;
  report({CUPTI_SUCCESS, nullptr, "There is too little space for the counters of further launches."});
  is_over_ = true;
  return false;
}

void LaunchCounter::end_kernel() {
  std::size_t ranges = 0;
  const CountingStep stopped = current_session_->stop(ranges);
  Progress& progress = progress_[current_];
  if (stopped.failed()) {
    report(stopped);
    is_over_ = true;
  } else if (ranges != 1) {
    ++progress.mixed;
  } else if (write_counted(*current_session_, current_)) {
    ++progress.counted;
  }
  spent_ += monotonic_ns() - started_;
  end_if_complete();
  if (is_over_) {
    current_session_->close();
    end();
  }
  ::pthread_mutex_unlock(&turn_);
}

// A call back costs each launch a microsecond.
void LaunchCounter::end() {
  is_over_ = true;
  for (const LaunchCall& call : launch_calls())
    functions_.cuptiEnableCallback(0, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call.callback);
}

bool LaunchCounter::is_complete(std::uint32_t kernel) const {
  return progress_[kernel].counted >= plan_.plan().launches || progress_[kernel].is_in_counted_graph;
}

void LaunchCounter::end_if_complete() {
  const collecting::counting::RawPlan& plan = plan_.plan();
  std::uint32_t complete = 0;
  while (complete < plan.kernels && is_complete(complete)) ++complete;
  if (complete == plan.kernels) is_over_ = true;
  if (is_over_ || plan.longest_ns == 0 || spent_ < plan.longest_ns) return;
  is_over_ = true;
  if (!has_problem_)
    write_problem("Counting took so long that it was ended before all launches were counted.");
  has_problem_ = true;
}

void LaunchCounter::finish() {
  if (is_forgotten_) return;
  is_over_ = true;
  std::array<collecting::RawCountedTotals, collecting::counting::kMaxPlannedKernels> totals{};
  const std::uint32_t kernels = plan_.plan().kernels;
  for (std::uint32_t i = 0; i < kernels; ++i) {
    const Progress& progress = progress_[i];
    totals[i] = {i, progress.counted, progress.launches, progress.captured, progress.mixed, progress.others};
  }
  if (kernels == 0 || !take_turn(kLongestWaitAtExit)) return;
  if (may_have_lost_graph_ && !has_problem_)
    write_problem("A CUDA graph was launched while another launch was counted, so it may not have run.");
  std::array<collecting::RawCountedGraph, KnownGraphs::kMaxGraphs> graphs{};
  const std::size_t graph_count = graphs_.copy_to(graphs);
  if (file_.open()) {
    file_.write(collecting::RawChunk::kCountedTotals, kernels, totals.data(), kernels * sizeof(totals[0]));
    file_.write(collecting::RawChunk::kCountedGraphs, static_cast<std::uint32_t>(graph_count), graphs.data(),
                graph_count * sizeof(graphs[0]));
    file_.close();
  }
  ::pthread_mutex_unlock(&turn_);
}

}  // namespace warptune::survey::injected::counting
