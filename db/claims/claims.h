// Claims of configurations. They divide the work among sessions that search one workload at the same time.
//
// A session enters the database as a claimant, and claims each configuration before it evaluates it. It does
// not evaluate what another session has claimed. A claim ends when its row is stored, when its session ends,
// or when its process has ended or was silent for `ClaimTimes::silence`.
//
// A session that is alone publishes no claims, and its entry in the database says so. If a second session
// enters, the first one publishes its claims. The second waits for them, at most for `ClaimTimes::answer`.
//
// No times are stored. A thread of the session renews its entry. The other sessions measure with their own
// clocks for how long the entry was not renewed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/store.h"
#include "model/measurement.h"

namespace warptune::db::claims {

class Renewal;

/// What the sessions that share their evaluations have in common.
struct ClaimScope {
  model::Workload workload;
  model::RowSource source = model::RowSource::kMeasured;
  std::string objective;
  /// Whether `take_rows` returns counters, too. Sessions that differ in this still share their evaluations.
  bool counters = false;
};

struct ClaimTimes {
  std::chrono::milliseconds poll{50};        ///< The database is looked at no more often than this.
  std::chrono::milliseconds renewal{5000};   ///< The interval at which a session renews its entry.
  std::chrono::milliseconds silence{60000};  ///< After so long without a renewal, claims no longer count.
  std::chrono::milliseconds answer{2000};    ///< How long a session waits for the claims of another one.
};

/// The claims of one session. All functions throw as those of `Store`. They write in transactions of their
/// own, or in the batch that is open.
class Claims {
 public:
  using Configurations = std::vector<model::NamedValues>;

  /// Nothing is written yet. `running` returns the configurations that the session evaluates at present; it
  /// is called when these have to be published. `take_rows` returns only rows that are stored from now on.
  /// `store` is borrowed.
  Claims(Store& store, const ClaimScope& scope, std::function<Configurations()> running,
         const ClaimTimes& times = {});
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;
  /// Leaves. An error is ignored, because the claims then end with the process.
  ~Claims();

  /// Enters the database. Does nothing if the session has entered. All claimants of ended processes are
  /// removed, and the silent ones of the same scope.
  void enter();
  /// Sets the session's id, so that `take_rows` leaves out the session's own rows.
  void set_session(std::int64_t session_id) { session_id_ = session_id; }
  /// The caller promises to call `look` at least every few hundred milliseconds from now on. A session that
  /// is alone may leave its claims unpublished only while the promise holds.
  void promise_to_look();
  /// From now on, a long time may pass without a call of `look`. If the session's claims are not published
  /// yet, they are published at once.
  void stop_looking();

  /// Claims configurations. Returns for each whether this session may evaluate it. It may not if another
  /// session has claimed it, or has stored a row of it since the last call of `take_rows`.
  std::vector<bool> claim(const Configurations& configurations);
  /// Ends a claim: the row is stored, or will never be.
  void release(const model::NamedValues& configuration);
  /// Renews the entry, and sees who else is there. Returns whether something may have changed for the
  /// session.
  bool look();
  /// Rows of other sessions that were stored since the last call, in the order stored.
  std::vector<StoredMeasurement> take_rows();
  /// Whether another session has claimed the configuration.
  bool is_claimed_by_other(const model::NamedValues& configuration);
  /// Whether the session publishes no claims, because nobody else is there.
  bool is_alone() const { return !publishes_; }
  /// Whether the session should wait because the claims of another one are not published yet.
  bool must_wait() const;
  /// Ends all claims and removes the session's entry.
  void leave();

 private:
  using Clock = std::chrono::steady_clock;
  struct Other {
    std::string process;
    bool publishes = false;
    std::int64_t renewals = 0;
    Clock::time_point seen;     // When it was first seen.
    Clock::time_point renewed;  // When it was seen to have renewed its entry.
  };

  bool has_changed();
  void write_entry();
  void renew();
  void read_others();
  bool remove_ended();
  void publish();
  void stop_publishing();
  void remove_ended_elsewhere();
  bool try_claim(const std::string& key);
  void note_new_rows();

  Store& store_;
  model::Workload workload_;
  std::string scope_;
  bool counters_;
  std::function<Configurations()> running_;
  ClaimTimes times_;
  std::int64_t id_;
  std::int64_t session_id_ = 0;
  bool entered_ = false;
  bool publishes_ = false;
  bool looks_ = false;  // `promise_to_look` was called.
  std::map<std::int64_t, Other> others_;
  std::vector<StoredMeasurement> new_rows_;
  std::int64_t newest_row_ = 0;
  std::int64_t version_ = 0;  // SQLite's `data_version`.
  Clock::time_point looked_{};
  Clock::time_point renewed_{};
  std::unique_ptr<Renewal> renewal_{};  // While it has entered.
};

}  // namespace warptune::db::claims
