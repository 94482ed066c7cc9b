#include <cub/device/device_histogram.cuh>

#include "bench/vendor/cub_calls.h"

namespace warptune::bench::vendor {

namespace {

template <class Sample, class Counter, class Level>
CubCall histogram_call(std::int64_t count, std::int64_t bins, double low, double high) {
  return [=](void* temporary, std::size_t& bytes, void* stream, const std::vector<void*>& pointers) -> int {
    return cub::DeviceHistogram::HistogramEven(temporary, bytes, static_cast<const Sample*>(pointers[0]),
                                               static_cast<Counter*>(pointers[1]), static_cast<int>(bins + 1),
                                               static_cast<Level>(low), static_cast<Level>(high),
                                               static_cast<int>(count), static_cast<cudaStream_t>(stream));
  };
}

}  // namespace

// Counters have 32 bits. Addition is the same for signed and unsigned ones.
std::optional<CubCall> cub_histogram(const std::string& type, const std::string& counter_type,
                                     std::int64_t count, std::int64_t bins, double low, double high) {
  if (count > 2147483647 || (counter_type != "u32" && counter_type != "i32")) return std::nullopt;
  if (type == "u8") return histogram_call<unsigned char, unsigned int, int>(count, bins, low, high);
  if (type == "u16") return histogram_call<unsigned short, unsigned int, int>(count, bins, low, high);
  if (type == "i32") return histogram_call<int, unsigned int, int>(count, bins, low, high);
  if (type == "u32") return histogram_call<unsigned int, unsigned int, unsigned int>(count, bins, low, high);
  if (type == "f32") return histogram_call<float, unsigned int, float>(count, bins, low, high);
  return std::nullopt;
}

}  // namespace warptune::bench::vendor
