#include "fleet/gpu_predicate.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <tuple>
#include <vector>

namespace warptune::fleet {

namespace {

constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;

std::string capability_text(const GpuPredicate& predicate) {
  const auto text = [](int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); };
  const auto& [min, max] = std::tie(predicate.min_capability, predicate.max_capability);
  if (min && max)
    return *min == *max ? "compute capability " + text(*min)
                        : fmt::format("compute capability {} to {}", text(*min), text(*max));
  if (min) return fmt::format("compute capability {} and above", text(*min));
  return fmt::format("compute capability {} and below", text(*max));
}

}  // namespace

bool GpuPredicate::fits(const model::GpuDescription& gpu) const {
  if (!name.empty() && ::fnmatch(name.c_str(), gpu.name.c_str(), FNM_CASEFOLD) != 0) return false;
  const int capability = gpu.compute_major * 10 + gpu.compute_minor;
  if (min_capability && capability < *min_capability) return false;
  if (max_capability && capability > *max_capability) return false;
  return !min_memory_bytes || gpu.memory_bytes >= *min_memory_bytes;
}

std::string GpuPredicate::text() const {
  std::vector<std::string> parts;
  if (!name.empty()) parts.push_back(name);
  if (min_capability || max_capability) parts.push_back(capability_text(*this));
  if (min_memory_bytes)
    parts.push_back(
        fmt::format("memory {:.4g} GiB and above", static_cast<double>(*min_memory_bytes) / kBytesPerGib));
  return parts.empty() ? "any GPU" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace warptune::fleet
