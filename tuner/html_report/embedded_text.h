#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner::html_report {

/// Text as gzip in base64: letters, digits, `+`, `/` and `=` alone, which no markup can come of.
std::string gzip_base64(std::string_view text);

}  // namespace warptune::tuner::html_report
