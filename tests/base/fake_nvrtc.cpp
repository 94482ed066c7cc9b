// Stands in for NVRTC: opens its companion by bare name when used, as NVRTC does.
#include <dlfcn.h>

extern "C" bool fake_nvrtc_finds_its_builtins() {
  void* builtins = ::dlopen("libnvrtc-builtins.so", RTLD_NOW);
  return builtins != nullptr && ::dlsym(builtins, "fake_nvrtc_builtins") != nullptr;
}
