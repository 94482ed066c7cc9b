#include "profiling/captures/captured_launch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warptune::profiling::captures {

namespace {

float number_at(const std::string& bytes, std::size_t at) {
  float number = 0.0F;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

std::optional<double> relative_difference(const std::string& expected, const std::string& found) {
  double largest = 0.0;
  for (std::size_t at = 0; at + sizeof(float) <= expected.size(); at += sizeof(float)) {
    if (std::memcmp(expected.data() + at, found.data() + at, sizeof(float)) == 0) continue;
    const double was = number_at(expected, at);
    const double is = number_at(found, at);
    if (!std::isfinite(was) || !std::isfinite(is)) return std::nullopt;
    const double scale = std::max(std::abs(was), std::abs(is));
    if (scale > 0.0) largest = std::max(largest, std::abs(was - is) / scale);
  }
  return largest;
}

}  // namespace

std::vector<PointerPlace> CapturedLaunch::pointers() const {
  std::vector<PointerPlace> places;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameter_bytes.size();
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, parameter_bytes.data() + at, sizeof(word));
    auto found = std::find_if(buffers.begin(), buffers.end(), [&](const CapturedBuffer& buffer) {
      return buffer.variable.empty() && word >= buffer.address &&
             word - buffer.address < buffer.before.size();
    });
    if (found == buffers.end()) {  // The end of a range?
      found = std::find_if(buffers.begin(), buffers.end(), [&](const CapturedBuffer& buffer) {
        return buffer.variable.empty() && word == buffer.address + buffer.before.size();
      });
    }
    if (found == buffers.end()) continue;
    places.push_back({static_cast<std::uint32_t>(at), static_cast<std::size_t>(found - buffers.begin()),
                      word - found->address});
  }
  return places;
}

std::uint64_t CapturedLaunch::contents_bytes() const {
  std::uint64_t sum = 0;
  for (const CapturedBuffer& buffer : buffers) sum += buffer.before.size();
  return sum;
}

std::optional<BufferDifference> difference_of(const CapturedLaunch& launch, std::size_t buffer,
                                              const std::string& found) {
  const CapturedBuffer& captured = launch.buffers[buffer];
  const std::string& expected = captured.after ? *captured.after : captured.before;
  if (expected == found) return std::nullopt;
  BufferDifference difference;
  difference.buffer = buffer;
  difference.first = static_cast<std::uint64_t>(
      std::mismatch(expected.begin(), expected.end(), found.begin()).first - expected.begin());
  for (std::size_t i = 0; i < expected.size(); ++i)
    difference.different_bytes += expected[i] == found[i] ? 0U : 1U;
  difference.relative_as_f32 = relative_difference(expected, found);
  return difference;
}

}  // namespace warptune::profiling::captures
