#include "tests/survey/synthetic_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace warptune::survey::testing {

using namespace records;

namespace {

constexpr Index kProcesses = 2;
constexpr Index kStreams = 2;  // In each process, with as many threads.
constexpr Index kKernels = 40;
constexpr std::size_t kLayer = 20;          // Launches of a thread in the innermost range.
constexpr std::size_t kStep = 20 * kLayer;  // Those in the outermost range.

// The program as it runs: what one thread does next begins when the thread is free.
class Program {
 public:
  explicit Program(std::uint32_t seed) : random_(seed) {
    survey_.run.command = {"python", "train.py", "--epochs", "2"};
    survey_.run.host_system = "Linux 6.8 x86_64";
    survey_.run.started_ms = 1'700'000'000'000;
    survey_.run.warptune_version = "1.0";
    survey_.run.exit_code = 0;
    for (Index i = 0; i < kKernels; ++i)
      survey_.names.push_back(fmt::format(
          "void at::native::vectorized_elementwise_kernel<{}, at::native::Functor{}<float>>(int, float)",
          1U << i % 4, i));
    for (const char* name :
         {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync", "step", "layer", "operator"})
      survey_.names.emplace_back(name);
    for (Index i = 0; i < kKernels; ++i) add_shape(i);
    for (Index i = 0; i < kProcesses; ++i) add_process(i);
  }

  Survey finish(std::size_t launches) {
    for (std::size_t i = 0; i < launches; ++i) step(i);
    for (std::size_t t = 0; t < free_.size(); ++t)
      for (const std::size_t range : open_[t]) survey_.ranges[range].time.end = free_[t];
    order();
    return std::move(survey_);
  }

 private:
  void add_shape(Index i) {
    KernelShape shape;
    shape.name = i;
    shape.grid = {64 * (i + 1), 1 + i % 3, 1};
    shape.block = {128U << i % 3, 1, 1};
    shape.registers = 16 + 4 * i;
    shape.static_shared = 1024 * (i % 4);
    survey_.shapes.push_back(shape);
  }

  void add_process(Index i) {
    Device device;
    device.gpu = model::fictional_gpu();
    device.uuid = fmt::format("GPU-0000-{}", i);
    survey_.devices.push_back(device);
    Process process;
    process.pid = 4000 + i;
    process.command = "python train.py --epochs 2";
    process.driver_version = process.cupti_version = 13000;
    survey_.processes.push_back(process);
    for (Index s = 0; s < kStreams; ++s)
      survey_.streams.push_back(
          {.process = i, .device = i, .context = 1, .number = 7 + s, .is_default = s == 0});
  }

  std::int64_t varied(std::int64_t usual) {
    return static_cast<std::int64_t>(static_cast<double>(usual) * spread_(random_)) + 1;
  }

  Index name(Index after_kernels) const { return kKernels + after_kernels; }

  // One launch by one of the threads, with its call.
  void step(std::size_t i) {
    const auto thread = static_cast<Index>(i % free_.size());
    const std::size_t nth = i / free_.size();
    mark(thread, nth);
    const auto kernel = static_cast<Index>(nth * 7 % kKernels);
    Launch launch;
    work(thread, CallKind::kLaunch, name(0), 4500, 3000 + 900 * std::int64_t{kernel}, launch);
    launch.shape = kernel;
    survey_.launches.push_back(launch);
    if (nth % 40 == 39) copy(thread);
    if (nth % 200 == 199) {
      Fill fill;
      work(thread, CallKind::kFill, name(2), 3000, 2000, fill);
      fill.bytes = 1 << 20;
      fill.destination = MemoryKind::kDevice;
      survey_.fills.push_back(fill);
    }
  }

  void copy(Index thread) {
    Copy copy;
    work(thread, CallKind::kCopy, name(1), 6000, 40000, copy);
    copy.bytes = 2 << 20;
    copy.direction = CopyDirection::kHostToDevice;
    copy.source = MemoryKind::kPinned;
    copy.destination = MemoryKind::kDevice;
    copy.asynchronous = true;
    survey_.copies.push_back(copy);
  }

  // A call of a thread, and the activity that it gives to the stream of the same number.
  void work(Index thread, CallKind kind, Index call_name, std::int64_t call_ns, std::int64_t work_ns,
            Activity& activity) {
    Call call;
    call.time.start = free_[thread] + varied(2500);
    call.time.end = call.time.start + varied(call_ns);
    call.process = thread / kStreams;
    call.thread = 4000 + call.process + 10 * (thread % kStreams);
    call.name = call_name;
    call.kind = kind;
    free_[thread] = call.time.end;
    activity.time.start = std::max(busy_[thread], call.time.end + 1500);
    activity.time.end = activity.time.start + varied(work_ns);
    busy_[thread] = activity.time.end;
    // The queue of a stream is limited: the thread waits until the GPU has nearly caught up.
    free_[thread] = std::max(free_[thread], busy_[thread] - 2'000'000);
    activity.stream = thread;
    activity.call = static_cast<Index>(survey_.calls.size());
    survey_.calls.push_back(call);
  }

  // Ends and begins the NVTX ranges of a thread.
  void mark(Index thread, std::size_t nth) {
    const std::array<std::size_t, 3> lengths{kStep, kLayer, 5};
    for (std::size_t depth = 0; depth < lengths.size(); ++depth) {
      if (nth % lengths[depth] != 0) continue;
      if (nth > 0) survey_.ranges[open_[thread][depth]].time.end = free_[thread];
      open_[thread][depth] = survey_.ranges.size();
      Range range;
      range.time = {free_[thread] + 1, free_[thread] + 1};
      range.process = thread / kStreams;
      range.thread = 4000 + range.process + 10 * (thread % kStreams);
      range.name = name(3 + static_cast<Index>(depth));
      survey_.ranges.push_back(range);
      free_[thread] += 1;
    }
  }

  // Brings the rows into the order of their start, and the processes' and the run's times up to date.
  void order() {
    const auto earlier = [](const auto& one, const auto& other) { return one.time.start < other.time.start; };
    std::vector<Index> places(survey_.calls.size());
    for (Index i = 0; i < places.size(); ++i) places[i] = i;
    std::stable_sort(places.begin(), places.end(), [&](Index one, Index other) {
      return survey_.calls[one].time.start < survey_.calls[other].time.start;
    });
    std::vector<Index> moved(places.size());
    for (Index i = 0; i < places.size(); ++i) moved[places[i]] = i;
    for (auto& launch : survey_.launches) launch.call = moved[launch.call];
    for (auto& copy : survey_.copies) copy.call = moved[copy.call];
    for (auto& fill : survey_.fills) fill.call = moved[fill.call];
    std::stable_sort(survey_.launches.begin(), survey_.launches.end(), earlier);
    std::stable_sort(survey_.copies.begin(), survey_.copies.end(), earlier);
    std::stable_sort(survey_.fills.begin(), survey_.fills.end(), earlier);
    std::stable_sort(survey_.calls.begin(), survey_.calls.end(), earlier);
    std::stable_sort(survey_.ranges.begin(), survey_.ranges.end(), earlier);
    survey_.run.duration = *std::max_element(busy_.begin(), busy_.end()) + 1'000'000;
    survey_.run.window = {0, survey_.run.duration};
    for (Process& process : survey_.processes) process.time = survey_.run.window;
  }

  Survey survey_;
  std::mt19937 random_;
  std::lognormal_distribution<double> spread_{0.0, 0.1};
  std::array<std::int64_t, std::size_t{kProcesses} * kStreams> free_{};  ///< When each thread can go on.
  std::array<std::int64_t, std::size_t{kProcesses} * kStreams> busy_{};  ///< When each stream is free.
  std::array<std::array<std::size_t, 3>, std::size_t{kProcesses} * kStreams> open_{};  ///< The open ranges.
};

}  // namespace

Survey synthetic_survey(std::size_t launches, std::uint32_t seed) { return Program(seed).finish(launches); }

Survey small_survey() {
  Survey survey;
  survey.run.command = {"./app", "--name", "</script><b>\"x\"</b>"};
  survey.run.duration = 5'000'000'000;
  survey.run.signal = 11;
  survey.run.window = {1'000, 4'000'000'000};
  survey.run.range = "step";
  survey.run.host_system = "Linux 6.8 x86_64";
  survey.run.started_ms = 1'764'000'000'000;
  survey.run.warptune_version = "1.0";
  survey.run.problem = "The program loaded <i>no</i> CUDA at first.";
  survey.names = {"void sum<float, 4>(float const*, float*)", "cudaLaunchKernel",
                  "<img src=x onerror=alert(1)>", "Größe \xE2\x82\xAC", "cudaMemcpy"};
  Device device;
  device.gpu = model::fictional_gpu();
  device.gpu.ecc = true;
  device.uuid = "GPU-12345678";
  survey.devices = {device};
  Process process{.pid = 77,
                  .command = "./app --name </script>",
                  .time = {10, 4'000'000'000},
                  .end = ProcessEnd::kKilled,
                  .driver_version = 13000,
                  .cupti_version = 130000,
                  .dropped = 3,
                  .left_out = 5,
                  .problem = "CUPTI lost records."};
  survey.processes = {process};
  survey.streams = {{.process = 0, .device = 0, .context = 1, .number = 7, .is_default = true},
                    {.process = 0, .device = 0, .context = 1, .number = 13, .is_default = false}};
  survey.shapes = {{.name = 0,
                    .grid = {256, 2, 1},
                    .block = {32, 8, 1},
                    .registers = 40,
                    .static_shared = 4096,
                    .dynamic_shared = 8192,
                    .local_bytes = 16,
                    .cluster = {2, 1, 1}},
                   {.name = 2, .grid = {1, 1, 1}, .block = {1, 1, 1}}};
  survey.calls = {{{-500, 4'000}, 0, 77, 1, CallKind::kLaunch},
                  {{5'000, 900'000}, 0, 78, 4, CallKind::kCopy},
                  {{6'000, 6'000}, 0, 77, 1, CallKind::kLaunch}};
  survey.launches = {{{{8'000, 108'000}, 0, 0, 0}, 0},
                     {{{9'000, 9'000}, 1, kNone, 3}, 1},
                     {{{200'000, 210'000}, 0, 2, 0}, 0}};
  survey.copies = {{{{100'000, 190'000}, 1, 1, 0},
                    1'000'000,
                    CopyDirection::kHostToDevice,
                    MemoryKind::kPageable,
                    MemoryKind::kDevice,
                    true}};
  survey.fills = {{{{110'000, 112'000}, 0, kNone, 0}, 4'096, MemoryKind::kDevice}};
  survey.ranges = {{{-600, 950'000}, 0, 77, 3}, {{5'500, 7'000}, 0, 77, 2}};
  survey.unlisted = {{.process = 0, .shape = 1, .count = 9'000'000'000, .duration = 123'456'789'012}};
  return survey;
}

}  // namespace warptune::survey::testing
