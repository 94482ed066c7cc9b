// The messages between a session and the pool of warm compile workers. `kName` is the name in the protocol,
// and `visit_fields` is the only list of the members. Each is one packet of a SOCK_SEQPACKET socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.h"

namespace warptune::tuner::protocol {

/// A session asks the pool for a compile worker. The answer is `Lent`, or `Failure` if there is none.
struct Borrow {
  static constexpr std::string_view kName = "borrow";
  std::string definition;  ///< The only definition that the worker ever serves.
  std::string folder;      ///< The worker's working directory.
  /// What identifies the working directory and the readable folders, as `warm::identities_of` gives it. A
  /// worker cannot read a folder that was removed and made again after its start.
  std::vector<std::string> identities;
  /// The worker's sandbox, as `confinement::arguments_of` gives it. It has no scratch folder: the pool makes
  /// one.
  std::vector<std::string> sandbox;
  std::vector<std::string> environment;  ///< Each is `NAME=VALUE`.
  std::int64_t keep_s = 0;  ///< For how long the worker waits for the next session, once it is given back.
};

template <model::MaybeConst<Borrow> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("definition", message.definition);
  visit("folder", message.folder);
  visit("identities", message.identities);
  visit("sandbox", message.sandbox);
  visit("environment", message.environment);
  visit("keep_s", message.keep_s);
}

/// The worker that the session may use until it gives it back, or until its connection closes. The packet
/// has three descriptors: the socket to the worker, what it prints, and its process (pidfd_open(2)).
struct Lent {
  static constexpr std::string_view kName = "lent";
  std::uint64_t worker = 0;  ///< The pool's number of the worker.
  std::int64_t process = 0;  ///< Its process id. It stays this worker's own as long as the worker is lent.
  bool has_greeted = false;  ///< An earlier session has exchanged `Hello` with it.
};

template <model::MaybeConst<Lent> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("worker", message.worker);
  visit("process", message.process);
  visit("has_greeted", message.has_greeted);
}

/// The session has no further use for a worker, which has answered everything. There is no answer.
struct GiveBack {
  static constexpr std::string_view kName = "give_back";
  std::uint64_t worker = 0;
};

template <model::MaybeConst<GiveBack> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("worker", message.worker);
}

}  // namespace warptune::tuner::protocol
