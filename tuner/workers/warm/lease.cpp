#include "tuner/workers/warm/lease.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "tuner/confinement/sanitized.h"
#include "tuner/processes/worker_program.h"
#include "tuner/workers/warm/kept_worker.h"
#include "tuner/workers/warm/pool_start.h"

namespace warptune::tuner::workers::warm {

std::unique_ptr<Lease> Lease::open(std::chrono::seconds keep) {
  auto lease = std::make_unique<Lease>();
  lease->keep_ = keep;
  // A worker that logs writes to the log of its session, and a sandbox with gaps must not outlive it.
  const confinement::Sandbox any;
  if (confinement::kSanitized || processes::worker_logs(&any) || !confinement::sandbox_problem().empty())
    return lease;
  const std::optional<Place> place = find_place();
  if (!place) return lease;
  lease->socket_ = connect_to(*place);
  if (!lease->socket_ && start_pool(*place)) lease->socket_ = connect_to(*place);
  base::log_debug(fmt::format("warm workers: {}", lease->is_open() ? "connected" : "none"));
  return lease;
}

std::optional<processes::LentProcess> Lease::borrow(const std::string& definition,
                                                    confinement::Sandbox sandbox) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  if (!is_open() || may_wait_ <= milliseconds(0)) return std::nullopt;
  sandbox.scratch.clear();
  sandbox.adjustable_memory = true;
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  const protocol::Borrow question{definition,
                                  folder,
                                  identities_of(folder, sandbox.readable),
                                  confinement::arguments_of(sandbox),
                                  environment_of_workers(),
                                  keep_.count()};
  const auto start = std::chrono::steady_clock::now();
  std::optional<Packet> packet;
  if (!error && send_packet(socket_, question))
    packet = receive_packet(socket_, std::max(duration_cast<milliseconds>(may_wait_), milliseconds(1)));
  may_wait_ -= std::chrono::steady_clock::now() - start;
  if (packet && std::holds_alternative<protocol::Failure>(packet->message)) return std::nullopt;
  if (!packet && has_borrowed_) {
    // Closing would end the workers that compile for this session.
    may_wait_ = milliseconds(0);
    return std::nullopt;
  }
  const auto* const lent = packet ? std::get_if<protocol::Lent>(&packet->message) : nullptr;
  if (lent == nullptr || packet->descriptors.size() != 3) {
    close();
    return std::nullopt;
  }
  has_borrowed_ = true;
  return processes::LentProcess{lent->worker,
                                static_cast<pid_t>(lent->process),
                                std::move(packet->descriptors[2]),
                                std::move(packet->descriptors[0]),
                                processes::WorkerOutput::of_lent_worker(std::move(packet->descriptors[1])),
                                lent->has_greeted};
}

void Lease::give_back(std::uint64_t worker) {
  if (is_open() && !send_packet(socket_, protocol::GiveBack{worker})) close();
}

// A child that the program has forked has a copy of the socket, but must not keep the connection.
void Lease::close() {
  if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
  socket_.reset();
}

}  // namespace warptune::tuner::workers::warm
