// Tests those parts of tuning from a program that need a GPU. Prints "ok" if everything was right.
// scripts/gpu-library runs it.
//
// The kernel doubles numbers. Its parameter FAULT chooses what goes wrong: 0 nothing, 1 numbers above a
// million are not doubled, 2 all results are wrong, 3 an invalid store ends the worker's process. The program
// passes numbers above a million, but the definition generates none.
#include <cuda.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>
#include <warptune_tuning.hpp>

namespace {

using warptune::Definition;
using warptune::Library;
using warptune::TuningRequest;
using warptune::TuningResult;

constexpr int kCount = 1 << 20;

const char* const kSource = R"(
extern "C" __global__ void twice(const int* in, int* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  if (FAULT == 1 && in[i] > 1000000) return;
  if (FAULT == 3) *(volatile int*)8 = 1;
  out[i] = FAULT == 2 ? 3 * in[i] : 2 * in[i];
}
)";

int failures = 0;

void expect(bool holds, const std::string& what) {
  std::printf("%s: %s\n", holds ? "passed" : "FAILED", what.c_str());
  failures += holds ? 0 : 1;
}

void check_cuda(CUresult code) {
  if (code != CUDA_SUCCESS) throw std::runtime_error("the CUDA driver answers " + std::to_string(code));
}

int* on_device(const std::vector<int>& numbers) {
  CUdeviceptr memory = 0;
  check_cuda(cuMemAlloc(&memory, numbers.size() * sizeof(int)));
  check_cuda(cuMemcpyHtoD(memory, numbers.data(), numbers.size() * sizeof(int)));
  return reinterpret_cast<int*>(memory);
}

// A kernel of its own for each case, so that no case knows the results of another.
std::string define(const Library& library, const std::string& name, const char* constraint = "BLOCK > 0") {
  Definition twice(name, kSource);
  twice.entry("twice")
      .problem("N", kCount)
      .parameter("BLOCK", {128, 256}, 128)
      .parameter("FAULT", {0, 1, 2, 3}, 0)
      .constraint(constraint)
      .launch({"ceil_div(N, BLOCK)"}, {"BLOCK"})
      .in("in", "i32", "N")
      .out("out", "i32", "N")
      .scalar("n", "i32", "N")
      .check("2 * in[i]");
  return warptune::define(library, twice);
}

TuningResult tuned(const Library& library, TuningRequest& request) {
  request.budget("all").strategy("exhaustive").fresh().metrics("none");
  const auto start = std::chrono::steady_clock::now();
  warptune::Tuning tuning(library, request);
  tuning.each_event([](const warptune_tuning_event& event) {
    if (event.kind == WARPTUNE_EVENT_MEASURED)
      std::printf("  %s: %s %.0f %s\n", event.configuration, event.status, event.median_ns, event.text);
    if (event.kind == WARPTUNE_EVENT_WARNING) std::printf("  %s\n", event.text);
  });
  const TuningResult result = tuning.finish();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("  %s in %.1f s\n", result.configuration.c_str(), taken.count());
  return result;
}

void run(const Library& library) {
  std::vector<int> numbers(kCount);
  std::vector<int> twice(kCount);
  for (int i = 0; i < kCount; ++i) {
    numbers[i] = i;  // The largest ones are beyond a million.
    twice[i] = 2 * i;
  }
  const int* const in = on_device(numbers);

  TuningRequest by_definition(define(library, "by_definition"));
  expect(tuned(library, by_definition).wrong == 2, "the definition's data: FAULT=2 is wrong");

  TuningRequest with_data(define(library, "with_data"));
  with_data.first("in", warptune::buffer(in, kCount));
  expect(tuned(library, with_data).wrong == 4, "the program's data: FAULT=1 and FAULT=2 are wrong");

  TuningRequest with_values(define(library, "with_values"));
  with_values.first("in", warptune::buffer(in, kCount))
      .expect("out", warptune::buffer(twice.data(), kCount), WARPTUNE_HOST_MEMORY);
  expect(tuned(library, with_values).wrong == 4, "expected values: FAULT=1 and FAULT=2 are wrong");

  twice[5] = 7;
  bool fails = false;
  try {
    TuningRequest with_wrong_values(define(library, "with_wrong_values"));
    with_wrong_values.first("in", warptune::buffer(in, kCount))
        .expect("out", warptune::buffer(twice.data(), kCount), WARPTUNE_HOST_MEMORY);
    tuned(library, with_wrong_values);
  } catch (const warptune::Error& error) {
    fails = error.status() == WARPTUNE_ERROR_UNKNOWN;
    std::printf("  %s\n", error.what());
  }
  expect(fails, "wrong expected values: no configuration is right");

  int asked = 0;
  const std::string kernel = define(library, "with_check");
  TuningRequest with_check(kernel);
  with_check.first("in", warptune::buffer(in, kCount))
      .check([&](const std::vector<warptune::Result>& results) {
        ++asked;
        const int* const out = results.at(0).as<int>();
        for (int i = 0; i < kCount; ++i) {
          if (out[i] != 2 * i) return "element " + std::to_string(i) + " is " + std::to_string(out[i]);
        }
        return std::string();
      });
  const TuningResult judged = tuned(library, with_check);
  expect(judged.wrong == 4, "a check: FAULT=1 and FAULT=2 are wrong");
  expect(judged.configuration.find("FAULT=0") != std::string::npos, "a check: the best is right");
  std::printf("  the check was asked %d times\n", asked);

  TuningRequest in_this_process(define(library, "in_this_process", "FAULT != 3"));
  in_this_process.first("in", warptune::buffer(in, kCount)).in_this_process();
  expect(tuned(library, in_this_process).wrong == 4, "in this process: FAULT=1 and FAULT=2 are wrong");

  int* const out = on_device(std::vector<int>(kCount, 0));
  const warptune::Code code = warptune::reopen(library, kernel).select(kCount).load();
  code.launch(nullptr, warptune::buffer(in, kCount), warptune::buffer(out, kCount), warptune::scalar(kCount));
  check_cuda(cuMemcpyDtoH(numbers.data(), reinterpret_cast<CUdeviceptr>(out), kCount * sizeof(int)));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += numbers[i] != 2 * i;
  expect(wrong == 0, "the launch after faults of kernels in workers");
}

}  // namespace

int main() {
  try {
    CUdevice device = 0;
    CUcontext context = nullptr;
    check_cuda(cuInit(0));
    check_cuda(cuDeviceGet(&device, 0));
    check_cuda(cuDevicePrimaryCtxRetain(&context, device));
    check_cuda(cuCtxSetCurrent(context));
    warptune_open_options options{};
    options.mode = WARPTUNE_MODE_TUNE;
    run(Library(options));
  } catch (const std::exception& error) {
    expect(false, error.what());
  }
  std::printf("%s\n", failures == 0 ? "ok" : "failed");
  return failures == 0 ? 0 : 1;
}
