#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/environment.h"
#include "base/error.h"
#include "base/text.h"

namespace warptune::base {

namespace {

// spdlog's default logger is not used, because it belongs to the program that uses libwarptune. Before
// `set_up_log` is called, warnings go to stderr.
std::shared_ptr<spdlog::logger> make_logger(std::string_view level, const std::string& process,
                                            std::FILE* file) {
  using Sink = spdlog::sinks::ansicolor_sink<spdlog::details::console_mutex>;
  const spdlog::color_mode mode = shows_colour(file) ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto logger = std::make_shared<spdlog::logger>("warptune", std::make_shared<Sink>(file, mode));
  const std::string name = process.empty() ? "warptune" : "warptune[" + process + "]";
  // The times show how long a session waits, and for what.
  const bool shows_time = level == "trace" || level == "debug";
  logger->set_pattern((shows_time ? "%H:%M:%S.%e " : "") + name + ": %^%l%$: %v");
  logger->set_level(spdlog::level::from_str(std::string(level)));
  return logger;
}

std::shared_ptr<spdlog::logger>& log() {
  static std::shared_ptr<spdlog::logger> logger = make_logger("info", "", stderr);
  return logger;
}

}  // namespace

std::vector<std::string> log_levels() { return {"trace", "debug", "info", "warn", "error", "off"}; }

void set_up_log(std::string_view level, const std::string& process, std::FILE* file) {
  const std::vector<std::string> levels = log_levels();
  if (!contains(levels, level)) {
    throw InputError(
        fmt::format("unknown log level '{}', expected one of {}", level, fmt::join(levels, " ")));
  }
  log() = make_logger(level, process, file);
}

void log_debug(const std::string& message) { log()->debug("{}", printable(message)); }
void log_info(const std::string& message) { log()->info("{}", printable(message)); }
void log_warning(const std::string& message) { log()->warn("{}", printable(message)); }

}  // namespace warptune::base
