// The page of a campaign that is watched, for a browser on this machine.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "fleet/campaign_status.h"
#include "tuner/watching/loopback_server.h"

namespace warptune::tuner::watching {

/// The page as HTML without scripts: what `campaign status` says, and a bar with the tasks of each state. The
/// browser loads it again every few seconds, until the campaign is over. All texts are escaped.
std::string campaign_page_html(const fleet::CampaignStatus& status, const fleet::Campaign& campaign,
                               const std::string& trouble);

/// Serves the page at an address with a secret token, as `LiveReport` does.
class CampaignPage {
 public:
  /// Listens on `port`, or on a free one. Throws as `LoopbackServer` does.
  explicit CampaignPage(std::optional<std::uint16_t> port);

  /// `http://127.0.0.1:PORT/TOKEN/`.
  std::string address() const;
  /// Replaces what the page shows. `trouble` says why it may be old; empty: it is not.
  void show(const fleet::CampaignStatus& status, const fleet::Campaign& campaign, const std::string& trouble);
  /// Whether a browser has loaded the page, but not what it shows now.
  bool is_awaited() const;

 private:
  std::optional<HttpAnswer> answer(const HttpRequest& request) const;

  const std::string token_;
  mutable std::mutex mutex_;
  std::string html_;  // Guarded by the mutex, as the next two.
  mutable bool was_loaded_ = false;
  mutable bool is_loaded_ = false;  // What it shows now.
  LoopbackServer server_;           // The last member: its thread uses the others.
};

}  // namespace warptune::tuner::watching
