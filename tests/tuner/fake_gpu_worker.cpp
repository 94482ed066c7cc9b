// `fake_gpu_worker worker gpu DESCRIPTOR NAME`: a GPU worker for tests without a GPU.
//
// The parameter DO of a configuration says what happens when it is evaluated:
//
//   measure         an ordinary measurement
//   keep_counters   the counters are kept until the session closes
//   disturbed       the first count is disturbed
//   die             the worker ends
//   hang            the worker never answers
//   fault           the worker reports a fault, then ends
//   fail            the worker reports an error of the session
//   babble          the worker sends bytes that are not a message
//   print           prints to standard output before the measurement
//   print_and_die   prints, then ends
//   crawl           takes half a second
//   hang_in_finals        the worker never answers while it times finalists
//   die_in_finals         the worker ends while it times finalists
//   slow_in_finals        10 ns slower in the final rounds than any other
//   hang_in_confirmation  the worker never answers while it confirms the configuration
//   crawl_in_confirmation confirming takes four launches of 0.4 s
//
// What a worker must never do:
//
//   twice                  answers twice
//   another                answers with another evaluation
//   counters_of_another    sends counters of another evaluation
//   count_unasked          sends a count without a request
//   closed_unasked         sends closed counters without a request
//   ready_again            sends `ready` again
//   roofs_again            sends roofs again
//   results_unasked        asks whether results are right, without a request
//   results_without_end    asks that without end
//   talk                   sends warnings without end
//   flood                  sends answers without end
//   huge                   announces a message of 2^63 bytes
//   nested                 sends five million nested lists
//
// Environment variables:
//
//   FAKE_SET_UP_DIES              it ends when it is set up
//   FAKE_SET_UP_DIES_ON=N         the worker of GPU N ends when it is set up
//   FAKE_EVALUATION_DIES_ON=N     the worker of GPU N ends when it evaluates
//   FAKE_ROOFS_DIE                it ends when it is asked to measure roofs
//   FAKE_SESSION_WITHOUT_ROOFS    it has no roofs to tell in a session
//   FAKE_SET_UP_HANGS             setting it up never ends
//   FAKE_REFERENCE_FAILS=TEXT     the reference fails if the kernel's path contains TEXT
//   FAKE_SAMPLING_DIES            it ends when it is asked to sample lines
//   FAKE_LAUNCH_FAILS=REASON      a launch for a request in a file fails
//   FAKE_LAUNCH_BY=PROGRAM        another worker program answers a request in a file
//   FAKE_LAUNCHED=FILE            the number of SMs in a request in a file is written there
//   FAKE_TRACING_DIES             it ends when it is asked to trace steps
//   FAKE_TRACE_IS_WRONG           the steps that it traces do not fit each other
//   FAKE_OTHER_VERSION            it uses another version of the protocol
//   WARPTUNE_FAKE_OTHER_RELEASE=VERSION   it says that it is this version of warptune
//   WARPTUNE_FAKE_COMPILE_FAILS   as a compile worker it rejects everything except the reference
//   WARPTUNE_FAKE_COMPILE_HANGS   as a compile worker it never answers
//   WARPTUNE_FAKE_COMPILE_IS_REAL   as a compile worker it compiles
//   WARPTUNE_FAKE_EMULATION_HANGS   as a worker that emulates it never answers
//   WARPTUNE_FAKE_COMPILE_LIES    as a compile worker it answers without the requested entries
//   FAKE_ENVIRONMENT="DRIVER NVRTC MHZ REASONS"   what it says of its environment, as in "13000 13000 1980
//   0x0" FAKE_INTERLEAVES_FEWER        it times one finalist fewer than it was given
//   FAKE_CONFIRM_DIES_ONCE=FILE   it ends when it confirms a configuration, unless FILE exists; it makes FILE
//   FAKE_FINALS_ASK               timing finalists, it asks the program about results in which each byte is 7
//   FAKE_CONTENTS_TO=FILE         the contents that it is given are written there
//   FAKE_OUTPUT_DIGEST=N          all launches of each finalist give outputs with this digest
//   FAKE_DIFFERING_LAUNCHES=N     except for so many of 14
//   FAKE_OTHER_BITS_FROM=N        another digest, if the first parameter of the finalist is at least N
//
// Where it is given files for results, each byte of them becomes the value of the first parameter, and it
// asks whether that is right.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "tuner/protocol/codec.h"
#include "tuner/protocol/message_channel.h"
#include "tuner/workers/compiling/compile_worker.h"
#include "tuner/workers/launch_worker.h"

namespace {

using namespace warptune;  // NOLINT(google-build-using-namespace)
using tuner::protocol::MessageChannel;
namespace protocol = tuner::protocol;

const char* variable(const char* name) { return std::getenv(name); }

model::Counters bits_of(const model::NamedValues& configuration, const char* output_digest) {
  const char* const from = variable("FAKE_OTHER_BITS_FROM");
  const bool is_other =
      from != nullptr && std::get<std::int64_t>(configuration.front().second) >= std::atoll(from);
  const char* const differing = variable("FAKE_DIFFERING_LAUNCHES");
  return {{"compared_launches", 14.0},
          {"differing_launches", differing == nullptr ? 0.0 : std::atof(differing)},
          {"input_digest", 1.0},
          {"output_digest", std::atof(output_digest) + (is_other ? 1.0 : 0.0)}};
}

model::Environment environment() {
  model::Environment found;
  const char* const text = variable("FAKE_ENVIRONMENT");
  if (text == nullptr) return found;
  std::istringstream words(text);
  int driver = 0;
  words >> driver >> found.nvrtc_version >> found.sm_clock_mhz >> found.throttle_reasons >>
      found.driver_release;
  found.driver_version = driver;
  return found;
}

std::string action_of(const model::NamedValues& configuration) {
  const model::Value* action = model::find(configuration, "DO");
  return action == nullptr ? "measure" : std::get<std::string>(*action);
}

class FakeWorker {
 public:
  FakeWorker(MessageChannel& channel, std::string name) : channel_(channel), name_(std::move(name)) {}

  std::optional<tuner::protocol::Message> receive() {
    if (early_.empty()) return channel_.receive();
    std::optional<tuner::protocol::Message> message = std::move(early_.front());
    early_.pop_front();
    return message;
  }

  bool answer(const tuner::protocol::Message& message) {
    return std::visit([this](const auto& held) { return take(held); }, message);
  }

 private:
  // Whether the environment variable names the GPU of this worker.
  bool is_named_by(const char* name) const {
    return variable(name) != nullptr && name_ == std::string("gpu ") + variable(name);
  }

  bool send_counters(std::uint64_t id, bool closed, double value = 1.0, bool disturbed = false) {
    return channel_.send(tuner::protocol::CountersRead{{{id, {{"one", value}}, disturbed}}, closed});
  }

  bool take(const tuner::protocol::ListGpus&) {
    return channel_.send(tuner::protocol::GpusListed{{model::fictional_gpu()}, ""});
  }

  // One reading fewer than the roofs, and the reason.
  bool take(const tuner::protocol::MeasureRoofs&) {
    if (variable("FAKE_ROOFS_DIE") != nullptr) return false;
    return channel_.send(
        tuner::protocol::RoofsMeasured{{{"read", 4.3e12, 0.001, 1980.0, 1700000000000, 13000},
                                        {"fp32", 6e13, 0.002, 1980.0, 1700000000000, 13000},
                                        {"host_to_device_pinned", 5.5e10, 0.001, {}, 1700000000000, 13000},
                                        {"launch", 2.5e-6, 0.01, {}, 1700000000000, 13000}},
                                       {"no tensor roof: it is a fake"}});
  }

  // Two lines of the kernel's source, and other lines that machine code may name.
  bool take(const tuner::protocol::SampleHotLines& message) {
    if (variable("FAKE_SAMPLING_DIES") != nullptr) return false;
    profiling::HotLines lines;
    lines.lines.resize(2);
    lines.lines[0].line = {message.kernel, 2};
    lines.lines[0].samples = 30;
    lines.lines[0].stalls = {{"barrier", 30}};
    lines.lines[1].line = {"none.cu", 1};
    lines.lines[1].samples = 10;
    lines.samples = 40;
    if (const char* file = variable("FAKE_SAMPLED_FILE")) lines.lines[1].line = {file, 1};
    return channel_.send(tuner::protocol::HotLinesSampled{lines});
  }

  // Ten runs of one copy and one kernel, one after the other on stream 0.
  bool take(const tuner::protocol::TraceSteps&) {
    if (variable("FAKE_TRACING_DIES") != nullptr) return false;
    using profiling::tracing::StepKind;
    using profiling::tracing::StepMemory;
    profiling::tracing::ProgramTimeline program;
    program.timed_by_host = true;
    program.steps = {{StepKind::kCopy, "x_host to x", 0, 8000000, StepMemory::kPageable, StepMemory::kDevice},
                     {StepKind::kLaunch, "twice", 0, 0}};
    program.kernels = {{"twice", {1000, 1, 1}, {256, 1, 1}, {0, 0, 0}, 32, 0, 0, 0}};
    profiling::tracing::ProgramRun run{1060000, {{0, 1005000}, {1006000, 1009000}}, {}};
    run.work = {{0, std::nullopt, {5000, 1000000}}, {1, 0, {1010000, 1050000}}};
    program.runs.assign(10, run);
    if (variable("FAKE_TRACE_IS_WRONG") != nullptr) program.runs.back().work.back().step = 2;
    return channel_.send(tuner::protocol::StepsTraced{program});
  }

  bool take(const tuner::protocol::PrepareGpu& message) {
    roofs_ = message.roofs;
    if (roofs_.empty() && variable("FAKE_SESSION_WITHOUT_ROOFS") == nullptr)
      roofs_ = {{"copy", 4.2e12, 0.001, 1980.0, 1, 13000}};
    return true;
  }

  bool take(const tuner::protocol::SetUp& message) {
    kernel_ = message.kernel;
    contents_ = message.contents;
    if (const char* file = variable("FAKE_CONTENTS_TO")) write_contents(file);
    if (variable("FAKE_SET_UP_HANGS") != nullptr) std::this_thread::sleep_for(std::chrono::hours(1));
    return variable("FAKE_SET_UP_DIES") == nullptr && !is_named_by("FAKE_SET_UP_DIES_ON");
  }

  bool take(const tuner::protocol::Begin&) {
    const char* failing = variable("FAKE_REFERENCE_FAILS");
    if (failing != nullptr && kernel_.find(failing) != std::string::npos)
      throw base::InputError("the reference fails: a fake's", {"fake.cu", 0, 0});
    return channel_.send(tuner::protocol::Ready{roofs_, environment()});
  }

  bool take(const tuner::protocol::Evaluate& message) {
    if (is_named_by("FAKE_EVALUATION_DIES_ON")) return false;
    const std::string action = action_of(message.configuration);
    channel_.send(tuner::protocol::Begun{message.id});
    if (action == "die") ::_exit(9);
    if (action == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (action == "crawl") std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (action == "fail") throw base::MachineError("the GPU fell off the bus", "");
    if (action == "babble") return write_raw(std::string("\3\0\0\0\0\0\0\0abc", 11));
    if (action.starts_with("print"))
      write_out("x = \x1b[31m7\n" + std::string(action == "print_and_die" ? 9000 : 0, 'y'));
    if (action == "print_and_die") ::_exit(9);
    if (!misbehave(action, message)) return false;
    const bool fault = action == "fault";
    model::Measurement measurement = measured(message, fault);
    if (const std::optional<std::string> wrong = wrong_results(message.configuration)) {
      measurement.status = model::Status::kWrongResult;
      measurement.reason = *wrong;
    }
    const bool counted = action != "leave_uncounted";
    channel_.send(tuner::protocol::Evaluated{message.id, std::move(measurement), counted, true});
    if (!counted) return true;
    if (action == "twice")
      channel_.send(tuner::protocol::Evaluated{message.id, measured(message, false), true, true});
    if (action == "keep_counters") {  // They would arrive when the session closes.
      kept_.push_back(message.id);
      return true;
    }
    if (action == "disturbed") return send_counters(message.id, false, 666.0, true);
    if (!fault) return send_counters(message.id, false);
    channel_.send(tuner::protocol::ContextLost{});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // The message arrives well before the end.
    return false;
  }

  void write_contents(const char* file) const {
    std::ofstream out(file);
    for (const kernel_templates::GivenContents& one : contents_) {
      out << one.argument << ' ' << kernel_templates::to_string(one.role) << ' ' << one.type << ' ';
      if (one.role != kernel_templates::ContentsRole::kResult)
        out << std::ifstream(one.file, std::ios::binary).rdbuf();
      out << '\n';
    }
  }

  // Writes results and asks whether they are right. Returns why not.
  std::optional<std::string> wrong_results(const model::NamedValues& configuration) {
    bool any = false;
    for (const kernel_templates::GivenContents& one : contents_) {
      if (one.role != kernel_templates::ContentsRole::kResult) continue;
      const auto value = static_cast<char>(std::get<std::int64_t>(configuration.front().second));
      kernel_templates::write_result(one.file,
                                     std::vector<char>(std::filesystem::file_size(one.file), value));
      any = true;
    }
    if (!any) return std::nullopt;
    channel_.send(tuner::protocol::ResultsWritten{});
    while (std::optional<tuner::protocol::Message> message = channel_.receive()) {
      const auto* const judged = std::get_if<tuner::protocol::Judged>(&*message);
      if (judged != nullptr) return judged->right ? std::nullopt : std::optional(judged->reason);
      early_.push_back(std::move(*message));
    }
    return "the coordinator is gone";
  }

  static model::Measurement measured(const tuner::protocol::Evaluate& message, bool fault) {
    model::Measurement measurement;
    measurement.configuration = message.configuration;
    measurement.status = fault ? model::Status::kLaunchFailed : model::Status::kMeasured;
    measurement.reason = fault ? "illegal address" : "";
    if (action_of(message.configuration) == "long_reason") measurement.reason = std::string(1 << 20, 'x');
    measurement.time = {100.0, 99.0, 101.0};
    if (action_of(message.configuration) == "negative_time") measurement.time->median_ns = -1.0;
    if (action_of(message.configuration) == "forge") {
      measurement.source = model::RowSource::kReplayed;
      measurement.counters = {{"verified_launches", 300.0}, {"spill_bytes", 8.0}};
    }
    static double energy_j = 0.0;
    if (variable("FAKE_ENERGY") != nullptr) measurement.counters = {{"energy_j", energy_j += 1.0}};
    return measurement;
  }

  bool write_raw(const std::string& bytes) const {
    return ::write(channel_.descriptor(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }

  static void write_out(const std::string& text) {
    if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) std::abort();
  }

  // Does what no worker may do. Returns false when the other end does not listen any more.
  bool misbehave(const std::string& action, const tuner::protocol::Evaluate& message) {
    const auto for_ever = [&](const tuner::protocol::Message& sent) {
      while (channel_.send(sent)) {
      }
      return false;
    };
    if (action == "another")
      return channel_.send(tuner::protocol::Evaluated{message.id + 7, measured(message, false), true, true});
    if (action == "counters_of_another") return send_counters(message.id + 7, false);
    if (action == "count_unasked") return channel_.send(tuner::protocol::Counted{message.id});
    if (action == "ready_again") return channel_.send(tuner::protocol::Ready{roofs_, environment()});
    if (action == "closed_unasked") return channel_.send(tuner::protocol::CountersRead{{}, true});
    if (action == "roofs_again") return channel_.send(tuner::protocol::RoofsMeasured{roofs_, {}});
    if (action == "results_unasked") return channel_.send(tuner::protocol::ResultsWritten{});
    if (action == "results_without_end") return for_ever(tuner::protocol::ResultsWritten{});
    if (action == "talk") return for_ever(tuner::protocol::Warning{"listen"});
    if (action == "flood")
      return for_ever(tuner::protocol::Evaluated{message.id + 7, measured(message, false), true, true});
    if (action == "huge") return write_raw(std::string("\0\0\0\0\0\0\0\x80", 8));
    if (action == "nested") return send_nested();
    return true;
  }

  // A message of nested lists with one item each.
  bool send_nested() const {
    const std::string lists(5'000'000, '\x81');
    std::string bytes;
    for (const std::uint64_t length : {lists.size() + 8, lists.size()}) {
      for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(length >> (8 * i) & 0xFFU));
    }
    bytes += lists;
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count = ::write(channel_.descriptor(), bytes.data() + at, bytes.size() - at);
      if (count <= 0) return false;
      at += static_cast<std::size_t>(count);
    }
    return true;
  }

  bool take(const tuner::protocol::Count& message) {
    return channel_.send(tuner::protocol::Counted{message.id}) && send_counters(message.id, false);
  }

  bool take(const tuner::protocol::CloseCounters& message) {
    if (!message.may_begin) kept_.clear();
    for (const std::uint64_t id : std::exchange(kept_, {})) send_counters(id, false);
    return channel_.send(tuner::protocol::CountersRead{{}, true});
  }

  bool take(const tuner::protocol::Interleave& message) {
    if (variable("FAKE_FINALS_ASK") != nullptr) wrong_results({{"A", std::int64_t{7}}});
    tuner::protocol::Interleaved answer;
    for (const tuner::protocol::Finalist& finalist : message.finalists) {
      const std::string action = action_of(finalist.configuration);
      const bool is_launched = channel_.send(tuner::protocol::Begun{answer.timings.size()});
      if (!is_launched || action == "die" || action == "die_in_finals") ::_exit(9);
      if (action == "hang_in_finals") std::this_thread::sleep_for(std::chrono::hours(1));
      profiling::timing::FinalistTiming& timing = answer.timings.emplace_back();
      for (int round = 1; round <= message.rounds; ++round)
        timing.samples_ns.push_back((action == "slow_in_finals" ? 11.0 : 1.0) + (round - 1) % 3);
      if (const char* digest = variable("FAKE_OUTPUT_DIGEST"))
        timing.bits = bits_of(finalist.configuration, digest);
      if (action == "forge") timing.errors = {{"verified_launches", 300.0}, {"error_max_ulp", 1.0}};
      if (action == "forge") timing.bits = {{"verified_launches", 300.0}, {"output_digest", 7.0}};
      if (action == "extra_time") timing.samples_ns.push_back(1.0);
      if (action == "negative_time") timing.samples_ns.front() = -1.0;
      if (action == "faultless") timing.fault = model::Rejection{model::Status::kMeasured, ""};
    }
    if (variable("FAKE_INTERLEAVES_FEWER") != nullptr) answer.timings.pop_back();
    return channel_.send(answer);
  }

  bool take(const tuner::protocol::Confirm& message) {
    const std::string action = action_of(message.finalist.configuration);
    const int launches = action == "boast" || action == "idle" ? 0 : 30;
    for (int i = 0; i < launches; ++i) {
      if (!channel_.send(tuner::protocol::Begun{0}) || action == "die") ::_exit(9);
      if (action == "hang_in_confirmation") std::this_thread::sleep_for(std::chrono::hours(1));
      if (action == "crawl_in_confirmation" && i < 4)
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }
    const char* const file = variable("FAKE_CONFIRM_DIES_ONCE");
    if (file != nullptr && !std::filesystem::exists(file)) {
      std::ofstream(file) << "it has ended\n";
      ::_exit(9);
    }
    tuner::protocol::Confirmed answer;
    answer.confirmation.launches = action == "idle" ? 0 : 30;
    return channel_.send(answer);
  }

  bool take(const tuner::protocol::Compile& message) {
    if (variable("WARPTUNE_FAKE_COMPILE_HANGS") != nullptr)
      std::this_thread::sleep_for(std::chrono::hours(1));
    if (variable("WARPTUNE_FAKE_COMPILE_IS_REAL") != nullptr)
      return channel_.send(tuner::workers::compiling::answer_compile(message, 0));
    const bool is_reference = message.request.source.find("reference") != std::string::npos;
    if (variable("WARPTUNE_FAKE_COMPILE_FAILS") != nullptr && !is_reference)
      return channel_.send(tuner::protocol::Rejected{{model::Status::kCompileFailed, "a fake's"}});
    tuner::protocol::Compiled compiled;
    if (variable("WARPTUNE_FAKE_COMPILE_LIES") == nullptr) {
      for (const std::string& entry : message.request.entries)
        compiled.compiled.entries.push_back({entry, entry});
      for (const std::string& name : message.request.variables)
        compiled.compiled.variables.push_back({name, name});
    }
    return channel_.send(compiled);
  }

  bool take(const tuner::protocol::Emulate&) {
    if (variable("WARPTUNE_FAKE_EMULATION_HANGS") != nullptr)
      std::this_thread::sleep_for(std::chrono::hours(1));
    return false;
  }

  template <class Other>
  bool take(const Other&) {
    return false;
  }

  MessageChannel& channel_;
  std::string name_;
  std::vector<model::RoofReading> roofs_;
  std::string kernel_;
  std::vector<kernel_templates::GivenContents> contents_;
  std::deque<tuner::protocol::Message> early_;  // Arrived while an answer was awaited.
  std::vector<std::uint64_t> kept_;             // Counters that arrive when the session closes.
};

// `fake_gpu_worker worker launch FILE NAME`: answers the request in the file as `workers::launch_from_file`
// does.
int launch_from_file(const char* file) {
  std::stringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  const auto message = tuner::protocol::decode(bytes.str());
  if (!message || !std::holds_alternative<tuner::protocol::LaunchOnce>(*message)) return 2;
  if (const char* told = variable("FAKE_LAUNCHED"))
    std::ofstream(told) << std::get<tuner::protocol::LaunchOnce>(*message).gpu.sm_count;
  const char* const problem = variable("FAKE_LAUNCH_FAILS");
  std::ofstream(tuner::workers::answer_file(file), std::ios::binary)
      << tuner::protocol::encode(tuner::protocol::LaunchedOnce{problem == nullptr ? "" : problem});
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 5) return 2;
  if (std::string(arguments[2]) == "launch") {
    if (const char* program = variable("FAKE_LAUNCH_BY")) ::execv(program, arguments);
    return launch_from_file(arguments[3]);
  }
  tuner::protocol::Hello greeting;
  if (variable("FAKE_OTHER_VERSION") != nullptr) ++greeting.version;
  if (const char* release = variable("WARPTUNE_FAKE_OTHER_RELEASE")) greeting.warptune = release;
  MessageChannel channel{tuner::protocol::FileDescriptor(std::atoi(arguments[3])), greeting};
  FakeWorker worker(channel, arguments[4]);
  while (const std::optional<tuner::protocol::Message> message = worker.receive()) {
    try {
      if (!worker.answer(*message)) return 1;
    } catch (const std::exception& error) {
      channel.send(tuner::protocol::failure_of(error));
    }
  }
  return 0;
}
