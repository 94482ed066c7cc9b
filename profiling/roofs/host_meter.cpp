// Measures copies between the host and the GPU, and launches, as a program sees them. The host's clock times
// them, from before the first call until the host knows that all has ended.
//
// A copy of 128 MiB takes 2 ms or more, so the some microseconds of a call and a wait do not count. Each copy
// is repeated for 10 ms as a warm-up, and then for about 60 ms. The launches are 1000 of a kernel that ends
// at once. The result is their time until all have ended, divided by 1000.
#include "profiling/roofs/host_meter.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "model/median.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::roofs {

using model::RoofReading;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kCopiedBytes = std::size_t{128} << 20;
constexpr auto kHostWarmUp = std::chrono::milliseconds(10);
constexpr auto kHostMeasuringTime = std::chrono::milliseconds(60);
constexpr std::size_t kMinHostSamples = 5;
constexpr int kLaunches = 1000;

class HostMeter {
 public:
  HostMeter(CUstream stream, const driver::DeviceHelpers& helpers, std::vector<std::string>& problems)
      : stream_(stream), helpers_(helpers), problems_(problems) {
    WARPTUNE_CUDA(cuDriverGetVersion(&driver_version_));
  }

  std::vector<RoofReading> measure() {
    attempt("host link", [this] { measure_copies(); });
    attempt("launch", [this] {
      take_reading(
          "launch", [](double seconds) { return seconds / kLaunches; },
          [this] {
            for (int i = 0; i < kLaunches; ++i) helpers_.spin(0);
          });
    });
    return std::move(readings_);
  }

 private:
  void attempt(const std::string& what, const std::function<void()>& measure) {
    try {
      measure();
    } catch (const driver::CudaError& error) {
      if (driver::is_sticky(error.code())) throw;
      problems_.push_back(fmt::format("no {} rate: {}", what, error.what()));
    } catch (const base::MachineError& error) {
      problems_.push_back(fmt::format("no {} rate: {}", what, error.what()));
    }
  }

  void measure_copies() {
    const driver::DeviceMemory device = driver::allocate(kCopiedBytes, "the host link's rate");
    const driver::PinnedMemory pinned = driver::allocate_pinned(kCopiedBytes, "the measurement of copies");
    std::vector<std::byte> pageable(kCopiedBytes, std::byte{1});  // Written, so that its pages exist.
    measure_both_ways("pinned", device.get(), pinned.get());
    measure_both_ways("pageable", device.get(), pageable.data());
  }

  void measure_both_ways(const std::string& memory, CUdeviceptr device, void* host) {
    const auto rate = [](double seconds) { return static_cast<double>(kCopiedBytes) / seconds; };
    take_reading("host_to_device_" + memory, rate,
                 [&] { WARPTUNE_CUDA(cuMemcpyHtoDAsync(device, host, kCopiedBytes, stream_)); });
    take_reading("device_to_host_" + memory, rate,
                 [&] { WARPTUNE_CUDA(cuMemcpyDtoHAsync(host, device, kCopiedBytes, stream_)); });
  }

  double time_ns(const std::function<void()>& work) {
    const auto start = steady_clock::now();
    work();
    WARPTUNE_CUDA(cuStreamSynchronize(stream_));
    return std::chrono::duration<double, std::nano>(steady_clock::now() - start).count();
  }

  // `value_of` converts seconds to the value of the reading.
  void take_reading(const std::string& name, const std::function<double(double)>& value_of,
                    const std::function<void()>& work) {
    for (const auto end = steady_clock::now() + kHostWarmUp; steady_clock::now() < end;) time_ns(work);
    std::vector<double> samples_ns;
    const auto end = steady_clock::now() + kHostMeasuringTime;
    while (samples_ns.size() < kMinHostSamples || steady_clock::now() < end)
      samples_ns.push_back(time_ns(work));
    const model::MedianInterval time_ns = model::median_interval(samples_ns).value();
    RoofReading reading;
    reading.name = name;
    reading.value = value_of(time_ns.median * 1e-9);
    reading.relative_spread = (time_ns.high - time_ns.low) / 2.0 / time_ns.median;
    reading.time_stamp_ms = base::unix_time_ms();
    if (driver_version_ > 0) reading.driver_version = driver_version_;
    readings_.push_back(std::move(reading));
  }

  CUstream stream_;
  const driver::DeviceHelpers& helpers_;
  std::vector<std::string>& problems_;
  int driver_version_ = 0;
  std::vector<RoofReading> readings_;
};

}  // namespace

std::vector<RoofReading> measure_host_rates(CUstream stream, const driver::DeviceHelpers& helpers,
                                            std::vector<std::string>& problems) {
  return HostMeter(stream, helpers, problems).measure();
}

}  // namespace warptune::profiling::roofs
