#include "fleet/spool/eras.h"

#include <fmt/format.h>

namespace warptune::fleet::spool {

namespace {

constexpr const char* kFolder = "eras";
constexpr const char* kCancels = "cancelled\n";
constexpr const char* kRetries = "retried\n";

std::string settled_name(std::uint64_t era) { return fmt::format("{}.settled", era); }

}  // namespace

void Eras::refresh(const Folder& campaign) {
  const Folder folder = campaign.at(kFolder);
  while (const auto text = folder.read(std::to_string(cancels_.size() + 1)))
    cancels_.push_back(*text == kCancels);
}

std::uint64_t Eras::last_retry() const {
  for (std::uint64_t era = cancels_.size(); era > 0; --era)
    if (!cancels_[era - 1]) return era;
  return 0;
}

void Eras::begin(const Folder& campaign, bool cancels, bool always) {
  const Folder folder = campaign.at(kFolder);
  for (;;) {
    refresh(campaign);
    if (!always && cancelled() == cancels) return;
    const std::string name = std::to_string(current() + 1);
    if (folder.add(name, cancels ? kCancels : kRetries)) break;
  }
  refresh(campaign);
}

bool Eras::is_settled(const Folder& campaign) {
  if (settled_ < current() && campaign.at(kFolder).status(settled_name(current()))) settled_ = current();
  return settled_ == current();
}

void Eras::note_settled(const Folder& campaign) {
  const Folder folder = campaign.at(kFolder);
  if (!folder.status(settled_name(current()))) folder.add(settled_name(current()), "");
  settled_ = current();
}

}  // namespace warptune::fleet::spool
