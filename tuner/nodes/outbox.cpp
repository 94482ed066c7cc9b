// Each attempt has the folder CAMPAIGN.TASK.FENCE. Its batches are the files SEQUENCE.batch, and its report
// is report.json. A file gets its name when it is complete.
#include "tuner/nodes/outbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "model/encoding/json_fields.h"

namespace warptune::tuner::nodes {

namespace fs = std::filesystem;

template <model::MaybeConst<AttemptReport> Object, class Visit>
void visit_fields(Object& report, Visit&& visit) {
  visit("outcome", report.outcome);
  visit("end", report.end);
  visit("reason", report.reason);
}

namespace {

constexpr const char* kReport = "report.json";
constexpr const char* kBatch = ".batch";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

// Writes a file that outlasts a crash of the machine.
void keep(const fs::path& file, std::string_view bytes) {
  bool written = base::make_private_folder(file.parent_path()) && base::replace_file(file, bytes, 0600);
  for (const fs::path& path : {file, file.parent_path()}) {
    const int descriptor = written ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    written = descriptor >= 0 && ::fsync(descriptor) == 0;
    if (descriptor >= 0) ::close(descriptor);
  }
  if (written) return;
  throw base::MachineError(
      fmt::format("cannot keep {}: {}", file.string(), std::generic_category().message(errno)),
      "free some space in the folder of --state");
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

fs::path batch_file(const fs::path& folder, std::uint64_t sequence) {
  return folder / fmt::format("{}{}", sequence, kBatch);
}

// The sequence numbers of the batches in a folder, in order.
std::vector<std::uint64_t> batches_in(const fs::path& folder) {
  std::vector<std::uint64_t> sequences;
  std::error_code ignored;
  for (fs::directory_iterator each(folder, ignored), end; each != end; each.increment(ignored)) {
    if (each->path().extension() != kBatch) continue;
    if (const auto sequence = number_of(each->path().stem().string())) sequences.push_back(*sequence);
  }
  std::sort(sequences.begin(), sequences.end());
  return sequences;
}

std::optional<AttemptReport> report_in(const fs::path& folder) {
  const std::optional<std::string> text = base::read_own_file(folder / kReport, kMaxBytes);
  if (!text) return std::nullopt;
  AttemptReport report;
  try {
    model::encoding::read(model::encoding::json::parse(*text), report);
  } catch (const std::exception& error) {
    base::log_warning(fmt::format("{} is damaged and left out: {}", (folder / kReport).string(),
                                  model::encoding::json_problem(error)));
    return std::nullopt;
  }
  return report;
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::error_code ignored;
  for (fs::directory_iterator each(folder, ignored), end; each != end; each.increment(ignored)) {
    std::error_code error;
    const std::uintmax_t size = each->file_size(error);
    if (!error) sum += size;
  }
  return sum;
}

// Removes the oldest attempts beside `newest` that are too many, or have more than `max_bytes` together.
void remove_oldest(const fs::path& newest, std::uint64_t max_bytes) {
  std::vector<std::pair<fs::file_time_type, fs::path>> others;
  std::error_code ignored;
  for (fs::directory_iterator each(newest.parent_path(), ignored), end; each != end; each.increment(ignored))
    if (lease_of_folder(each->path()) && each->path() != newest)
      others.emplace_back(fs::last_write_time(each->path(), ignored), each->path());
  std::sort(others.rbegin(), others.rend());  // The newest ones come first.
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    bytes += bytes_in(others[i].second);
    if (i + 1 < Outbox::kMaxRefused && bytes <= max_bytes) continue;
    fs::remove_all(others[i].second, ignored);
    base::log_warning(fmt::format("{} is removed: newer rows that the store refuses take its place",
                                  others[i].second.string()));
  }
}

}  // namespace

std::string folder_name_of(const fleet::LeaseKey& lease) {
  return fmt::format("{}.{}.{}", lease.campaign, lease.task, lease.fence);
}

std::optional<fleet::LeaseKey> lease_of_folder(const fs::path& folder) {
  const std::vector<std::string> parts = base::split(folder.filename().string(), '.');
  if (parts.size() != 3) return std::nullopt;
  const std::optional<std::uint64_t> task = number_of(parts[1]);
  const std::optional<std::uint64_t> fence = number_of(parts[2]);
  if (!task || !fence) return std::nullopt;
  return fleet::LeaseKey{parts[0], *task, *fence};
}

fs::path Outbox::folder_of(const fleet::LeaseKey& lease) const { return folder_ / folder_name_of(lease); }

void Outbox::add_batch(const fleet::LeaseKey& lease, std::string_view bytes, std::uint64_t sequence) {
  const fs::path folder = folder_of(lease);
  {
    const std::lock_guard guard(mutex_);
    running_.insert(folder);
  }
  keep(batch_file(folder, sequence), bytes);
}

void Outbox::add_report(const fleet::LeaseKey& lease, const AttemptReport& report) {
  keep(folder_of(lease) / kReport, model::encoding::json_of(report).dump());
}

bool Outbox::has_report(const fleet::LeaseKey& lease) const {
  std::error_code ignored;
  return fs::exists(folder_of(lease) / kReport, ignored);
}

std::uint64_t Outbox::bytes() const {
  std::uint64_t sum = 0;
  std::error_code error;
  for (const fleet::LeaseKey& lease : leases()) {
    for (const std::uint64_t sequence : batches_in(folder_of(lease))) {
      // A batch may be delivered and removed meanwhile.
      const std::uintmax_t size = fs::file_size(batch_file(folder_of(lease), sequence), error);
      if (!error) sum += size;
    }
  }
  return sum;
}

std::vector<fleet::LeaseKey> Outbox::leases() const {
  std::vector<fleet::LeaseKey> leases;
  std::error_code ignored;
  for (fs::directory_iterator each(folder_, ignored), end; each != end; each.increment(ignored)) {
    if (const auto lease = lease_of_folder(each->path())) leases.push_back(*lease);
  }
  return leases;
}

Delivery Outbox::deliver(fleet::FleetStore& store, const std::string& node_id, const fleet::LeaseKey& lease) {
  const fs::path folder = folder_of(lease);
  std::error_code ignored;
  Delivery delivery;
  for (const std::uint64_t sequence : batches_in(folder)) {
    const fs::path file = batch_file(folder, sequence);
    const std::optional<std::string> bytes = base::read_own_file(file, kMaxBytes);
    if (!bytes) {
      if (!fs::exists(file, ignored)) continue;
      throw base::MachineError(fmt::format("cannot read {}", file.string()),
                               "let this user read the folder of --state");
    }
    store.publish({lease, node_id, sequence}, *bytes);
    fs::remove(file, ignored);
    ++delivery.batches;
    delivery.bytes += bytes->size();
  }
  const std::optional<AttemptReport> report = report_in(folder);
  if (!report) {
    const std::lock_guard guard(mutex_);
    if (!running_.contains(folder)) fs::remove(folder, ignored);  // Left by an earlier process.
    return delivery;
  }
  if (report->outcome) {
    delivery.closed = store.finish(node_id, lease, *report->outcome);
    delivery.failed = report->outcome->failed;
  } else {
    store.give_back(node_id, lease, report->end, report->reason);
  }
  delivery.reported = true;
  fs::remove_all(folder, ignored);
  const std::lock_guard guard(mutex_);
  running_.erase(folder);
  return delivery;
}

fs::path Outbox::set_aside(const fleet::LeaseKey& lease) {
  fs::path place = folder_.parent_path() / "refused" / folder_name_of(lease);
  std::error_code error;
  base::make_private_folder(place.parent_path());
  fs::remove_all(place, error);
  fs::rename(folder_of(lease), place, error);
  if (error)
    throw base::MachineError(fmt::format("cannot move {}: {}", folder_of(lease).string(), error.message()),
                             "free some space in the folder of --state");
  fs::last_write_time(place, fs::file_time_type::clock::now(), error);
  remove_oldest(place, full_bytes_);
  const std::lock_guard guard(mutex_);
  running_.erase(folder_of(lease));
  return place;
}

}  // namespace warptune::tuner::nodes
