// To be loaded before a program (LD_PRELOAD): a library whose path contains $BLOCKED_LIBRARY cannot be
// loaded.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

extern "C" void* dlopen(const char* path, int mode) noexcept {
  using Open = void* (*)(const char*, int);
  static const auto open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "dlopen"));
  const char* const blocked = std::getenv("BLOCKED_LIBRARY");
  const bool is_blocked = path != nullptr && blocked != nullptr && std::strstr(path, blocked) != nullptr;
  return open(is_blocked ? "/blocked/by/a/test.so" : path, mode);
}
