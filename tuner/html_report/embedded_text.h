#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner::html_report {

/// Compresses a text by gzip and encodes it in base64. The result has only letters, digits, `+`, `/` and `=`,
/// so it cannot contain markup.
std::string gzip_base64(std::string_view text);

}  // namespace warptune::tuner::html_report
