#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tuner/confinement/sandbox.h"
#include "tuner/processes/worker_process.h"
#include "tuner/workers/warm/packets.h"

namespace warptune::tuner::workers::warm {

/// A session's connection with the pool of warm compile workers. The pool ends the workers that the session
/// has not given back when this object is destroyed, however the session ends.
///
/// The pool is never needed: whatever goes wrong, `borrow` returns nothing, and the session starts its own
/// worker. All waiting together takes at most 100 ms. Afterwards nothing is borrowed any more. Workers that
/// were borrowed before go on.
class Lease {
 public:
  Lease() = default;
  ~Lease() { close(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// Connects with the pool of this process's `Place`, or starts it. Never null; nothing can be borrowed if
  /// that fails. Workers that are given back wait for the next session for `keep`.
  static std::unique_ptr<Lease> open(std::chrono::seconds keep);

  /// A worker that serves no other definition, has this sandbox (its scratch folder excepted) and this
  /// process's environment and working directory.
  std::optional<processes::LentProcess> borrow(const std::string& definition, confinement::Sandbox sandbox);
  /// Gives an idle worker back. It may serve a later session of its definition.
  void give_back(std::uint64_t worker);
  bool is_open() const { return static_cast<bool>(socket_); }

 private:
  void close();

  protocol::FileDescriptor socket_;
  std::chrono::seconds keep_{0};
  bool has_borrowed_ = false;
  std::chrono::steady_clock::duration may_wait_ = std::chrono::milliseconds(100);  ///< What is left of it.
};

}  // namespace warptune::tuner::workers::warm
