#include "survey/injected/settings.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace warptune::survey::injected {

namespace {

constexpr std::uint64_t kDefaultLimit = 4'000'000;
constexpr std::uint64_t kDefaultPeriodMs = 200;
constexpr std::uint64_t kDefaultBufferKib = 1024;  // 4 MiB cost small launches more (scripts/gpu-survey).
constexpr std::uint64_t kDefaultCaptureKib = 1U << 20U;
constexpr std::uint64_t kKib = 1024;

void read_text(const char* variable, std::array<char, 4096>& text) {
  const char* value = std::getenv(variable);
  if (value == nullptr || std::strlen(value) >= text.size()) return;
  std::strcpy(text.data(), value);
}

std::uint64_t read_number(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value < '0' || *value > '9') return otherwise;
  return std::strtoull(value, nullptr, 10);
}

// Whether a list of words that commas separate has a word.
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    if (list.substr(0, end) == word) return true;
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  read_text("WARPTUNE_SURVEY_FOLDER", settings.folder);
  read_text("WARPTUNE_SURVEY_CUPTI", settings.cupti);
  read_text("WARPTUNE_SURVEY_PLAN", settings.plan);
  settings.capture_launch = read_number("WARPTUNE_SURVEY_CAPTURE", 0);
  settings.capture_bytes = read_number("WARPTUNE_SURVEY_CAPTURE_KIB", kDefaultCaptureKib) * kKib;
  settings.limit = read_number("WARPTUNE_SURVEY_LIMIT", kDefaultLimit);
  settings.start = read_number("WARPTUNE_SURVEY_START", 0);
  settings.stop = read_number("WARPTUNE_SURVEY_STOP", 0);
  settings.period_ms = read_number("WARPTUNE_SURVEY_PERIOD_MS", kDefaultPeriodMs);
  settings.buffer_bytes = read_number("WARPTUNE_SURVEY_BUFFER_KIB", kDefaultBufferKib) * kKib;
  settings.keep_free_bytes = read_number("WARPTUNE_SURVEY_KEEP_FREE_KIB", 0) * kKib;
  settings.device_buffer_bytes = read_number("WARPTUNE_SURVEY_DEVICE_BUFFER_KIB", 0) * kKib;
  if (const char* list = std::getenv("WARPTUNE_SURVEY_TRACE"); list != nullptr) {
    TracedThings& traced = settings.traced;
    traced.kernels = has_word(list, "kernels");
    traced.copies = has_word(list, "copies");
    traced.fills = has_word(list, "fills");
    traced.ranges = has_word(list, "ranges");
    traced.runtime = has_word(list, "runtime");
    traced.driver = has_word(list, "driver");
    traced.devices = has_word(list, "devices");
    settings.pinned = has_word(list, "pinned");
    settings.shared_buffers = has_word(list, "shared_buffers");
  }
  return settings;
}

}  // namespace warptune::survey::injected
