// Each line of the file is `c NAME ADDED CURSOR`, or a fate and a batch: `m NAME ADDED TASK FENCE NODE
// SEQUENCE`. Later lines replace earlier ones.
#include "fleet/rows/seen_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace warptune::fleet::rows {

namespace {

constexpr std::string_view kFirstLine = "warptune snapshot 2";

}  // namespace

SeenBatches::SeenBatches(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored)) read(base::read_file(path_));
}

void SeenBatches::read(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return;
  text_ = text;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    char kind = 0;
    std::string campaign;
    std::string added;
    if (!(fields >> kind >> campaign >> added)) continue;
    const std::string identity = fmt::format("{} {}", campaign, added);
    if (kind == 'c') {
      fields >> cursors_[identity];
      continue;
    }
    BatchName name{{campaign, 0, 0}, {}, 0};
    if (fields >> name.lease.task >> name.lease.fence >> name.node >> name.sequence)
      seen_[{identity, name}] = static_cast<Fate>(kind);
  }
}

std::set<std::string> SeenBatches::campaigns() const {
  std::set<std::string> identities;
  for (const auto& [identity, cursor] : cursors_) identities.insert(identity);
  for (const auto& [batch, fate] : seen_) identities.insert(batch.campaign_identity);
  return identities;
}

std::string SeenBatches::cursor(const std::string& campaign_identity) const {
  const auto known = cursors_.find(campaign_identity);
  return known == cursors_.end() ? "" : known->second;
}

void SeenBatches::note(const SeenBatch& batch, Fate fate) {
  const auto known = seen_.find(batch);
  if (known != seen_.end() && known->second == fate) return;
  seen_[batch] = fate;
  const BatchName& name = batch.name;
  added_ += fmt::format("{} {} {} {} {} {}\n", static_cast<char>(fate), batch.campaign_identity,
                        name.lease.task, name.lease.fence, name.node, name.sequence);
}

void SeenBatches::set_cursor(const std::string& campaign_identity, const std::string& cursor) {
  const bool is_line = std::none_of(cursor.begin(), cursor.end(), [](char c) { return c <= ' '; });
  if (!is_line) throw base::InputError("the store gave a cursor with blanks");
  std::string& known = cursors_[campaign_identity];
  if (cursor == known && !cursor.empty()) return;
  known = cursor;
  added_ += fmt::format("c {} {}\n", campaign_identity, cursor);
}

void SeenBatches::save() {
  if (added_.empty() && !text_.empty()) return;
  text_ = (text_.empty() ? std::string(kFirstLine) + "\n" : text_) + added_;
  added_.clear();
  base::write_file_atomically(path_, text_);
}

}  // namespace warptune::fleet::rows
