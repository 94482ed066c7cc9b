// Linked into the programs of a sanitizer build only. The leak checker stops all threads and reads their
// memory when a process ends. The threads of NVRTC and CUPTI are then ending themselves, and the leak checker
// sometimes crashes ("Tracer caught signal 11"). Processes that loaded one of these libraries therefore skip
// it. The address and undefined-behaviour checks stay.

#include <dlfcn.h>

#include <initializer_list>

// The hook's name is the sanitizer's: sanitizer/lsan_interface.h.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)

extern "C" int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libcupti.so.13"}) {
    if (::dlopen(name, RTLD_LAZY | RTLD_NOLOAD) != nullptr) return 1;
  }
  return 0;
}
