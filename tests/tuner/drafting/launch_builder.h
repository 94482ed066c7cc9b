#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/captures/captured_launch.h"

namespace warptune::tuner::drafting {

/// The bytes of elements.
template <class T>
std::string bytes_of(const std::vector<T>& elements) {
  std::string bytes(elements.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

/// Builds captured launches for tests.
class LaunchBuilder {
 public:
  /// `kernel` is the mangled name, `name` the demangled one.
  LaunchBuilder(std::string kernel, std::string name) {
    launch_.kernel = std::move(kernel);
    launch_.name = std::move(name);
    launch_.image = "code";
    launch_.gpu_name = "Fictional GPU";
    launch_.compute_major = 9;
  }

  LaunchBuilder& geometry(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block) {
    launch_.grid = grid;
    launch_.block = block;
    return *this;
  }
  /// Adds an allocation, to which no parameter points yet, and returns its address.
  std::uint64_t allocation(std::string before, std::optional<std::string> after = std::nullopt) {
    const std::uint64_t address = (launch_.buffers.size() + 1) << 32U;
    launch_.buffers.push_back({address, "", std::move(before), std::move(after)});
    return address;
  }
  /// Adds an allocation and a parameter that points to its begin.
  LaunchBuilder& buffer(std::string before, std::optional<std::string> after = std::nullopt) {
    return value(allocation(std::move(before), std::move(after)));
  }
  LaunchBuilder& variable(std::string name, std::string before) {
    launch_.buffers.push_back({std::uint64_t{1} << 60U, std::move(name), std::move(before), std::nullopt});
    return *this;
  }
  /// Adds a parameter with the alignment of its type.
  template <class T>
  LaunchBuilder& value(T value) {
    std::string& block = launch_.parameter_bytes;
    block.append((sizeof(T) - block.size() % sizeof(T)) % sizeof(T), '\0');
    launch_.parameters.push_back(
        {static_cast<std::uint32_t>(block.size()), static_cast<std::uint32_t>(sizeof(T))});
    block += bytes_of(std::vector<T>{value});
    return *this;
  }

  profiling::captures::CapturedLaunch& launch() { return launch_; }

 private:
  profiling::captures::CapturedLaunch launch_;
};

}  // namespace warptune::tuner::drafting
