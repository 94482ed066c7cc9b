#include "fleet/spool/batch_files.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "fleet/names.h"
#include "fleet/spool/json_files.h"
#include "fleet/spool/task_file.h"
#include "fleet/spool/warnings.h"

namespace warptune::fleet::spool {

namespace {

constexpr std::uint64_t kEntriesPerFolder = 1000;
constexpr std::size_t kMaxHeader = 1024;
constexpr unsigned kWriteBits = 0222;

// The first line of a batch's file, so that each entry of the log says whose batch it is.
struct BatchHeader {
  std::uint64_t task = 0;
  std::uint64_t fence = 0;
  std::string node;
  std::uint64_t sequence = 0;
  std::string digest;  // The hash of the bytes that follow the line.
};

template <model::MaybeConst<BatchHeader> Object, class Visit>
void visit_fields(Object& header, Visit&& visit) {
  visit("task", header.task);
  visit("fence", header.fence);
  visit("node", header.node);
  visit("sequence", header.sequence);
  visit("digest", header.digest);
}

std::string file_name(const BatchName& name) {
  return fmt::format("{}.{}.{}", name.lease.fence, name.node, name.sequence);
}

// A batch that is in the log cannot be written any more, which shows that it is there.
bool is_entered(const FileStatus& status) { return (status.mode & kWriteBits) == 0; }

std::string shard_name(std::uint64_t entry) { return std::to_string(entry / kEntriesPerFolder); }
std::string entry_name(std::uint64_t entry) { return std::to_string(entry % kEntriesPerFolder); }

bool is_digest(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// std::nullopt if the text does not begin with a header.
std::optional<BatchHeader> parse_header(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  try {
    BatchHeader header;
    model::encoding::read(nlohmann::json::parse(text.substr(0, end)), header);
    if (is_node_id(header.node)) return header;
  } catch (const std::exception&) {  // The text is something else.
  }
  return std::nullopt;
}

}  // namespace

BatchFiles::BatchFiles(const Folder& folder, const std::string& campaign, std::uint64_t& log_end)
    : campaign_(campaign), rows_(folder.at("rows")), log_(folder.at("log")), log_end_(log_end) {}

bool BatchFiles::is_taken(std::uint64_t entry) const {
  const auto shard = log_.find(shard_name(entry));
  return shard && shard->status(entry_name(entry));
}

void BatchFiles::find_end() {
  // Entries below `log_end_` are taken. The log has no gaps, so bisection finds its end.
  std::uint64_t step = 1;
  while (is_taken(log_end_ + step - 1)) step *= 2;
  std::uint64_t above = log_end_ + step - 1;  // This one is not taken.
  std::uint64_t below = log_end_ + step / 2;  // Those before this one are.
  while (below < above) {
    const std::uint64_t middle = below + (above - below) / 2;
    if (is_taken(middle))
      below = middle + 1;
    else
      above = middle;
  }
  log_end_ = below;
}

void BatchFiles::enter(const Folder& rows, const std::string& file) {
  find_end();
  for (;; ++log_end_) {
    // After a crash of the machine, an entry must not be there without those before it.
    if (log_end_ % kEntriesPerFolder == 0 && log_end_ > 0) log_.at(shard_name(log_end_ - 1)).sync();
    const Folder shard = log_.made(shard_name(log_end_));
    if (!rows.link(file, shard, entry_name(log_end_))) continue;
    shard.sync();
    break;
  }
  ++log_end_;
}

void BatchFiles::publish(const BatchName& name, std::string_view bytes) {
  const Folder rows = rows_.made(std::to_string(name.lease.task));
  const std::string file = file_name(name);
  if (!rows.status(file)) {
    std::string content = json_text(
        BatchHeader{name.lease.task, name.lease.fence, name.node, name.sequence, base::hash_hex(bytes)});
    content += bytes;
    rows.add(file, content);
  }
  // A process that is killed before the end may leave a batch that was not acknowledged, or enter it twice.
  const auto status = rows.status(file);
  if (!status || is_entered(*status)) return;
  enter(rows, file);
  rows.set_mode(file, status->mode & ~kWriteBits);
}

std::string BatchFiles::digest_before(std::uint64_t entry) const {
  if (entry == 0) return "";
  const auto shard = log_.find(shard_name(entry - 1));
  const auto text = shard ? shard->read(entry_name(entry - 1), kMaxHeader) : std::nullopt;
  const auto header = parse_header(text.value_or(""));
  return header && is_digest(header->digest) ? header->digest : "-";
}

LogPosition BatchFiles::list(const LogPosition& from, const BatchFilter& filter,
                             std::vector<BatchName>& batches) const {
  // If the batch before this position is another one now, the spool was restored from a backup.
  LogPosition at = digest_before(from.entry) == from.last ? from : LogPosition{};
  std::optional<Folder> shard;
  for (;; ++at.entry) {
    const std::uint64_t entry = at.entry;
    if (!shard || entry % kEntriesPerFolder == 0) shard = log_.find(shard_name(entry));
    if (!shard || !shard->status(entry_name(entry))) {
      at.last = digest_before(entry);
      return at;
    }
    if (const auto header = parse_header(shard->read(entry_name(entry), kMaxHeader).value_or(""))) {
      if (!filter.task || *filter.task == header->task)
        batches.push_back({{campaign_, header->task, header->fence}, header->node, header->sequence});
    } else {
      warn_once(fmt::format("{}: this batch is damaged, and is left out",
                            (shard->path() / entry_name(entry)).string()));
    }
  }
}

std::vector<BatchName> BatchFiles::of_task(std::uint64_t task) const {
  std::vector<BatchName> batches;
  const auto folder = rows_.find(std::to_string(task));
  if (!folder) return batches;
  for (const std::string& name : folder->names()) {
    const std::vector<std::string_view> parts = parts_of(name, '.');
    const auto fence = parse_number(parts.front());
    const auto sequence = parse_number(parts.back());
    if (parts.size() != 3 || !fence || !is_node_id(parts[1]) || !sequence) {
      warn_once(fmt::format("{}: this file does not belong to the spool, and is left out",
                            (folder->path() / name).string()));
      continue;
    }
    // Readers see what is in the log. An attempt that continued from another batch would not measure its rows
    // again, and nobody would ever see them.
    if (const auto status = folder->status(name); status && is_entered(*status))
      batches.push_back({{campaign_, task, *fence}, std::string(parts[1]), *sequence});
  }
  return batches;
}

std::string BatchFiles::read(const BatchName& name) const {
  return read_checked(
      name, fmt::format("; if its task is done, `warptune campaign retry {}` opens it again", campaign_));
}

std::string BatchFiles::read_checked(const BatchName& name, const std::string& advice) const {
  const auto folder = rows_.find(std::to_string(name.lease.task));
  auto content = folder ? folder->read(file_name(name), kMaxBatchFileBytes + kMaxHeader) : std::nullopt;
  const std::string place = (rows_.path() / std::to_string(name.lease.task) / file_name(name)).string();
  if (!content) throw base::InputError("there is no such batch", {place, 0, 0});
  const auto header = parse_header(std::string_view(*content).substr(0, kMaxHeader));
  if (header) content->erase(0, content->find('\n') + 1);
  if (content->size() > kMaxBatchFileBytes)
    throw base::InputError(fmt::format("this batch is larger than {} MiB", kMaxBatchFileBytes >> 20),
                           {place, 0, 0});
  if (!header || base::hash_hex(*content) != header->digest)
    throw base::InputError(fmt::format("{}: this batch is damaged{}", place, advice));
  return std::move(*content);
}

std::optional<std::string> BatchFiles::damage_of(std::uint64_t task, std::uint64_t fence) const {
  for (const BatchName& name : of_task(task)) {
    if (name.lease.fence <= fence) continue;
    try {
      read_checked(name, "");
    } catch (const base::InputError& error) {
      return error.message();
    }
  }
  return std::nullopt;
}

}  // namespace warptune::fleet::spool
