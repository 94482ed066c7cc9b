// What the injected library of `warptune survey` does with each of CUPTI's records, in nanoseconds of its
// thread: `bench_survey_record [FOLDER]`. The records are made here, as many as CUPTI's buffers of 1 MiB
// have, and are written into a file in FOLDER (the folder for temporary files if it is left out).
#include <cupti_driver_cbid.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/program.h"
#include "survey/injected/activity_records.h"
#include "survey/injected/buffer_pool.h"
#include "survey/injected/raw_writer.h"
#include "survey/injected/tracing.h"

namespace warptune::bench {

namespace {

using survey::injected::BufferPool;
using survey::injected::CuptiFunctions;
using survey::injected::RawWriter;
using survey::injected::TracedThings;
using survey::injected::Tracing;
using survey::injected::Window;

constexpr std::size_t kBufferBytes = 1U << 20U;
constexpr int kBuffers = 200;

// Knows the names of the driver's launches only, so that the bench needs no CUPTI.
CUptiResult CUPTIAPI callback_name(CUpti_CallbackDomain domain, std::uint32_t callback, const char** name) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || callback != CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *name = "cuLaunchKernel";
  return CUPTI_SUCCESS;
}

std::unique_ptr<RawWriter> new_writer(const std::filesystem::path& folder) {
  survey::collecting::RawHeader header;
  header.size = sizeof(header);
  auto writer = std::make_unique<RawWriter>();
  if (!writer->create(folder.c_str(), header, UINT64_MAX, 1)) throw std::runtime_error("no file in FOLDER");
  return writer;
}

// Fills a buffer with records. Returns how many there are.
template <class Record, class Fill>
std::size_t fill_buffer(std::uint8_t* buffer, const Fill& fill) {
  const std::size_t count = kBufferBytes / sizeof(Record);
  for (std::size_t i = 0; i < count; ++i) {
    Record record{};
    fill(record, i);
    std::memcpy(buffer + i * sizeof(Record), &record, sizeof(record));
  }
  return count;
}

// The record of launch `i`. `shapes` different geometries come in turn.
CUpti_ActivityKernel10 kernel(std::size_t i, std::uint32_t shapes) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "_Z7nothingv";
  kernel.start = 1000 * i + 1;
  kernel.end = kernel.start + 900;
  kernel.correlationId = static_cast<std::uint32_t>(i + 1);
  kernel.gridX = 1 + static_cast<std::int32_t>(i % shapes);
  kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
  kernel.blockX = 32;
  return kernel;
}

CUpti_ActivityAPI call(std::size_t i) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  call.cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  call.start = 1000 * i + 1;
  call.end = call.start + 500;
  call.threadId = 7;
  call.correlationId = static_cast<std::uint32_t>(i + 1);
  return call;
}

// The median over buffers of the time for one record, as `Recorder::add_buffer` spends it.
template <class Record, class Make>
double record_ns(const std::filesystem::path& folder, const Make& make) {
  CuptiFunctions functions;
  functions.cuptiGetCallbackName = callback_name;
  const auto tracing = std::make_unique<Tracing>(functions, TracedThings());
  tracing->list_calls();
  const std::unique_ptr<RawWriter> writer = new_writer(folder);
  BufferPool pool(kBufferBytes);
  const Window window;
  std::vector<double> times;
  for (int round = 0; round < kBuffers; ++round) {
    std::uint8_t* const buffer = pool.take();
    const std::size_t count = fill_buffer<Record>(buffer, make);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      survey::injected::add_activity(*reinterpret_cast<const CUpti_Activity*>(buffer + i * sizeof(Record)),
                                     window, *tracing, *writer);
    }
    writer->flush(1);
    pool.give_back(buffer, count * sizeof(Record));
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    times.push_back(took.count() / static_cast<double>(count));
  }
  std::nth_element(times.begin(), times.begin() + kBuffers / 2, times.end());
  return times[kBuffers / 2];
}

int measure(int argument_count, char** arguments) {
  const std::filesystem::path parent =
      argument_count > 1 ? std::filesystem::path(arguments[1]) : std::filesystem::temp_directory_path();
  const std::filesystem::path folder = parent / "bench_survey_record";
  std::filesystem::create_directories(folder);
  for (const std::uint32_t shapes : {1U, 2U, 100U}) {
    const double time = record_ns<CUpti_ActivityKernel10>(
        folder, [&](CUpti_ActivityKernel10& record, std::size_t i) { record = kernel(i, shapes); });
    fmt::print("a kernel, {:3} geometries in turn  {:6.1f} ns\n", shapes, time);
  }
  const double time = record_ns<CUpti_ActivityAPI>(
      folder, [](CUpti_ActivityAPI& record, std::size_t i) { record = call(i); });
  fmt::print("a call of the driver              {:6.1f} ns\n", time);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace

}  // namespace warptune::bench

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program("bench_survey_record", argument_count, arguments,
                                      warptune::bench::measure);
}
