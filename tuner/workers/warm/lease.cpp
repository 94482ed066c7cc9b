#include "tuner/workers/warm/lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "tuner/confinement/sanitized.h"
#include "tuner/processes/worker_program.h"
#include "tuner/workers/warm/pool_start.h"

namespace warptune::tuner::workers::warm {

std::unique_ptr<Lease> Lease::open(std::chrono::seconds keep) {
  auto lease = std::make_unique<Lease>();
  // A worker that logs writes to the log of its session, and a sandbox with gaps must not outlive it.
  const confinement::Sandbox any;
  if (confinement::kSanitized || processes::worker_logs(&any) || !confinement::sandbox_problem().empty())
    return lease;
  const std::optional<Place> place = find_place();
  if (!place) return lease;
  lease->socket_ = connect_to(*place);
  if (!lease->socket_ && start_pool(*place, keep)) lease->socket_ = connect_to(*place);
  base::log_debug(fmt::format("warm workers: {}", lease->is_open() ? "connected" : "none"));
  return lease;
}

std::optional<processes::LentProcess> Lease::borrow(const std::string& definition,
                                                    confinement::Sandbox sandbox) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  if (!is_open()) return std::nullopt;
  sandbox.scratch.clear();
  sandbox.adjustable_memory = true;
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  const protocol::Borrow question{definition, folder, confinement::arguments_of(sandbox),
                                  processes::worker_environment(&sandbox)};
  const auto start = std::chrono::steady_clock::now();
  std::optional<Packet> packet;
  if (!error && send_packet(socket_, question))
    packet = receive_packet(socket_, std::max(duration_cast<milliseconds>(may_wait_), milliseconds(1)));
  may_wait_ -= std::chrono::steady_clock::now() - start;
  if (packet && std::holds_alternative<protocol::Failure>(packet->message)) return std::nullopt;
  const auto* const lent = packet ? std::get_if<protocol::Lent>(&packet->message) : nullptr;
  if (lent == nullptr || packet->descriptors.size() != 3 || may_wait_ <= milliseconds(0)) {
    socket_.reset();
    return std::nullopt;
  }
  return processes::LentProcess{lent->worker,
                                static_cast<pid_t>(lent->process),
                                std::move(packet->descriptors[2]),
                                std::move(packet->descriptors[0]),
                                processes::WorkerOutput::of_lent_worker(std::move(packet->descriptors[1])),
                                lent->has_greeted};
}

void Lease::give_back(std::uint64_t worker) {
  if (is_open() && !send_packet(socket_, protocol::GiveBack{worker})) socket_.reset();
}

}  // namespace warptune::tuner::workers::warm
