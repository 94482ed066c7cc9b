// A program whose launches can be captured: `captured_program WHAT`. The driver and CUPTI are fakes. Its
// kernel `add` multiplies the second half of a buffer by the variable "gain", adds a number, and counts its
// launches in another buffer. `WHAT` is the kind of memory of the first buffer, or what is special.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/survey/collecting/programs/fake_cupti.h"
#include "tests/survey/collecting/programs/fake_driver.h"
#include "tests/survey/device_image.h"

namespace {

constexpr int kWords = 1024;
constexpr const char* kKernel = "_Z3add6VectorPif";
void* cupti = nullptr;
#define FAKE(name) reinterpret_cast<decltype(&(name))>(::dlsym(cupti, #name))

struct Vector {
  int count;
  float* data;
};

void initialise_cuda() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
  if (library == nullptr) std::_Exit(70);
  reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"))();
  cupti = ::dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
}

// What is launched, so that the fake can call it.
Vector vector{};
int* launches = nullptr;
float added = 1.0F;
bool captures_within = false;  // Another thread begins a capture while the kernel is launched.
void run_kernel() {
  for (int i = 0; i < vector.count; ++i) vector.data[i] = vector.data[i] * *fake_variable() + added;
  ++*launches;
  if (captures_within) FAKE(fake_capture)(1);
}

void launch() {
  static std::uint32_t correlation = 0;
  void* values[] = {&vector, &launches, &added};
  struct {
    void* function = nullptr;
    unsigned grid[3] = {4, 1, 1};
    unsigned block[3] = {256, 1, 1};
    unsigned shared = 512;
    void* stream = nullptr;
    void** parameters = nullptr;
    void** extra = nullptr;
  } parameters;
  parameters.function = &vector;
  parameters.parameters = values;
  FAKE(fake_launch_with)(kKernel, &parameters, run_kernel);
  const std::uint64_t start = FAKE(fake_now)();
  if (start != 0) FAKE(fake_kernel)(kKernel, 4, start, start + 3000, ++correlation);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "device";
  initialise_cuda();
  if (FAKE(fake_now)() != 0) FAKE(fake_device)("Fictional GPU");
  std::vector<std::string> kernels{"_Z5otherv"};
  for (int i = 0; what == "many_kernels" && i < 5000; ++i) kernels.push_back("other" + std::to_string(i));
  kernels.emplace_back(kKernel);
  const std::string image = warptune::survey::device_image(kernels, {"gain", "unknown"});
  if (what != "no_image") FAKE(fake_load_module)(image.data(), image.size());
  if (what == "twice") FAKE(fake_load_module)(image.data(), image.size());
  const unsigned type = what == "managed" ? 0U : what == "host" ? 1U : 2U;
  auto* const data = static_cast<float*>(fake_allocate(2 * kWords * sizeof(float), type));
  vector = {kWords, data + kWords};
  launches = static_cast<int*>(fake_allocate(sizeof(int), 2));
  captures_within = what == "graph_within";
  const bool is_graph = what == "graph";
  if (is_graph) FAKE(fake_capture)(1);
  if (what == "no_module") fake_hide_modules();
  if (what == "no_parameters") fake_fail_parameters();
  for (int i = 0; i < 5; ++i) launch();
  if (is_graph) FAKE(fake_capture)(0);
  if (what == "kill" && std::getenv("WARPTUNE_SURVEY_PLAN") != nullptr) ::_exit(9);
  return data[0] == 0.0F && data[kWords] == 31.0F && *launches == 5 && fake_was_relaxed() != 0 ? 0 : 1;
}
