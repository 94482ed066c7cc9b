// Which batches a snapshot has seen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "fleet/fleet_store.h"

namespace warptune::fleet::rows {

/// What became of a batch.
enum class Fate : char { kMerged = 'm', kWithheld = 'w', kDamaged = 'd' };

/// A batch, with the identity of its campaign (`identity_of`): names of campaigns may come back.
struct SeenBatch {
  std::string campaign_identity;
  BatchName name;

  auto operator<=>(const SeenBatch&) const = default;
};

/// The batches that a snapshot has seen, and how far each campaign was listed. They are a text file. It is
/// written by `save` alone, as a whole.
class SeenBatches {
 public:
  /// Reads the file if it is there. One of another version counts as missing.
  explicit SeenBatches(std::filesystem::path path);

  /// Whether the file was there.
  bool is_known() const { return !text_.empty(); }
  const std::map<SeenBatch, Fate>& all() const { return seen_; }
  /// Campaigns of which a batch was seen or listed, by identity.
  std::set<std::string> campaigns() const;
  /// Where to continue the list of a campaign; empty for a campaign that is not known.
  std::string cursor(const std::string& campaign_identity) const;

  /// The names in `batch` are valid (`names.h`).
  void note(const SeenBatch& batch, Fate fate);
  void set_cursor(const std::string& campaign_identity, const std::string& cursor);
  /// Writes what was noted since the last call.
  void save();

 private:
  void read(const std::string& text);

  std::filesystem::path path_;
  std::map<SeenBatch, Fate> seen_;
  std::map<std::string, std::string> cursors_;  // By the identities of campaigns.
  std::string text_;
  std::string added_;
};

}  // namespace warptune::fleet::rows
