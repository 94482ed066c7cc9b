#include <fmt/format.h>

#include <memory>

#include "bench/vendor/cudnn_library.h"
#include "bench/vendor/fastest_call.h"

namespace warptune::bench::vendor {

namespace {

using Tensor = std::shared_ptr<std::remove_pointer_t<cudnnTensorDescriptor_t>>;

Tensor make_tensor(const std::string& type, int n, int c, int h, int w) {
  cudnnTensorDescriptor_t made = nullptr;
  check_cudnn(cudnn().cudnnCreateTensorDescriptor(&made), "cudnnCreateTensorDescriptor");
  const Tensor tensor(made, [](cudnnTensorDescriptor_t held) { cudnn().cudnnDestroyTensorDescriptor(held); });
  check_cudnn(cudnn().cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NCHW, cudnn_type(type), n, c, h, w),
              "cudnnSetTensor4dDescriptor");
  return tensor;
}

}  // namespace

// A row is an image of COLUMNS channels: softmax over one instance, or over the channels of each pixel.
std::vector<Call> make_cudnn_softmax(const Subject& subject) {
  const auto rows = static_cast<int>(subject.size("ROWS"));
  const auto columns = static_cast<int>(subject.size("COLUMNS"));
  const std::size_t in = subject.position("in");
  const std::size_t out = subject.position("out");
  const auto handle = std::make_shared<CudnnHandle>();
  const Tensor tensor = make_tensor(subject.type_name("in"), rows, columns, 1, 1);
  std::vector<Call> calls;
  for (const cudnnSoftmaxMode_t mode : {CUDNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_CHANNEL}) {
    Call& call = calls.emplace_back();
    call.name = fmt::format("{} softmax, {}", cudnn_version(),
                            mode == CUDNN_SOFTMAX_MODE_INSTANCE ? "instance" : "channel");
    call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
      const float one = 1.0F;
      const float zero = 0.0F;
      check_cudnn(
          cudnn().cudnnSoftmaxForward(handle->on(stream), CUDNN_SOFTMAX_ACCURATE, mode, &one, tensor.get(),
                                      pointer_of(buffers[in]), &zero, tensor.get(), pointer_of(buffers[out])),
          "cudnnSoftmaxForward");
    };
  }
  return {fastest_call(subject, calls)};
}

}  // namespace warptune::bench::vendor
