#include "survey/injected/cupti_functions.h"

#include <dlfcn.h>
#include <pthread.h>

#include <type_traits>

namespace warptune::survey::injected {

namespace {

constexpr const char* kName = "libcupti.so.13";

void* open_cupti(const char* path) {
  if (void* loaded = ::dlopen(kName, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr) return loaded;
  if (path != nullptr && *path != '\0') {
    if (void* given = ::dlopen(path, RTLD_NOW | RTLD_LOCAL); given != nullptr) return given;
  }
  return ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
}

CuptiFunctions load(const char* path) {
  CuptiFunctions functions;
  void* library = open_cupti(path);
  if (library == nullptr) {
    functions.problem = "The program cannot load libcupti.so.13, so nothing was recorded.";
    return functions;
  }
  functions.library = library;
#define WARPTUNE_LOAD(name)                                                             \
  functions.name = reinterpret_cast<decltype(functions.name)>(::dlsym(library, #name)); \
  if (functions.name == nullptr)                                                        \
    functions.problem = "The program's libcupti has no " #name ", so nothing was recorded.";
  WARPTUNE_INJECTED_FUNCTIONS(WARPTUNE_LOAD)
#undef WARPTUNE_LOAD
  functions.cuptiActivityEnableAndDump = reinterpret_cast<decltype(functions.cuptiActivityEnableAndDump)>(
      ::dlsym(library, "cuptiActivityEnableAndDump"));
  functions.initialise_nvtx =
      reinterpret_cast<decltype(functions.initialise_nvtx)>(::dlsym(library, "InitializeInjectionNvtx2"));
  if (functions.problem != nullptr) return functions;
  if (functions.cuptiGetVersion(&functions.version) != CUPTI_SUCCESS) functions.version = 0;
  // Records of an older CUPTI have other members.
  constexpr unsigned kSameRecords = CUPTI_API_VERSION / 10000 * 10000;
  if (functions.version < kSameRecords)
    functions.problem = "The program's libcupti is older than CUDA 13, so nothing was recorded.";
  constexpr int kNeededDriver = 13000;
  if (const int driver = driver_version(); driver > 0 && driver < kNeededDriver)
    functions.problem = "The driver is older than CUDA 13 (580), so nothing was recorded.";
  return functions;
}

pthread_once_t once = PTHREAD_ONCE_INIT;
const char* wanted_path = nullptr;
CuptiFunctions loaded;

}  // namespace

int driver_version() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  int version = 0;
  const auto get = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDriverGetVersion"));
  return get != nullptr && get(&version) == 0 ? version : 0;
}

const CuptiFunctions& cupti(const char* path) {
  wanted_path = path;
  ::pthread_once(&once, [] { loaded = load(wanted_path); });
  return loaded;
}

}  // namespace warptune::survey::injected
