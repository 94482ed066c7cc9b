#include "tests/survey/survey_builder.h"

#include <algorithm>

namespace warptune::survey {

using records::Call;
using records::CallKind;
using records::Copy;
using records::CopyDirection;
using records::Index;
using records::KernelShape;
using records::Launch;
using records::MemoryKind;
using records::Survey;

namespace {

constexpr std::uint32_t kBlocksAtOnce = 132 * 8;  // With 256 threads.
constexpr double kPinnedBytesPerNs = 50.0;
constexpr double kPageableBytesPerNs = 12.5;
constexpr std::int64_t kShortestCopy = 1500;

}  // namespace

SurveyBuilder::SurveyBuilder() {
  survey_.run.command = {"./app"};
  survey_.run.exit_code = 0;
  records::Device device;
  device.gpu = model::fictional_gpu();
  survey_.devices.push_back(device);
  records::Process process;
  process.pid = 100;
  process.command = "./app";
  survey_.processes.push_back(process);
  stream();
  survey_.streams.front().is_default = true;
  blocking_.front() = true;
}

Index SurveyBuilder::stream(bool blocking) {
  records::Stream added;
  added.number = static_cast<std::uint32_t>(survey_.streams.size()) + 7;
  survey_.streams.push_back(added);
  streams_.push_back(0);
  blocking_.push_back(blocking);
  return static_cast<Index>(streams_.size() - 1);
}

Index SurveyBuilder::name_of(const std::string& name) {
  const auto found = std::find(survey_.names.begin(), survey_.names.end(), name);
  if (found == survey_.names.end()) survey_.names.push_back(name);
  return static_cast<Index>(std::find(survey_.names.begin(), survey_.names.end(), name) -
                            survey_.names.begin());
}

Index SurveyBuilder::shape_of(const ImaginedKernel& kernel) {
  KernelShape shape;
  shape.name = name_of(kernel.name);
  shape.grid = {kernel.blocks, 1, 1};
  shape.block = {kernel.threads, 1, 1};
  shape.registers = 32;
  const auto found = std::find(survey_.shapes.begin(), survey_.shapes.end(), shape);
  if (found != survey_.shapes.end()) return static_cast<Index>(found - survey_.shapes.begin());
  survey_.shapes.push_back(shape);
  return static_cast<Index>(survey_.shapes.size() - 1);
}

Index SurveyBuilder::add_call(CallKind kind, const std::string& name, std::int64_t duration) {
  Call call;
  call.time = {now_, now_ + duration};
  call.thread = 100;
  call.name = name_of(name);
  call.kind = kind;
  survey_.calls.push_back(call);
  now_ += duration;
  return static_cast<Index>(survey_.calls.size() - 1);
}

std::int64_t SurveyBuilder::free_at(Index stream) const {
  std::int64_t time = streams_[stream];
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const bool waits = stream == 0 ? static_cast<bool>(blocking_[i]) : i == 0 && blocking_[stream];
    if (waits) time = std::max(time, streams_[i]);
  }
  return time;
}

// The first time from which on the blocks fit beside those of other kernels.
std::int64_t SurveyBuilder::kernel_start(std::int64_t earliest, std::int64_t duration, std::uint32_t blocks) {
  std::erase_if(running_, [&](const Running& kernel) { return kernel.end <= earliest; });
  std::sort(running_.begin(), running_.end(),
            [](const Running& a, const Running& b) { return a.end < b.end; });
  std::uint64_t held = 0;
  for (const Running& kernel : running_) held += std::min(kernel.blocks, kBlocksAtOnce);
  std::int64_t start = earliest;
  for (const Running& kernel : running_) {
    if (held + std::min(blocks, kBlocksAtOnce) <= kBlocksAtOnce) break;
    held -= std::min(kernel.blocks, kBlocksAtOnce);
    start = kernel.end;
  }
  running_.push_back({start + duration, blocks});
  return start;
}

void SurveyBuilder::occupy(Index stream, std::int64_t end) { streams_[stream] = end; }

void SurveyBuilder::launch(const ImaginedKernel& kernel, Index stream) {
  Launch launch;
  launch.call = add_call(CallKind::kLaunch, "cudaLaunchKernel", kCall);
  launch.stream = stream;
  launch.shape = shape_of(kernel);
  const std::int64_t earliest = std::max(now_ + kLatency, free_at(stream));
  launch.time.start = kernel_start(earliest, kernel.duration, kernel.blocks);
  launch.time.end = launch.time.start + kernel.duration;
  occupy(stream, launch.time.end);
  survey_.launches.push_back(launch);
}

void SurveyBuilder::copy(CopyDirection direction, std::uint64_t bytes, MemoryKind host_memory, Index stream) {
  const bool pageable = host_memory == MemoryKind::kPageable;
  const double rate = pageable ? kPageableBytesPerNs : kPinnedBytesPerNs;
  Copy copy;
  copy.call = add_call(CallKind::kCopy, pageable ? "cudaMemcpy" : "cudaMemcpyAsync", kCall);
  copy.stream = stream;
  copy.bytes = bytes;
  copy.direction = direction;
  copy.source = direction == CopyDirection::kHostToDevice ? host_memory : MemoryKind::kDevice;
  copy.destination = direction == CopyDirection::kDeviceToHost ? host_memory : MemoryKind::kDevice;
  copy.asynchronous = !pageable;
  copy.time.start = std::max({now_ + kLatency, free_at(stream), engines_[direction]});
  copy.time.end =
      copy.time.start + std::max(kShortestCopy, static_cast<std::int64_t>(static_cast<double>(bytes) / rate));
  occupy(stream, copy.time.end);
  engines_[direction] = copy.time.end;
  if (pageable) {
    now_ = copy.time.end + kLatency;
    survey_.calls.back().time.end = now_;
  }
  survey_.copies.push_back(copy);
}

void SurveyBuilder::up(std::uint64_t bytes, Index stream) {
  copy(CopyDirection::kHostToDevice, bytes, MemoryKind::kPinned, stream);
}

void SurveyBuilder::down(std::uint64_t bytes, Index stream) {
  copy(CopyDirection::kDeviceToHost, bytes, MemoryKind::kPinned, stream);
}

std::int64_t SurveyBuilder::all_done() const { return *std::max_element(streams_.begin(), streams_.end()); }

void SurveyBuilder::wait(std::optional<Index> stream) {
  const std::int64_t done = stream ? streams_[*stream] : all_done();
  add_call(CallKind::kWait, stream ? "cudaStreamSynchronize" : "cudaDeviceSynchronize",
           std::max(kCall, done + kLatency - now_));
}

void SurveyBuilder::call(CallKind kind, const std::string& name, std::int64_t duration) {
  const std::int64_t busy = kind == CallKind::kFree ? std::max<std::int64_t>(0, all_done() - now_) : 0;
  add_call(kind, name, busy + duration);
}

Survey SurveyBuilder::survey() const {
  Survey survey = survey_;
  const auto by_start = [](const auto& a, const auto& b) { return a.time.start < b.time.start; };
  std::stable_sort(survey.launches.begin(), survey.launches.end(), by_start);
  std::stable_sort(survey.copies.begin(), survey.copies.end(), by_start);
  survey.run.window = {0, std::max(now_, all_done())};
  survey.run.duration = survey.run.window.end;
  survey.processes.front().time = survey.run.window;
  return survey;
}

}  // namespace warptune::survey
