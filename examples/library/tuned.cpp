// Adds two vectors with the fastest known configuration of the shipped kernel vector_add, on a stream of its
// own and through a CUDA graph.
//
//   tuned_cpp [SNAPSHOT]
#include <cuda.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>
#include <warptune.hpp>

namespace {

void check_cuda(CUresult code) {
  if (code != CUDA_SUCCESS) throw std::runtime_error("the CUDA driver answers " + std::to_string(code));
}

// `count` elements in device memory, all with the same value.
class Vector {
 public:
  Vector(std::size_t count, float value) : count_(count) {
    const std::vector<float> numbers(count, value);
    check_cuda(cuMemAlloc(&memory_, count * sizeof(float)));
    check_cuda(cuMemcpyHtoD(memory_, numbers.data(), count * sizeof(float)));
  }
  ~Vector() { cuMemFree(memory_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  warptune::Argument argument() const {
    return warptune::buffer(reinterpret_cast<const float*>(memory_), count_);
  }
  std::size_t count_of_others(float value) const {
    std::vector<float> numbers(count_);
    check_cuda(cuMemcpyDtoH(numbers.data(), memory_, count_ * sizeof(float)));
    std::size_t others = 0;
    for (const float number : numbers) others += number != value ? 1 : 0;
    return others;
  }

 private:
  CUdeviceptr memory_ = 0;
  std::size_t count_;
};

// Captures a launch into a graph, and runs the graph.
template <class Launch>
void run_as_graph(CUstream stream, const Launch& launch) {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  check_cuda(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch();
  check_cuda(cuStreamEndCapture(stream, &graph));
  check_cuda(cuGraphInstantiate(&executable, graph, 0));
  check_cuda(cuGraphLaunch(executable, stream));
  check_cuda(cuStreamSynchronize(stream));
  check_cuda(cuGraphExecDestroy(executable));
  check_cuda(cuGraphDestroy(graph));
}

int run(const char* snapshot) {
  constexpr std::size_t kCount = 1 << 20;
  warptune_open_options options{};
  options.snapshot = snapshot;
  const warptune::Library library(options);
  warptune::CallSite<1> site(library.kernel("vector_add"));
  const warptune::Selection selection = site.select(kCount);
  const warptune::Code code = selection.load_in_background();

  const Vector a(kCount, 1.0F);
  const Vector b(kCount, 2.0F);
  const Vector c(kCount, 0.0F);
  CUstream stream = nullptr;
  check_cuda(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const auto launch = [&] {
    // alpha, low and high, which "add" does not use, and the number of elements get the definition's values.
    const auto usual = warptune::usual_scalar<float>();
    code.launch(stream, a.argument(), b.argument(), c.argument(), usual, usual, usual,
                warptune::usual_scalar<long long>());
  };
  run_as_graph(stream, launch);
  const std::size_t wrong = c.count_of_others(3.0F);
  std::printf("%s: %s\n%zu of %zu elements are wrong\n", selection.info().problem,
              selection.info().configuration, wrong, kCount);
  check_cuda(cuStreamDestroy(stream));
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CUdevice device = 0;
    CUcontext context = nullptr;
    check_cuda(cuInit(0));
    check_cuda(cuDeviceGet(&device, 0));
    check_cuda(cuDevicePrimaryCtxRetain(&context, device));
    check_cuda(cuCtxSetCurrent(context));
    return run(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
