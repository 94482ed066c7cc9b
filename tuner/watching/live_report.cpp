#include "tuner/watching/live_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/text.h"
#include "kernel_templates/library.h"
#include "tuner/html_report/report_data.h"
#include "tuner/html_report/report_page.h"
#include "tuner/html_report/report_workloads.h"
#include "tuner/watching/secret_address.h"

namespace warptune::tuner::watching {

namespace {

using Clock = std::chrono::steady_clock;

// The pause after a report was built, in multiples of the CPU time that this took, and its minimum.
constexpr int kPauseFactor = 9;
constexpr std::chrono::milliseconds kMinPause{500};
// A page says in `away_ms` how long it drew and paused since the last answer. A larger value counts as this.
constexpr std::uint64_t kMaxAwayMs = 30'000;

std::string query_value(const std::string& query, std::string_view name) {
  for (const std::string& part : base::split(query, '&')) {
    if (part.starts_with(name) && part.substr(name.size()).starts_with('='))
      return part.substr(name.size() + 1);
  }
  return "";
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

const char* state_name(const std::optional<LiveReport::End>& end) {
  if (!end) return "running";
  switch (*end) {
    case LiveReport::End::kFinished:
      return "finished";
    case LiveReport::End::kInterrupted:
      return "interrupted";
    default:
      return "failed";
  }
}

// The kernel's definition. A kernel that only a recording knows has none.
std::optional<kernel_templates::KernelDefinition> definition_of(const WatchedTuning& tuning) {
  if (!kernel_templates::is_kernel_path(tuning.kernel) &&
      !base::contains(kernel_templates::shipped_kernels(), tuning.kernel))
    return std::nullopt;
  return kernel_templates::load_kernel(tuning.kernel, tuning.permissions);
}

// Whether an event changes what a report of the session shows.
bool changes_rows(const session::SessionEvent& event) {
  return std::holds_alternative<session::MeasurementStored>(event) ||
         std::holds_alternative<session::CountersStored>(event) ||
         std::holds_alternative<session::MeasurementRejected>(event) ||
         std::holds_alternative<session::BestConfirmed>(event);
}

}  // namespace

LiveReport::LiveReport(const WatchedTuning& tuning, std::optional<std::uint16_t> port,
                       std::chrono::milliseconds page_timeout)
    : page_timeout_(page_timeout),
      token_(random_token()),
      database_(tuning.database),
      definition_(definition_of(tuning)),
      server_(port, [this](const HttpRequest& request) { return answer(request); }) {}

LiveReport::~LiveReport() {
  end(End::kFailed);
  const Clock::time_point deadline = Clock::now() + kFarewell;
  while (!all_pages_know_the_end() && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::string LiveReport::address() const { return secret_address(server_.port(), token_); }

void LiveReport::on_event(const session::SessionEvent& event) {
  const std::lock_guard lock(mutex_);
  if (const auto* began = std::get_if<session::SessionBegan>(&event)) {
    progress_.workloads.push_back(began->workload);
  } else if (const auto* progress = std::get_if<session::SessionProgress>(&event)) {
    progress_.evaluated = progress->evaluated;
    progress_.fraction = progress->fraction;
    return;  // Progress alone changes no row of the report.
  } else if (!changes_rows(event)) {
    return;
  }
  ++progress_.revision;
}

void LiveReport::end(End how) {
  const std::lock_guard lock(mutex_);
  if (progress_.end) return;
  progress_.end = how;
  ++progress_.revision;
}

bool LiveReport::all_pages_know_the_end() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(pages_.begin(), pages_.end(), [](const auto& page) {
    return page.second.knows_the_end || Clock::now() - page.second.asked > page.second.closed_after;
  });
}

std::optional<HttpAnswer> LiveReport::answer(const HttpRequest& request) {
  std::string name;
  if (std::optional<HttpAnswer> refusal = refused(request, token_, name)) return refusal;
  if (name.empty()) return page();
  if (name == "data") return data(request.query);
  return HttpAnswer{404, kPlainText, {}, "there is only the page and its data\n"};
}

// Notes that a page asked for what is newer than the revision `after`. Returns the present state.
LiveReport::Progress LiveReport::note_page(const std::string& query, std::uint64_t after) {
  const std::string name = query_value(query, "page");
  const std::chrono::milliseconds away{std::min(number_in(query_value(query, "away_ms")), kMaxAwayMs)};
  const std::lock_guard lock(mutex_);
  if (!name.empty()) {
    pages_[name] = {Clock::now(), std::max<Clock::duration>(page_timeout_, 2 * away),
                    progress_.end.has_value() && after >= progress_.revision};
  }
  return progress_;
}

bool LiveReport::may_build() const { return !document_ || Clock::now() >= next_build_; }

void LiveReport::build(const Progress& progress) {
  const std::chrono::nanoseconds begin = base::thread_cpu_time();
  std::vector<html_report::ReportWorkload> workloads;
  if (!progress.workloads.empty()) {
    if (!store_) store_ = db::Store::open_existing(database_);
    workloads =
        html_report::session_workloads(*store_, progress.workloads, definition_ ? &*definition_ : nullptr);
  }
  document_ = Document{progress, html_report::report_json(workloads, base::unix_time_ms())};
  const Clock::duration taken = base::thread_cpu_time() - begin;
  next_build_ = Clock::now() + std::max<Clock::duration>(kPauseFactor * taken, kMinPause);
}

std::optional<HttpAnswer> LiveReport::data(const std::string& query) {
  if (query_value(query, "closed") == "1") {
    const std::lock_guard lock(mutex_);
    pages_.erase(query_value(query, "page"));
    return HttpAnswer{204, "", {}, ""};
  }
  const std::uint64_t after = number_in(query_value(query, "after"));
  const Progress now = note_page(query, after);
  if (after >= now.revision) {
    if (now.end) return HttpAnswer{204, "", {}, ""};
    return std::nullopt;
  }
  const bool is_old = !document_ || document_->progress.revision < now.revision;
  if (is_old && (now.end || may_build())) build(now);
  const Progress& shown = document_->progress;
  if (shown.revision <= after) return std::nullopt;
  return HttpAnswer{200,
                    "application/json",
                    {{"Warptune-Revision", std::to_string(shown.revision)},
                     {"Warptune-State", state_name(shown.end)},
                     {"Warptune-Evaluated", std::to_string(shown.evaluated)},
                     {"Warptune-Done", shown.fraction ? fmt::format("{:.3f}", *shown.fraction) : ""}},
                    document_->json};
}

HttpAnswer LiveReport::page() {
  const Progress now = note_page("", 0);
  if (may_build()) build(now);
  return {200,
          "text/html; charset=utf-8",
          {},
          html_report::report_page(html_report::report_page_folder(), document_->json,
                                   document_->progress.revision)};
}

}  // namespace warptune::tuner::watching
