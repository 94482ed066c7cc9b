// The report's page of a running session, for a browser on this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "kernel_templates/read_scope.h"
#include "tuner/session/session_events.h"
#include "tuner/watching/loopback_server.h"

namespace warptune::tuner::watching {

/// What a watched session runs.
struct WatchedTuning {
  std::string kernel;  ///< All three are those of the `session::TuningRequest`.
  kernel_templates::Permissions permissions;
  std::filesystem::path database;
};

/// Serves the report of the sessions of a command while they run: the page of `warptune report`, and its data
/// whenever they changed.
///
/// The address has a random token. A request with another token is refused. A request whose `Host` header is
/// not a loopback name is refused, too, because a web page may let its own host name resolve to this machine
/// (DNS rebinding).
///
/// The sessions only note what happened. The server's thread reads the database, and only if a page asks. It
/// takes at most a tenth of one core's time.
class LiveReport : public session::SessionListener {
 public:
  /// How the sessions of the command ended.
  enum class End { kFinished, kInterrupted, kFailed };

  /// The longest wait of the destructor for open pages.
  static constexpr std::chrono::milliseconds kFarewell{30000};
  static constexpr std::chrono::milliseconds kPageTimeout{15000};

  /// Listens on `port`, or on a free one. Throws as `LoopbackServer` does, and as `load_kernel` does.
  ///
  /// A page that closes says so. A browser that is killed does not: its pages count as closed when they have
  /// sent no request for `page_timeout`. An open page waits for an answer, except while it draws and pauses.
  /// It reports how long that took the last time, and may take twice as long the next time.
  LiveReport(const WatchedTuning& tuning, std::optional<std::uint16_t> port,
             std::chrono::milliseconds page_timeout = kPageTimeout);
  /// Waits until the open pages have the last state, at most `kFarewell`. Without a call of `end`, the pages
  /// show that the sessions failed.
  ~LiveReport() override;
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  /// `http://127.0.0.1:PORT/TOKEN/`.
  std::string address() const;
  void on_event(const session::SessionEvent& event) override;
  /// Tells the open pages that no event follows.
  void end(End how);

 private:
  // The state of the sessions. Each change gets the next revision.
  struct Progress {
    std::uint64_t revision = 1;
    std::optional<End> end{};
    std::vector<model::Workload> workloads{};
    std::uint64_t evaluated = 0;
    std::optional<double> fraction{};
  };
  // A page in a browser. It counts as closed if it sends no request for the time `closed_after`.
  struct OpenPage {
    std::chrono::steady_clock::time_point asked{};  // The time of its last request.
    std::chrono::steady_clock::duration closed_after{};
    bool knows_the_end = false;
  };
  struct Document {
    Progress progress;
    std::string json;
  };

  std::optional<HttpAnswer> answer(const HttpRequest& request);
  std::optional<HttpAnswer> data(const std::string& query);
  HttpAnswer page();
  Progress note_page(const std::string& query, std::uint64_t after);
  void build(const Progress& progress);
  bool may_build() const;
  bool all_pages_know_the_end() const;

  const std::chrono::milliseconds page_timeout_;
  const std::string token_;
  const std::filesystem::path database_;
  std::optional<kernel_templates::KernelDefinition> definition_;

  mutable std::mutex mutex_;
  Progress progress_;                      // Guarded by the mutex.
  std::map<std::string, OpenPage> pages_;  // Guarded by the mutex.

  // Only the server's thread uses these.
  std::optional<db::Store> store_;
  std::optional<Document> document_;
  std::chrono::steady_clock::time_point next_build_{};

  LoopbackServer server_;  // The last member: its thread uses the others.
};

}  // namespace warptune::tuner::watching
