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
  const Tensor tensor(made, cudnn().cudnnDestroyTensorDescriptor);
  check_cudnn(cudnn().cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NCHW, cudnn_type(type), n, c, h, w),
              "cudnnSetTensor4dDescriptor");
  return tensor;
}

// A shared owner of a descriptor. The library deletes it after the last call that uses it.
template <class Handle, class Destroy>
std::shared_ptr<std::remove_pointer_t<Handle>> owned(Handle handle, Destroy destroy) {
  return {handle, [destroy](Handle held) { destroy(held); }};
}

}  // namespace

// A row is an image of COLUMNS channels. The softmax is over one instance, or over the channels of each
// pixel.
std::vector<Call> make_cudnn_softmax(const Workload& workload) {
  const auto rows = static_cast<int>(workload.size("ROWS"));
  const auto columns = static_cast<int>(workload.size("COLUMNS"));
  const std::size_t in = workload.position("in");
  const std::size_t out = workload.position("out");
  const auto handle = std::make_shared<CudnnHandle>();
  const Tensor tensor = make_tensor(workload.type_name("in"), rows, columns, 1, 1);
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
  return {fastest_call(workload, calls)};
}

// The convolution of one image with one channel, without TF32, which the kernel does not use either.
std::vector<Call> make_cudnn_convolution(const Workload& workload) {
  const std::string type = workload.type_name("image");
  const auto height = static_cast<int>(workload.size("HEIGHT"));
  const auto width = static_cast<int>(workload.size("WIDTH"));
  const auto filter_height = static_cast<int>(workload.size("FILTER_HEIGHT"));
  const auto filter_width = static_cast<int>(workload.size("FILTER_WIDTH"));
  const bool valid = workload.text("border") == "valid";
  if (!valid && (filter_height % 2 == 0 || filter_width % 2 == 0))
    throw base::InputError("cuDNN pads both sides equally: the filter's sides must be odd");
  const int pad_height = valid ? 0 : (filter_height - 1) / 2;
  const int pad_width = valid ? 0 : (filter_width - 1) / 2;
  const std::size_t image = workload.position("image");
  const std::size_t filter = workload.position("filter");
  const std::size_t out = workload.position("out");

  const auto handle = std::make_shared<CudnnHandle>();
  const Tensor from = make_tensor(type, 1, 1, height, width);
  const Tensor to = make_tensor(type, 1, 1, height + 2 * pad_height - filter_height + 1,
                                width + 2 * pad_width - filter_width + 1);
  cudnnFilterDescriptor_t filter_handle = nullptr;
  check_cudnn(cudnn().cudnnCreateFilterDescriptor(&filter_handle), "cudnnCreateFilterDescriptor");
  const auto weights = owned(filter_handle, cudnn().cudnnDestroyFilterDescriptor);
  check_cudnn(cudnn().cudnnSetFilter4dDescriptor(weights.get(), cudnn_type(type), CUDNN_TENSOR_NCHW, 1, 1,
                                                 filter_height, filter_width),
              "cudnnSetFilter4dDescriptor");
  cudnnConvolutionDescriptor_t convolution_handle = nullptr;
  check_cudnn(cudnn().cudnnCreateConvolutionDescriptor(&convolution_handle),
              "cudnnCreateConvolutionDescriptor");
  const auto convolution = owned(convolution_handle, cudnn().cudnnDestroyConvolutionDescriptor);
  check_cudnn(cudnn().cudnnSetConvolution2dDescriptor(convolution.get(), pad_height, pad_width, 1, 1, 1, 1,
                                                      CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
              "cudnnSetConvolution2dDescriptor");
  check_cudnn(cudnn().cudnnSetConvolutionMathType(convolution.get(),
                                                  type == "f32" ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH),
              "cudnnSetConvolutionMathType");
  std::vector<Call> calls;
  for (int i = 0; i < CUDNN_CONVOLUTION_FWD_ALGO_COUNT; ++i) {
    const auto algorithm = static_cast<cudnnConvolutionFwdAlgo_t>(i);
    std::size_t bytes = 0;
    if (cudnn().cudnnGetConvolutionForwardWorkspaceSize(handle->get(), from.get(), weights.get(),
                                                        convolution.get(), to.get(), algorithm,
                                                        &bytes) != CUDNN_STATUS_SUCCESS) {
      continue;
    }
    const auto workspace = shared_memory(bytes + 1, "cuDNN's workspace");
    Call& call = calls.emplace_back();
    call.name = fmt::format("{} ConvolutionForward, algorithm {}", cudnn_version(), i);
    call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
      const float one = 1.0F;
      const float zero = 0.0F;
      check_cudnn(cudnn().cudnnConvolutionForward(
                      handle->on(stream), &one, from.get(), pointer_of(buffers[image]), weights.get(),
                      pointer_of(buffers[filter]), convolution.get(), algorithm, pointer_of(workspace->get()),
                      bytes, &zero, to.get(), pointer_of(buffers[out])),
                  "cudnnConvolutionForward");
    };
  }
  const std::vector<Call> working = working_calls(workload, calls);
  Call fastest = fastest_call(workload, working);
  fastest.name += fmt::format(", of {} that run", working.size());
  return {fastest};
}

}  // namespace warptune::bench::vendor
