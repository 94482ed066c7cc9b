#include "fleet/spool/node_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "fleet/names.h"
#include "fleet/spool/json_files.h"
#include "fleet/spool/task_file.h"

namespace warptune::fleet::spool {

namespace {

constexpr std::string_view kEntryEnding = ".json";

struct NodeEntry {
  Node node;
  std::int64_t entered_ms = 0;
  std::vector<Refusal> refusals;
};

template <model::MaybeConst<NodeEntry> Object, class Visit>
void visit_fields(Object& entry, Visit&& visit) {
  visit("node", entry.node);
  visit("entered_ms", entry.entered_ms);
  visit("refusals", entry.refusals);
}

std::string entry_name(const std::string& id) { return id + std::string(kEntryEnding); }
std::string seen_name(const std::string& id) { return id + ".seen"; }
std::string left_name(const std::string& id) { return id + ".left"; }
std::string accepted_name(const std::string& id) { return id + ".accepted"; }

NodeEntry required_entry(const Folder& folder, const std::string& id) {
  require_node_id(id);
  if (auto entry = read_json<NodeEntry>(folder, entry_name(id))) return std::move(*entry);
  throw base::InputError(fmt::format("{}: there is no node {}", folder.path().string(), id));
}

}  // namespace

void NodeFiles::enter(const Node& node, std::int64_t now_ms) const {
  require_node_id(node.id);
  folder_.replace(entry_name(node.id), json_text(NodeEntry{node, now_ms, {}}));
  if (!folder_.touch(seen_name(node.id))) folder_.replace(seen_name(node.id), "");
  if (folder_.status(left_name(node.id))) folder_.remove(left_name(node.id));
}

void NodeFiles::leave(const std::string& id) const {
  require_node_id(id);
  if (folder_.status(entry_name(id))) folder_.add(left_name(id), "");
}

std::vector<NodeRecord> NodeFiles::all() const {
  std::vector<NodeRecord> records;
  for (const std::string& name : folder_.names()) {
    const std::size_t stem = name.size() - std::min(name.size(), kEntryEnding.size());
    if (std::string_view(name).substr(stem) != kEntryEnding) continue;
    const std::string id = name.substr(0, stem);
    auto entry = read_json<NodeEntry>(folder_, name);
    if (!entry || entry->node.id != id) continue;
    NodeRecord record{std::move(entry->node), entry->entered_ms, entry->entered_ms, false,
                      std::move(entry->refusals)};
    if (const auto seen = folder_.current_status(seen_name(id)))
      record.seen_ms = std::max(record.seen_ms, seen->changed_ms);
    record.accepted = folder_.status(accepted_name(id)).has_value();
    record.has_left = folder_.status(left_name(id)).has_value();
    records.push_back(std::move(record));
  }
  return records;
}

void NodeFiles::accept(const std::string& id) const {
  static_cast<void>(required_entry(folder_, id));
  folder_.add(accepted_name(id), "");
}

void NodeFiles::set_refusals(const std::string& id, const std::vector<Refusal>& refusals) const {
  NodeEntry entry = required_entry(folder_, id);
  entry.refusals = refusals;
  folder_.replace(entry_name(id), json_text(entry));
}

void NodeFiles::note_seen(const std::string& id) const {
  require_node_id(id);
  folder_.touch(seen_name(id));
}

}  // namespace warptune::fleet::spool
