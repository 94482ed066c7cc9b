#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "tuner/protocol/message_channel.h"
#include "tuner/protocol/messages.h"
#include "tuner/workers/warm/place.h"

namespace warptune::tuner::workers::warm {

/// A message with the descriptors that came with it.
struct Packet {
  protocol::Message message;
  std::vector<protocol::FileDescriptor> descriptors;
};

/// A socket that listens at the place, or an empty one. A file of that name is replaced. The caller holds the
/// place's lock.
protocol::FileDescriptor listen_at(const Place& place);
/// A socket that is connected with the pool at the place. Empty if none listens, if it belongs to another
/// user, or if more sessions are waiting for it than it can remember. Never waits.
protocol::FileDescriptor connect_to(const Place& place);
/// Whether the process at the other end belongs to this user.
bool is_of_this_user(const protocol::FileDescriptor& socket);

/// Sends a message, with copies of the descriptors. Never waits. Returns false if it cannot be sent.
bool send_packet(const protocol::FileDescriptor& socket, const protocol::Message& message,
                 const std::vector<int>& descriptors = {});
/// Waits for a packet. Returns std::nullopt if the time is over or the connection has ended, and if the
/// packet is not a message or this process has no room for its descriptors.
std::optional<Packet> receive_packet(const protocol::FileDescriptor& socket, std::chrono::milliseconds wait);

}  // namespace warptune::tuner::workers::warm
