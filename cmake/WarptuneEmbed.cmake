# cmake -D LIBRARY=... -D SOURCE=... -P WarptuneEmbed.cmake: writes the C++ source of survey/collecting/injection_library.h, which has
# the file LIBRARY in itself. The hash makes the source change with the library, because compiler caches do not read what the
# assembler includes.
file(SHA256 "${LIBRARY}" hash)
file(CONFIGURE OUTPUT "${SOURCE}" @ONLY CONTENT [[
// @hash@
#include "survey/collecting/injection_library.h"

#include <cstddef>

asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".globl warptune_injection_library\n"
    ".hidden warptune_injection_library\n"
    "warptune_injection_library:\n"
    ".incbin \"@LIBRARY@\"\n"
    ".globl warptune_injection_library_end\n"
    ".hidden warptune_injection_library_end\n"
    "warptune_injection_library_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char warptune_injection_library[];
extern const char warptune_injection_library_end[];
}

namespace warptune::survey::collecting {

std::string_view injection_library() {
  return {warptune_injection_library,
          static_cast<std::size_t>(warptune_injection_library_end - warptune_injection_library)};
}

}  // namespace warptune::survey::collecting
]])
