#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "bench/vendor/cub_calls.h"

namespace warptune::bench::vendor {

namespace {

template <class Element, class Result>
CubCall reduce_call(const std::string& operation, std::int64_t count) {
  return [operation, items = static_cast<int>(count)](void* temporary, std::size_t& bytes, void* stream,
                                                      const std::vector<void*>& pointers) -> int {
    const auto* in = static_cast<const Element*>(pointers[0]);
    auto* out = static_cast<Result*>(pointers[1]);
    auto* on = static_cast<cudaStream_t>(stream);
    if (operation == "min") return cub::DeviceReduce::Min(temporary, bytes, in, out, items, on);
    if (operation == "max") return cub::DeviceReduce::Max(temporary, bytes, in, out, items, on);
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, items, on);
  };
}

template <class Result>
struct AddAs {
  __host__ __device__ Result operator()(Result a, Result b) const { return a + b; }
};

// The sum of elements in the type of the result, which differs from theirs.
template <class Element, class Result>
CubCall sum_call(std::int64_t count) {
  return [items = static_cast<int>(count)](void* temporary, std::size_t& bytes, void* stream,
                                           const std::vector<void*>& pointers) -> int {
    return cub::DeviceReduce::Reduce(temporary, bytes, static_cast<const Element*>(pointers[0]),
                                     static_cast<Result*>(pointers[1]), items, AddAs<Result>{}, Result{},
                                     static_cast<cudaStream_t>(stream));
  };
}

template <class Element, class Result>
struct Product {
  const Element* a;
  const Element* b;
  __host__ __device__ Result operator()(int i) const {
    return static_cast<Result>(a[i]) * static_cast<Result>(b[i]);
  }
};

template <class Element, class Result>
CubCall dot_call(std::int64_t count) {
  return [items = static_cast<int>(count)](void* temporary, std::size_t& bytes, void* stream,
                                           const std::vector<void*>& pointers) -> int {
    const Product<Element, Result> product{static_cast<const Element*>(pointers[0]),
                                           static_cast<const Element*>(pointers[1])};
    return cub::DeviceReduce::TransformReduce(temporary, bytes, thrust::counting_iterator<int>(0),
                                              static_cast<Result*>(pointers[2]), items, cuda::std::plus<>{},
                                              product, Result{}, static_cast<cudaStream_t>(stream));
  };
}

}  // namespace

std::string cub_version() {
  return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

std::string cub_error(int code) { return cudaGetErrorString(static_cast<cudaError_t>(code)); }

std::optional<CubCall> cub_reduce(const std::string& operation, const std::string& type,
                                  const std::string& result_type, std::int64_t count) {
  if (count > 2147483647) return std::nullopt;
  if (operation == "sum") {
    if (type == "f16" && result_type == "f32") return sum_call<__half, float>(count);
    if (type == "bf16" && result_type == "f32") return sum_call<__nv_bfloat16, float>(count);
    if (type == "f32" && result_type == "f64") return sum_call<float, double>(count);
    if (type == "i8" && result_type == "i32") return sum_call<signed char, int>(count);
    if (type == "i8" && result_type == "f32") return sum_call<signed char, float>(count);
    if (type == "i32" && result_type == "i64") return sum_call<int, long long>(count);
    if (type == "i32" && result_type == "f32") return sum_call<int, float>(count);
  } else if (operation != "min" && operation != "max") {
    return std::nullopt;
  }
  if (type == "f32" && result_type == "f32") return reduce_call<float, float>(operation, count);
  if (type == "f64" && result_type == "f64") return reduce_call<double, double>(operation, count);
  if (type == "i32" && result_type == "i32") return reduce_call<int, int>(operation, count);
  if (type == "i64" && result_type == "i64") return reduce_call<long long, long long>(operation, count);
  return std::nullopt;
}

std::optional<CubCall> cub_dot(const std::string& type, const std::string& result_type, std::int64_t count) {
  if (count > 2147483647) return std::nullopt;
  if (type == "f32" && result_type == "f32") return dot_call<float, float>(count);
  if (type == "f64" && result_type == "f64") return dot_call<double, double>(count);
  if (type == "f16" && result_type == "f32") return dot_call<__half, float>(count);
  return std::nullopt;
}

}  // namespace warptune::bench::vendor
