#include "tuner/html_report/embedded_text.h"

#include "base/streams/gzip_text.h"

namespace warptune::tuner::html_report {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string gzip_base64(std::string_view text) {
  const std::string packed = base::streams::gzip(text);
  std::string encoded;
  encoded.reserve((packed.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < packed.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < packed.size() ? static_cast<unsigned char>(packed[at]) : 0U;
    };
    const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    encoded += kDigits[group >> 18U];
    encoded += kDigits[group >> 12U & 63U];
    encoded += i + 1 < packed.size() ? kDigits[group >> 6U & 63U] : '=';
    encoded += i + 2 < packed.size() ? kDigits[group & 63U] : '=';
  }
  return encoded;
}

}  // namespace warptune::tuner::html_report
