#include "fleet/spool/task_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "fleet/names.h"

namespace warptune::fleet::spool {

namespace {

constexpr std::size_t kOpenParts = 3;
constexpr std::size_t kClosedParts = 5;
constexpr std::size_t kLeasedParts = 6;
constexpr std::size_t kMaxIdLength = 64;

}  // namespace

std::string TaskFile::name() const {
  std::string common = fmt::format("{}.{}.{}", task, fence, retried);
  if (state == TaskState::kOpen) return common;
  if (state == TaskState::kLeased) return fmt::format("{}.{}.{}.{}", common, node, started_ms, token);
  return fmt::format("{}.{}.{}", common, to_string(state), era);
}

std::optional<TaskFile> parse_task_file(std::string_view name) {
  const std::vector<std::string_view> parts = parts_of(name, '.');
  if (parts.size() != kOpenParts && parts.size() != kClosedParts && parts.size() != kLeasedParts)
    return std::nullopt;
  const auto task = parse_number(parts[0]);
  const auto fence = parse_number(parts[1]);
  const auto retried = parse_number(parts[2]);
  if (!task || !fence || !retried) return std::nullopt;
  TaskFile file{*task, *fence, *retried};
  if (parts.size() == kClosedParts) {
    const auto state = parse_task_state(parts[3]);
    const auto era = parse_number(parts[4]);
    if (!state || !is_closed(*state) || !era) return std::nullopt;
    file.state = *state;
    file.era = *era;
  } else if (parts.size() == kLeasedParts) {
    const auto started = parse_number(parts[4]);
    if (!is_node_id(parts[3]) || !started || parts[5].empty()) return std::nullopt;
    file.state = TaskState::kLeased;
    file.node = parts[3];
    file.started_ms = static_cast<std::int64_t>(*started);
    file.token = parts[5];
  }
  return file;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool is_closed(TaskState state) { return state != TaskState::kOpen && state != TaskState::kLeased; }

}  // namespace warptune::fleet::spool
