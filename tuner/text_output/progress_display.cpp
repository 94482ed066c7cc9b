#include "tuner/text_output/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/log.h"
#include "base/text.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::text_output {

namespace {

constexpr int kBarWidth = 20;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::milliseconds kPlainLine{5000};

std::string bar_of(double fraction) {
  const int filled = static_cast<int>(fraction * kBarWidth);
  return fmt::format("[{}{}] ", std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(kBarWidth - filled), '.'));
}

std::string failures_of(const session::SessionProgress& progress) {
  std::uint64_t total = 0;
  std::string parts;
  for (const auto& [status, count] : progress.by_status) {
    if (status == model::Status::kMeasured || status == model::Status::kDropped) continue;
    total += count;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", model::to_string(status), count);
  }
  return total == 0 ? "" : fmt::format(" | failed {} ({})", total, parts);
}

std::string best_of(const session::SessionProgress& progress) {
  const std::string time = time_with_interval(progress.best_time);
  return progress.by_time ? time : fmt::format("{:.5g}, {}", *progress.best_value, time);
}

// Shortens a text to at most `bytes` without splitting a character.
std::string cut_to(std::string line, std::size_t bytes) {
  if (line.size() <= bytes) return line;
  while (bytes > 0 && (static_cast<unsigned char>(line[bytes]) & 0xC0U) == 0x80U) --bytes;
  line.resize(bytes);
  return line;
}

std::size_t line_width(std::FILE* stream) {
  const std::size_t width = terminal_width(stream);
  return (width > 0 ? width : 80) - 1;
}

}  // namespace

std::string progress_line(const session::SessionProgress& progress, bool bar, std::size_t width) {
  std::string line = bar && progress.fraction ? bar_of(*progress.fraction) : "";
  if (progress.fraction) line += fmt::format("{:.0f}% | ", 100 * *progress.fraction);
  line += fmt::format("{} evaluated", progress.evaluated);
  if (progress.known > 0) line += fmt::format(" (+{} known)", progress.known);
  if (progress.elapsed_s > 0)
    line += fmt::format(" | {:.1f}/s", static_cast<double>(progress.evaluated) / progress.elapsed_s);
  if (progress.best_value) line += " | best " + best_of(progress);
  const auto dropped = progress.by_status.find(model::Status::kDropped);
  if (dropped != progress.by_status.end()) line += fmt::format(" | dropped {}", dropped->second);
  line += failures_of(progress);
  if (progress.fraction && *progress.fraction > 0.01 && *progress.fraction < 1.0) {
    const double left_s = progress.elapsed_s * (1.0 / *progress.fraction - 1.0);
    line += fmt::format(" | {} left", time_span_text(left_s));
  }
  if (progress.best_value) line += " | " + base::printable_line(model::to_text(progress.best));
  return width > 0 ? cut_to(std::move(line), width) : line;
}

std::string steps_line(std::uint64_t done, std::uint64_t all, const std::string& step, double elapsed_s) {
  std::string line = fmt::format("{} of {}", done, base::counted(all, step));
  if (all == 0) return line;
  const double share = static_cast<double>(done) / static_cast<double>(all);
  line += fmt::format(" | {:.0f}%", 100 * share);
  if (done > 0 && done < all)
    line += fmt::format(" | {} left", time_span_text(elapsed_s * (1.0 / share - 1.0)));
  return line;
}

StepProgress::~StepProgress() {
  if (drawn_) erase_line(stream_);
  std::fflush(stream_);
}

void StepProgress::show(std::uint64_t done, std::uint64_t all) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? kRedraw : kPlainLine)) return;
  last_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - began_).count();
  if (terminal_) erase_line(stream_);
  print_to(stream_, steps_line(done, all, step_, elapsed_s) + (terminal_ ? "" : "\n"));
  drawn_ = terminal_;
  std::fflush(stream_);
}

void ProgressDisplay::on_event(const session::SessionEvent& event) {
  std::visit([this](const auto& held) { show(held); }, event);
}

void ProgressDisplay::show(const session::SessionProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || now - last_ < (terminal_ ? kRedraw : kPlainLine)) return;
  if (last_ == std::chrono::steady_clock::time_point{} && progress.evaluated == 0) return;
  last_ = now;
  if (terminal_) {
    erase_line(stream_);
    print_to(stream_, progress_line(progress, true, line_width(stream_)));
    drawn_ = true;
  } else {
    print_to(stream_, progress_line(progress, false, 0) + "\n");
  }
  std::fflush(stream_);
}

void ProgressDisplay::print(const std::string& line) {
  clear_line();
  print_to(stream_, (terminal_ ? wrap_lines(line, terminal_width(stream_)) : line) + "\n");
  std::fflush(stream_);
}

// This is printed even in quiet mode, because the user gets something other than requested.
void ProgressDisplay::show(const session::ReplayedInstead& event) {
  print(fmt::format("no GPU ({}): replaying the recording {} instead", event.reason, event.recording));
}

void ProgressDisplay::show(const session::RecordingShownInstead& event) {
  print(fmt::format("no GPU ({}): showing the recording {} instead", event.reason, event.recording));
}

void ProgressDisplay::show(const session::StoredShownInstead& event) {
  print(fmt::format("no {} here: showing stored measurements", event.gpu));
}

void ProgressDisplay::show(const session::ReportServed& event) {
  print(fmt::format("the report while the session runs: {}", event.address));
}

void ProgressDisplay::show(const session::FinalsBegan& event) {
  if (quiet_) return clear_line();
  print(fmt::format("confirming the best {} in {} interleaved rounds", event.finalists, event.rounds));
}

void ProgressDisplay::show(const session::ExperimentPartBegan& event) {
  print(fmt::format("{}: {} ({} of {}), {}", event.experiment, event.part, event.number, event.parts,
                    base::counted(event.configurations, "configuration")));
}

void ProgressDisplay::warn(const std::string& text) {
  clear_line();
  base::log_warning(text);
}

void ProgressDisplay::show(const session::SessionWarning& event) { warn(event.text); }

void ProgressDisplay::show(const session::MeasurementRejected& event) {
  warn(fmt::format("a configuration is not ranked, because it is {}: {}",
                   model::to_string(event.rejection.status), event.rejection.reason));
}

void ProgressDisplay::show(const session::WorkDoubted& event) { warn(event.doubt.message()); }

void ProgressDisplay::show(const session::FinalistImprecise& event) { warn(event.message()); }

void ProgressDisplay::clear_line() {
  if (drawn_) erase_line(stream_);
  drawn_ = false;
  std::fflush(stream_);
}

}  // namespace warptune::tuner::text_output
