#include "db/claims/renewal.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace warptune::db::claims {

Renewal::Renewal(std::filesystem::path database, std::int64_t claimant, std::chrono::milliseconds interval)
    : database_(std::move(database)), claimant_(claimant), renewing_(interval, [this] { renew(); }) {}

void Renewal::renew() {
  try {
    if (!connection_) {
      std::error_code ignored;
      if (!std::filesystem::exists(database_, ignored)) return;  // It would be made.
      connection_.emplace(database_, storage::OpenMode::kReadWrite);
      connection_->execute("PRAGMA synchronous = NORMAL");
    }
    connection_->prepare("UPDATE claimant SET renewals = renewals + 1 WHERE id = ? AND publishes")
        .bind(claimant_)
        .run();
  } catch (const base::Error& error) {
    base::log_debug(fmt::format("the claims of this session were not renewed: {}", error.message()));
  }
}

}  // namespace warptune::db::claims
