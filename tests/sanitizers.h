#pragma once

namespace warptune::tests {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPTUNE_CLANG_ADDRESS_SANITIZER
#endif
#endif

/// Whether this build runs under the address sanitizer, which ends a program that loads CUPTI's host library
/// (RTLD_DEEPBIND).
#if defined(__SANITIZE_ADDRESS__) || defined(WARPTUNE_CLANG_ADDRESS_SANITIZER)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

}  // namespace warptune::tests
