#include "fleet/spool/attempt_files.h"

#include <fmt/format.h>

#include <utility>

#include "fleet/spool/json_files.h"
#include "fleet/spool/task_file.h"

namespace warptune::fleet::spool {

namespace {

std::string name_of(std::uint64_t task, std::uint64_t fence) { return fmt::format("{}.{}", task, fence); }

std::optional<AttemptFiles::Key> parse_key(std::string_view name) {
  const std::vector<std::string_view> parts = parts_of(name, '.');
  if (parts.size() != 2) return std::nullopt;
  const auto task = parse_number(parts[0]);
  const auto fence = parse_number(parts[1]);
  if (!task || !fence) return std::nullopt;
  return AttemptFiles::Key{*task, *fence};
}

}  // namespace

bool AttemptFiles::end(std::uint64_t task, const Attempt& attempt) const {
  return attempts_.add(name_of(task, attempt.fence), json_text(attempt));
}

bool AttemptFiles::has_ended(std::uint64_t task, std::uint64_t fence) const {
  return attempts_.status(name_of(task, fence)).has_value();
}

std::optional<Attempt> AttemptFiles::find(std::uint64_t task, std::uint64_t fence) const {
  const std::string name = name_of(task, fence);
  if (!attempts_.status(name)) return std::nullopt;
  std::optional<Attempt> attempt = read_json<Attempt>(attempts_, name);
  if (!attempt) attempt = Attempt{fence, {}, AttemptEnd::kLost, "the record of this attempt is damaged"};
  if (attempt->outcome) return attempt;
  if (auto report = read_json<TaskOutcome>(reports_, name)) {
    attempt->end = AttemptEnd::kSuperseded;
    attempt->outcome = std::move(report);
  }
  return attempt;
}

void AttemptFiles::add_report(std::uint64_t task, std::uint64_t fence, const TaskOutcome& outcome) const {
  const std::string name = name_of(task, fence);
  if (!reports_.status(name)) reports_.add(name, json_text(outcome));
}

void AttemptFiles::read_all(std::map<Key, Attempt>& known) const {
  for (const std::string& name : attempts_.names()) {
    const auto key = parse_key(name);
    if (!key || known.count(*key) != 0) continue;
    if (auto attempt = find(key->first, key->second)) known.emplace(*key, std::move(*attempt));
  }
  for (const std::string& name : reports_.names()) {
    const auto key = parse_key(name);
    const auto found = key ? known.find(*key) : known.end();
    if (found == known.end() || found->second.outcome) continue;
    if (auto attempt = find(key->first, key->second)) found->second = std::move(*attempt);
  }
}

}  // namespace warptune::fleet::spool
