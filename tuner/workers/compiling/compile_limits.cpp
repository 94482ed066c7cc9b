#include "tuner/workers/compiling/compile_limits.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <tuple>

namespace warptune::tuner::workers::compiling {

namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kGiB = 1ULL << 30;

// The number at the beginning of a file. Returns `kUnknown` for a text such as "max".
std::uint64_t number_in(const std::string& file) {
  std::uint64_t number = 0;
  return std::ifstream(file) >> number ? number : kUnknown;
}

// Cached pages of files, which the operating system can drop when memory is needed.
std::uint64_t inactive_file_bytes(const char* stat) {
  std::ifstream file(stat);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "inactive_file") return value;
  }
  return 0;
}

std::uint64_t left_in_control_group() {
  for (const auto& [maximum, used, stat] :
       {std::tuple{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                   "/sys/fs/cgroup/memory.stat"},
        std::tuple{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                   "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat"}}) {
    const std::uint64_t limit = number_in(maximum);
    const std::uint64_t current = number_in(used);
    if (limit == kUnknown || current == kUnknown) continue;
    const std::uint64_t in_use = current - std::min(current, inactive_file_bytes(stat));
    return limit - std::min(limit, in_use);
  }
  return kUnknown;
}

std::uint64_t mem_available() {
  std::ifstream in("/proc/meminfo");
  std::string name;
  for (std::uint64_t kib = 0; in >> name >> kib;) {
    if (name == "MemAvailable:") return kib * 1024;
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kUnknown;
}

}  // namespace

std::uint64_t available_memory_bytes() {
  const std::uint64_t bytes = std::min(mem_available(), left_in_control_group());
  return bytes == kUnknown ? 0 : bytes;
}

std::size_t default_compile_workers() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const int count = ::sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 0;
  const std::size_t cores = count > 0 ? static_cast<std::size_t>(count) : std::thread::hardware_concurrency();
  const std::uint64_t memory = available_memory_bytes();
  const std::size_t by_memory = memory == 0 ? cores : memory / kGiB;
  return std::max<std::size_t>(1, std::min(cores, by_memory));
}

std::uint64_t compile_memory_limit(std::size_t workers) {
  const std::uint64_t half = available_memory_bytes() / 2;
  return std::max(half / std::max<std::size_t>(1, workers), std::min(4 * kGiB, half));
}

}  // namespace warptune::tuner::workers::compiling
