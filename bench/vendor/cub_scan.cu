#include <cuda_fp16.h>

#include <cub/device/device_scan.cuh>

#include "bench/vendor/cub_calls.h"

namespace warptune::bench::vendor {

namespace {

template <class Element>
CubCall scan_call(bool inclusive, std::int64_t count) {
  return [inclusive, items = static_cast<int>(count)](void* temporary, std::size_t& bytes, void* stream,
                                                      const std::vector<void*>& pointers) -> int {
    const auto* in = static_cast<const Element*>(pointers[0]);
    auto* out = static_cast<Element*>(pointers[1]);
    auto* on = static_cast<cudaStream_t>(stream);
    if (inclusive) return cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, items, on);
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, items, on);
  };
}

}  // namespace

std::optional<CubCall> cub_scan(const std::string& operation, const std::string& type,
                                const std::string& result_type, std::int64_t count) {
  const bool inclusive = operation == "inclusive";
  if (count > 2147483647 || type != result_type || (!inclusive && operation != "exclusive"))
    return std::nullopt;
  if (type == "i32") return scan_call<int>(inclusive, count);
  if (type == "i64") return scan_call<long long>(inclusive, count);
  if (type == "f32") return scan_call<float>(inclusive, count);
  if (type == "f64") return scan_call<double>(inclusive, count);
  return std::nullopt;
}

}  // namespace warptune::bench::vendor
