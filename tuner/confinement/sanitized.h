#pragma once

// Whether the program is built with a sanitizer. The memory, threads and symbolizer of a sanitizer would
// exceed the limits of a worker.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WARPTUNE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WARPTUNE_SANITIZED 1
#endif
#endif

namespace warptune::tuner::confinement {

#ifdef WARPTUNE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace warptune::tuner::confinement
