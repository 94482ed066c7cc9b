#pragma once

#include <filesystem>
#include <string>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::nodes {

/// The folder with what must outlast the process of a node: its id, reports that the store has not got yet,
/// databases of attempts, unpacked definitions, and roofs. One process uses it at a time.
class StateFolder {
 public:
  /// Creates the folder for this user only. Throws `base::InputError` if another process uses it, and
  /// `base::MachineError` if it cannot be written.
  explicit StateFolder(std::filesystem::path folder);

  const std::filesystem::path& path() const { return path_; }
  /// `fleet::Node::id`.
  const std::string& id() const { return id_; }
  std::filesystem::path outbox() const { return path_ / "outbox"; }
  std::filesystem::path attempts() const { return path_ / "attempts"; }
  std::filesystem::path bundles() const { return path_ / "bundles"; }
  /// The file of `keep_roofs`.
  std::filesystem::path roofs() const { return path_ / "roofs.json"; }

 private:
  std::filesystem::path path_;
  protocol::FileDescriptor lock_;
  std::string id_;
};

}  // namespace warptune::tuner::nodes
