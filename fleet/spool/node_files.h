// What a spool knows about nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/node.h"
#include "fleet/spool/folder.h"

namespace warptune::fleet::spool {

/// A node has a file `NODE.json`, which it alone replaces. The time of `NODE.seen` is that of its last
/// heartbeat. A file `NODE.accepted` says that a person accepts its measurements, and `NODE.left` that it
/// ended.
class NodeFiles {
 public:
  explicit NodeFiles(const Folder& spool) : folder_(spool.at("nodes")) {}

  void enter(const Node& node, std::int64_t now_ms) const;
  /// Does nothing if the node has not entered.
  void leave(const std::string& id) const;
  std::vector<NodeRecord> all() const;
  /// Throws `base::InputError` if the node has not entered.
  void accept(const std::string& id) const;
  /// Throws `base::InputError` if the node has not entered.
  void set_refusals(const std::string& id, const std::vector<Refusal>& refusals) const;
  /// Notes that a node is there. Does nothing if it has not entered.
  void note_seen(const std::string& id) const;

 private:
  Folder folder_;
};

}  // namespace warptune::fleet::spool
