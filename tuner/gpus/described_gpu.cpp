#include "tuner/gpus/described_gpu.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace warptune::tuner::gpus {

namespace {

constexpr int kMaxSms = 100000;
constexpr int kMaxGigabytesPerS = 1000000;
constexpr std::int64_t kGiga = 1'000'000'000;

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) return std::nullopt;
  return number;
}

// Reads 80 or 8.0.
bool read_capability(std::string_view text, DescribedGpu& gpu) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    const std::optional<int> number = whole_number(text);
    if (!number || *number < 10) return false;
    gpu.compute_major = *number / 10;
    gpu.compute_minor = *number % 10;
    return true;
  }
  const std::optional<int> major = whole_number(text.substr(0, dot));
  const std::optional<int> minor = whole_number(text.substr(dot + 1));
  gpu.compute_major = major.value_or(0);
  gpu.compute_minor = minor.value_or(0);
  return major && minor;
}

}  // namespace

std::optional<DescribedGpu> DescribedGpu::parse(const std::string& text) {
  if (text.find('=') == std::string::npos) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    throw base::InputError(fmt::format("--gpu {}: expected a name, or cc=80,sms=108; {}", text, why));
  };
  DescribedGpu gpu;
  for (const std::string& part : base::split(text, ',')) {
    const std::string_view item = base::trim(part);
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    if (name == "cc") {
      if (!read_capability(value, gpu)) refuse(fmt::format("'{}' is not a compute capability", value));
    } else if (name == "sms") {
      gpu.sm_count = whole_number(value).value_or(0);
      if (gpu.sm_count == 0 || gpu.sm_count > kMaxSms)
        refuse(fmt::format("'{}' is not a number of SMs", value));
    } else if (name == "bandwidth") {
      const int gigabytes = whole_number(value).value_or(0);
      if (gigabytes == 0 || gigabytes > kMaxGigabytesPerS)
        refuse(fmt::format("'{}' is not a bandwidth in GB/s", value));
      gpu.memory_bandwidth_bytes_per_s = gigabytes * kGiga;
    } else {
      refuse(fmt::format("found '{}'", item));
    }
  }
  if (gpu.compute_major == 0) refuse("cc is missing");
  if (gpu.sm_count == 0) refuse("sms is missing");
  if (!model::gpu_of_capability(gpu.compute_major, gpu.compute_minor))
    refuse(fmt::format("the limits of compute capability {}.{} are not known", gpu.compute_major,
                       gpu.compute_minor));
  return gpu;
}

bool DescribedGpu::fits(const model::GpuDescription& gpu) const {
  constexpr double kRounding = 0.03;
  const auto asked = static_cast<double>(memory_bandwidth_bytes_per_s);
  const auto known = static_cast<double>(gpu.memory_bandwidth_bytes_per_s);
  const bool same_memory = asked == 0.0 || known == 0.0 || std::abs(asked - known) <= kRounding * known;
  return same_memory && gpu.compute_major == compute_major && gpu.compute_minor == compute_minor &&
         gpu.sm_count == sm_count;
}

model::GpuDescription DescribedGpu::description() const {
  model::GpuDescription gpu = *model::gpu_of_capability(compute_major, compute_minor);
  gpu.name =
      fmt::format("a GPU with compute capability {}.{} and {} SMs", compute_major, compute_minor, sm_count);
  gpu.sm_count = sm_count;
  gpu.memory_bandwidth_bytes_per_s = memory_bandwidth_bytes_per_s;
  return gpu;
}

}  // namespace warptune::tuner::gpus
