#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warptune::kernel_templates::emulation {

/// A kernel's source as C++ for the host, to be put into a namespace.
struct RewrittenSource {
  std::string text;                  ///< With as many lines as the source.
  std::vector<std::string> headers;  ///< The standard headers that it includes.
  std::set<std::string> macros;      ///< The macros that it defines.
};

/// Rewrites a source whose own headers are joined to it. Shared variables become calls of the emulation
/// (runtime/block_runner.h), `extern "C"` is left out, and so are includes. A source that cannot be rewritten
/// gives the reason, such as "a shared variable without a named type".
base::Result<RewrittenSource> rewritten_source(std::string_view source);

/// What a source uses that the host cannot emulate, in words, such as "inline PTX". Empty if its text names
/// nothing of that kind.
std::string unsupported_words(std::string_view source);

}  // namespace warptune::kernel_templates::emulation
