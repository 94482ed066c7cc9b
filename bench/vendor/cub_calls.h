#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// CUB's algorithms for types and sizes that are known only at run time. This header is plain C++. nvcc
/// compiles the sources behind it.
namespace warptune::bench::vendor {

/// An algorithm for fixed types and sizes, called as CUB's own functions. If `temporary` is null, it only
/// sets `bytes` to the necessary storage. `pointers` are device addresses; each function below gives their
/// order. Returns a `cudaError_t`.
using CubCall =
    std::function<int(void* temporary, std::size_t& bytes, void* stream, const std::vector<void*>& pointers)>;

/// The version, for example `CUB 3.0.1`.
std::string cub_version();
/// The text of a `cudaError_t`.
std::string cub_error(int code);

// These functions return std::nullopt if the types are not compiled in.

/// A reduction. `operation`: sum, min, max. Pointers: input, result.
std::optional<CubCall> cub_reduce(const std::string& operation, const std::string& type,
                                  const std::string& result_type, std::int64_t count);
/// The sum of products by TransformReduce. Pointers: both inputs, result.
std::optional<CubCall> cub_dot(const std::string& type, const std::string& result_type, std::int64_t count);
/// The scalar arguments of the operations of a transform.
struct TransformScalars {
  double alpha = 1.0;
  double low = 0.0;
  double high = 0.0;
};
/// An elementwise transform. `operation`: copy, scale (alpha x), add, triad (x + alpha y), relu, clamp (to
/// low..high). Pointers: one or two inputs, output.
std::optional<CubCall> cub_transform(const std::string& operation, const std::string& type,
                                     std::int64_t count, const TransformScalars& scalars);
/// A prefix sum. `operation`: inclusive, exclusive. Pointers: input, output.
std::optional<CubCall> cub_scan(const std::string& operation, const std::string& type,
                                const std::string& result_type, std::int64_t count);
/// A histogram with bins of equal width from `low` to `high`. Pointers: samples, counters.
std::optional<CubCall> cub_histogram(const std::string& type, const std::string& counter_type,
                                     std::int64_t count, std::int64_t bins, double low, double high);

}  // namespace warptune::bench::vendor
