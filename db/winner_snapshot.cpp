#include "db/winner_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "db/formats/snapshot.h"

namespace warptune::db {

namespace {

// Returns the hash that the first line of a snapshot has. Throws if the line is not that of a snapshot of
// this version.
std::string hash_in(std::string_view line, const std::filesystem::path& path) {
  const std::string expected = fmt::format("{} {} ", formats::kSnapshotMark, WinnerSnapshot::kVersion);
  if (line.substr(0, expected.size()) == expected) return std::string(line.substr(expected.size()));
  if (line.substr(0, formats::kSnapshotMark.size()) != formats::kSnapshotMark) {
    throw base::InputError(
        "expected a snapshot of warptune; `warptune export KERNEL --format snapshot` writes one",
        {path.string(), 1});
  }
  throw base::InputError(
      fmt::format("expected version {} of a snapshot, found '{}'; write the snapshot again with this version "
                  "of warptune",
                  WinnerSnapshot::kVersion, line.substr(formats::kSnapshotMark.size())),
      {path.string(), 1});
}

}  // namespace

WinnerSnapshot::WinnerSnapshot(const std::filesystem::path& path)
    : path_(path), text_(base::read_file(path)) {
  const std::string_view text = text_;
  const std::size_t first = std::min(text.find('\n'), text.size());
  hash_ = hash_in(text.substr(0, first), path);
  const std::string_view rows = text.substr(std::min(first + 1, text.size()));
  if (base::hash_hex(rows) != hash_) {
    throw base::InputError(
        "the rows do not fit the hash in the first line; the file is damaged or was edited",
        {path.string(), 1});
  }
  for (std::size_t begin = first + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    lines_.emplace(line.substr(0, line.find(' ')), std::pair(begin, end));
    begin = end + 1;
  }
}

std::vector<Winner> WinnerSnapshot::winners_in(std::pair<std::size_t, std::size_t> line) const {
  try {
    return formats::read_snapshot_line(std::string_view(text_).substr(line.first, line.second - line.first));
  } catch (const base::InputError& error) {
    throw base::InputError(error.message(), {path_.string()});
  }
}

std::vector<Winner> WinnerSnapshot::winners(const std::string& kernel, const std::string& kernel_hash) const {
  std::vector<Winner> all;
  const auto [first, last] = lines_.equal_range(base::hash_hex(kernel));
  for (auto line = first; line != last; ++line) {
    for (Winner& winner : winners_in(line->second)) {
      if (kernel_hash.empty() || winner.workload.kernel_hash == kernel_hash) all.push_back(std::move(winner));
    }
  }
  return all;
}

std::vector<model::GpuDescription> WinnerSnapshot::gpus() const {
  std::vector<model::GpuDescription> gpus;
  for (const auto& [name, line] : lines_) {
    for (const Winner& winner : winners_in(line)) {
      const model::GpuDescription& one = winner.workload.gpu;
      const auto same = [&](const model::GpuDescription& gpu) { return gpu.key() == one.key(); };
      if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(one);
    }
  }
  return gpus;
}

}  // namespace warptune::db
