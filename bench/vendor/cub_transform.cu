#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_transform.cuh>

#include "bench/vendor/cub_calls.h"

namespace warptune::bench::vendor {

namespace {

// The 16-bit types are calculated in float, as in the kernels.
template <class Element>
struct Arithmetic {
  using Type = Element;
};
template <>
struct Arithmetic<__half> {
  using Type = float;
};
template <>
struct Arithmetic<__nv_bfloat16> {
  using Type = float;
};

template <class Element>
struct Identity {
  __host__ __device__ Element operator()(Element x) const { return x; }
};
template <class Element>
struct Scale {
  using Real = typename Arithmetic<Element>::Type;
  Real alpha;
  __host__ __device__ Element operator()(Element x) const {
    return static_cast<Element>(alpha * static_cast<Real>(x));
  }
};
template <class Element>
struct Add {
  using Real = typename Arithmetic<Element>::Type;
  __host__ __device__ Element operator()(Element x, Element y) const {
    return static_cast<Element>(static_cast<Real>(x) + static_cast<Real>(y));
  }
};
template <class Element>
struct Triad {
  using Real = typename Arithmetic<Element>::Type;
  Real alpha;
  __host__ __device__ Element operator()(Element x, Element y) const {
    return static_cast<Element>(static_cast<Real>(x) + alpha * static_cast<Real>(y));
  }
};
template <class Element>
struct Clamp {
  using Real = typename Arithmetic<Element>::Type;
  Real low, high;
  __host__ __device__ Element operator()(Element x) const {
    const Real value = static_cast<Real>(x);
    return value < low ? static_cast<Element>(low) : (value > high ? static_cast<Element>(high) : x);
  }
};
template <class Element>
struct Relu {
  using Real = typename Arithmetic<Element>::Type;
  __host__ __device__ Element operator()(Element x) const {
    return static_cast<Real>(x) < Real{} ? static_cast<Element>(Real{}) : x;
  }
};

// DeviceTransform needs no temporary storage. The call asks for one byte.
template <class Element, class Operation>
CubCall one_input(Operation operation, int items) {
  return [=](void* temporary, std::size_t& bytes, void* stream, const std::vector<void*>& pointers) -> int {
    bytes = 1;
    if (temporary == nullptr) return cudaSuccess;
    return cub::DeviceTransform::Transform(static_cast<const Element*>(pointers[0]),
                                           static_cast<Element*>(pointers[1]), items, operation,
                                           static_cast<cudaStream_t>(stream));
  };
}

template <class Element, class Operation>
CubCall two_inputs(Operation operation, int items) {
  return [=](void* temporary, std::size_t& bytes, void* stream, const std::vector<void*>& pointers) -> int {
    bytes = 1;
    if (temporary == nullptr) return cudaSuccess;
    return cub::DeviceTransform::Transform(cuda::std::make_tuple(static_cast<const Element*>(pointers[0]),
                                                                 static_cast<const Element*>(pointers[1])),
                                           static_cast<Element*>(pointers[2]), items, operation,
                                           static_cast<cudaStream_t>(stream));
  };
}

template <class Element>
std::optional<CubCall> transform_call(const std::string& operation, std::int64_t count,
                                      const TransformScalars& scalars) {
  using Real = typename Arithmetic<Element>::Type;
  const int items = static_cast<int>(count);
  const Real alpha = static_cast<Real>(scalars.alpha);
  if (operation == "copy") return one_input<Element>(Identity<Element>{}, items);
  if (operation == "scale") return one_input<Element>(Scale<Element>{alpha}, items);
  if (operation == "relu") return one_input<Element>(Relu<Element>{}, items);
  if (operation == "clamp")
    return one_input<Element>(Clamp<Element>{static_cast<Real>(scalars.low), static_cast<Real>(scalars.high)},
                              items);
  if (operation == "add") return two_inputs<Element>(Add<Element>{}, items);
  if (operation == "triad") return two_inputs<Element>(Triad<Element>{alpha}, items);
  return std::nullopt;
}

}  // namespace

std::optional<CubCall> cub_transform(const std::string& operation, const std::string& type,
                                     std::int64_t count, const TransformScalars& scalars) {
  if (count > 2147483647) return std::nullopt;
  if (type == "f32") return transform_call<float>(operation, count, scalars);
  if (type == "f64") return transform_call<double>(operation, count, scalars);
  if (type == "f16") return transform_call<__half>(operation, count, scalars);
  if (type == "i8") return transform_call<signed char>(operation, count, scalars);
  return std::nullopt;
}

}  // namespace warptune::bench::vendor
