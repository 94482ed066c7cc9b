// Measures the roofs of a GPU: the rates that its memory and its arithmetic pipes reach in practice. They are
// the upper bounds in the roofline model (Williams, Waterman, Patterson, 2009).
//
// The memory roofs are the rates of a device-to-device copy and of a kernel that only reads. Both use buffers
// far larger than the L2. The arithmetic roofs are the rates of kernels that do multiply-adds on one pipe
// each, in enough independent chains to hide their latency (roof_kernels.cpp).
//
// Each kernel is launched repeatedly, for 20 ms as a warm-up and then for about 50 ms. Each launch is timed
// separately. The reading is computed from the median of the times after the warm-up.
#include "profiling/roofs/roof_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "model/median.h"
#include "profiling/driver/helper_program.h"
#include "profiling/roofs/roof_kernels.h"
#include "profiling/timing/launch_timer.h"

namespace warptune::profiling::roofs {

using model::RoofReading;
using std::chrono::steady_clock;

namespace {

constexpr auto kWarmUp = std::chrono::milliseconds(20);
constexpr auto kMeasuringTime = std::chrono::milliseconds(50);
constexpr std::size_t kMinSamples = 5;
constexpr double kPipeLaunchNs = 1e6;  // Compared with this, the start and the end of a launch are short.
constexpr std::uint32_t kTrialIterations = 16;
constexpr std::uint64_t kMaxBytes = 1ULL << 30;
constexpr unsigned kReadThreads = 256;
constexpr unsigned kMaxReadBlocks = 8;  // For each SM.

class RoofMeter {
 public:
  RoofMeter(const model::GpuDescription& gpu, CUstream stream, const driver::DeviceHelpers& helpers,
            std::vector<std::string>& problems)
      : gpu_(gpu), stream_(stream), timer_(stream, helpers, 0, false), problems_(problems) {
    WARPTUNE_CUDA(cuDriverGetVersion(&driver_version_));
  }

  std::vector<RoofReading> measure(const std::filesystem::path& compile_cache) {
    attempt("read or arithmetic", [&] { load(compile_cache); });
    attempt("memory", [this] { measure_memory(); });
    if (module_.get() == nullptr) return std::move(readings_);
    sink_ = driver::allocate(sizeof(double), "the roofs' sink");
    for (const PipeKernel& kernel : pipe_kernels(gpu_)) attempt(kernel.roof, [&] { measure_pipe(kernel); });
    return std::move(readings_);
  }

 private:
  void attempt(const std::string& roof, const std::function<void()>& measure) {
    try {
      measure();
    } catch (const driver::CudaError& error) {
      if (driver::is_sticky(error.code())) throw;
      problems_.push_back(fmt::format("no {} roof: {}", roof, error.what()));
    } catch (const base::MachineError& error) {
      problems_.push_back(fmt::format("no {} roof: {}", roof, error.what()));
    }
  }

  void load(const std::filesystem::path& compile_cache) {
    const auto compiled = driver::compile_cached(roof_request(gpu_), compile_cache);
    if (!compiled) {
      problems_.push_back(
          "only the copy roof can be measured, because the kernels for the others do not compile: " +
          compiled.error().reason);
      return;
    }
    WARPTUNE_CUDA(cuModuleLoadData(module_.out(), compiled->cubin.data()));
    compiled_ = *compiled;
  }

  void launch(const std::string& entry, unsigned blocks, unsigned threads, void** parameters) {
    CUfunction function = nullptr;
    WARPTUNE_CUDA(
        cuModuleGetFunction(&function, module_.get(), compiled_.find_entry(entry).lowered_name.c_str()));
    driver::launch_helper(function, blocks, threads, stream_, parameters);
  }

  double time_ns(const std::function<void()>& work) {
    return timer_.time([] {}, work).ns;
  }

  // Measures a rate and adds it to the readings. `amount` is the number of bytes or operations of one launch
  // of `work`.
  void take_reading(const std::string& roof, double amount, const std::function<void()>& work) {
    for (const auto end = steady_clock::now() + kWarmUp; steady_clock::now() < end;) time_ns(work);
    std::vector<double> samples_ns;
    std::vector<double> clocks_mhz;
    const auto end = steady_clock::now() + kMeasuringTime;
    while (samples_ns.size() < kMinSamples || steady_clock::now() < end) {
      const timing::Sample sample = timer_.time([] {}, work);
      samples_ns.push_back(sample.ns);
      if (sample.sm_clock_mhz > 0.0) clocks_mhz.push_back(sample.sm_clock_mhz);
    }
    const model::MedianInterval time_ns = model::median_interval(samples_ns).value();
    RoofReading reading;
    reading.name = roof;
    reading.value = amount / (time_ns.median * 1e-9);
    reading.relative_spread = (time_ns.high - time_ns.low) / 2.0 / time_ns.median;
    if (const auto clock_mhz = model::median_of(clocks_mhz)) reading.sm_clock_mhz = *clock_mhz;
    reading.time_stamp_ms = base::unix_time_ms();
    if (driver_version_ > 0) reading.driver_version = driver_version_;
    readings_.push_back(std::move(reading));
  }

  // Uses buffers that are too large for any cache.
  void measure_memory() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
    const std::uint64_t step = 16 * kReadLoads * kReadThreads;
    const std::uint64_t bytes = std::min<std::uint64_t>(kMaxBytes, free_bytes / 4) / step * step;
    if (bytes < static_cast<std::uint64_t>(4 * gpu_.l2_bytes)) {
      throw base::MachineError(fmt::format("only {:.2f} GiB of the GPU's memory are free",
                                           static_cast<double>(free_bytes) / 0x1p30),
                               "end the programs that use it, then run warptune devices --measure-roofs");
    }
    const driver::DeviceMemory from = driver::allocate(bytes, "the memory roofs");
    const driver::DeviceMemory to = driver::allocate(bytes, "the memory roofs");
    fill(from.get(), bytes);
    take_reading("copy", 2.0 * static_cast<double>(bytes),
                 [&] { WARPTUNE_CUDA(cuMemcpyDtoDAsync(to.get(), from.get(), bytes, stream_)); });
    if (module_.get() != nullptr) measure_read_roof(from.get(), to.get(), bytes);
  }

  void fill(CUdeviceptr data, std::uint64_t bytes) {
    if (module_.get() == nullptr) {
      WARPTUNE_CUDA(cuMemsetD8Async(data, 0, bytes, stream_));
      return;
    }
    std::uint64_t count = bytes / 16;
    void* parameters[] = {&data, &count};
    launch(kFillEntry, static_cast<unsigned>(gpu_.sm_count) * kMaxReadBlocks, kReadThreads, parameters);
  }

  // Tries several numbers of blocks per SM and uses the fastest, because more loads in flight are not always
  // faster.
  void measure_read_roof(CUdeviceptr data, CUdeviceptr sink, std::uint64_t bytes) {
    std::uint64_t count = bytes / 16;
    void* parameters[] = {&data, &count, &sink};
    unsigned blocks = 0;
    const auto work = [&] { launch(kReadEntry, blocks, kReadThreads, parameters); };
    double min_ns = 0.0;
    unsigned best = 0;
    for (unsigned per_sm = 1; per_sm <= kMaxReadBlocks; per_sm *= 2) {
      blocks = static_cast<unsigned>(gpu_.sm_count) * per_sm;
      time_ns(work);
      const double ns = std::min({time_ns(work), time_ns(work), time_ns(work)});
      if (best != 0 && ns >= min_ns) continue;
      min_ns = ns;
      best = blocks;
    }
    blocks = best;
    take_reading("read", static_cast<double>(bytes), work);
  }

  void measure_pipe(const PipeKernel& kernel) {
    std::uint32_t iterations = kTrialIterations;
    CUdeviceptr sink = sink_.get();
    float offset = -1.9F;
    // The tensor kernels have no third parameter. The driver ignores it.
    void* parameters[] = {&iterations, &sink, &offset};
    const auto work = [&] { launch(kernel.entry, kernel.blocks, kernel.threads, parameters); };
    time_ns(work);
    const double trial_ns = time_ns(work);
    iterations = static_cast<std::uint32_t>(
        std::clamp(kTrialIterations * kPipeLaunchNs / trial_ns, double{kTrialIterations}, 1e8));
    take_reading(kernel.roof, kernel.flops_per_thread * iterations * kernel.threads * kernel.blocks, work);
  }

  const model::GpuDescription& gpu_;
  CUstream stream_;
  timing::LaunchTimer timer_;
  std::vector<std::string>& problems_;
  int driver_version_ = 0;
  driver::Module module_;
  kernel_templates::CompiledKernel compiled_;
  driver::DeviceMemory sink_;
  std::vector<RoofReading> readings_;
};

}  // namespace

std::vector<RoofReading> measure_roofs(const model::GpuDescription& gpu, CUstream stream,
                                       const driver::DeviceHelpers& helpers,
                                       const std::filesystem::path& compile_cache,
                                       std::vector<std::string>& problems) {
  RoofMeter meter(gpu, stream, helpers, problems);
  return meter.measure(compile_cache);
}

}  // namespace warptune::profiling::roofs
