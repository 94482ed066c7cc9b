// One attempt of a task.
//
// The session runs on the calling thread, in a database of its own in the state folder. A second thread makes
// batches of its new rows and gives them to the store. Every batch and the report go through the outbox, so
// they are on disk before the store gets them. The database is removed when the outbox has everything. If the
// process is killed before that, `recover_attempts` finds the database at the next start.
#include "tuner/nodes/task_run.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "base/threads/repeated_step.h"
#include "fleet/rows/row_batch.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/campaigns/session_request.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/workload.h"
#include "tuner/nodes/attempt_reports.h"
#include "tuner/nodes/earlier_rows.h"
#include "tuner/nodes/pauses.h"
#include "tuner/nodes/spent_budget.h"

namespace warptune::tuner::nodes {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace {

constexpr const char* kDatabase = "warptune.db";
class Attempt {
 public:
  Attempt(const TaskSettings& settings, Outbox& outbox, fleet::FleetStore& store, const fleet::Lease& lease,
          const RunnableClass& runnable, const OfferedGpu& gpu, const AttemptEvents& events)
      : settings_(settings),
        outbox_(outbox),
        store_(store),
        lease_(lease),
        runnable_(runnable),
        gpu_(gpu),
        events_(events),
        folder_(settings.attempts / folder_name_of(lease.key)),
        request_(campaigns::request_of(lease.task_class.options)),
        earlier_(store, lease, settings.node_id) {}

  /// Reads what earlier attempts have published. Throws as `EarlierRows::fetch` does.
  void fetch() { earlier_.fetch(request_.search.transfer); }

  /// Makes the database with what was read. Returns the evaluations of earlier attempts.
  std::uint64_t prepare() {
    if (!base::make_private_folder(folder_))
      throw base::MachineError(fmt::format("cannot create {}", folder_.string()), "free some space");
    if (runnable_.bundle) campaigns::require_unchanged(*runnable_.bundle, runnable_.folder);
    request_.kernel = runnable_.kernel;
    request_.sizes = lease_.task.sizes;
    request_.database = folder_ / kDatabase;
    request_.compile_workers = settings_.compile_workers;
    request_.measuring.compile_cache = settings_.compile_cache;
    request_.devices = {false, {gpu_.ordinal}};
    request_.measure_only = settings_.recorded == nullptr;
    request_.stores_digests = false;  // The database is deleted with the task.
    const model::Workload workload = workload_of_task();
    db::Store database(request_.database);
    earlier_.merge_own(database);
    const SpentBudget spent = spent_budget(database, workload);
    request_.search.budget = remaining(std::move(request_.search.budget), spent);
    earlier_.merge_others(database);
    // Roofs of other nodes are removed. A session without roofs measures them, beside its first compiles.
    if (settings_.recorded == nullptr)
      database.set_roofs(gpu_.gpu, events_.roofs ? std::vector<model::RoofReading>{} : gpu_.roofs);
    writer_.emplace(request_.database, folder_, lease_.key.fence);
    return spent.evaluations;
  }

  session::TuningOutcome run_session(const base::Cancellation& cancellation) {
    const base::threads::RepeatedStep publishing([this] { return pace_.interval(); }, [this] { publish(); });
    session::SilentListener listener;
    return session::Tuning(request_).run(0, listener, cancellation);
  }

  /// Keeps the rows that are not published yet, and the report. Then gives everything to the store. The
  /// database is removed. If the disk of the state folder takes no more files, the lease is given back at
  /// once, so that another node can take the task, and `report` says so. The database then remains.
  Delivery conclude(AttemptReport& report) {
    const bool are_roofs_settled = conclude_roofs(report.outcome && !report.outcome->failed);
    try {
      while (writer_ && keep_new_rows()) {
      }
      outbox_.add_report(lease_.key, report);
    } catch (const base::MachineError& error) {
      report = given_back(fleet::AttemptEnd::kGivenBack, std::string(base::first_line(error.message())));
      return give_back(report);
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    if (!are_roofs_settled) return {};  // The node's next turn tells the roofs, and then delivers.
    try {
      return outbox_.deliver(store_, settings_.node_id, lease_.key);
    } catch (const base::Error& error) {
      base::log_info(fmt::format("the report stays in the outbox: {}", error.message()));
      return {};
    }
  }

 private:
  // Tells the store without the outbox.
  Delivery give_back(const AttemptReport& report) {
    Delivery delivery;
    try {
      store_.give_back(settings_.node_id, lease_.key, report.end, report.reason);
      delivery.reported = true;
    } catch (const base::Error& error) {
      base::log_info(fmt::format("the lease was not given back and will run out: {}", error.message()));
    }
    return delivery;
  }

  // Also finds the recording, if recordings are replayed. Throws if the definition is not that of the class.
  model::Workload workload_of_task() {
    const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(request_.kernel);
    if (definition.hash != lease_.task_class.kernel_hash) {
      throw base::MachineError(fmt::format("the definition of {} was changed under way", definition.name),
                               "start the node again");
    }
    const kernel_templates::KernelInstance instance(definition, request_.sizes, gpu_.gpu);
    if (settings_.recorded == nullptr) return knowledge::workload_of(instance, request_.measuring.cache);
    const RecordedOffer::Recorded* recorded =
        settings_.recorded->find(definition.name, instance.problem(), gpu_.gpu, request_.measuring.cache);
    if (recorded == nullptr)
      throw base::InputError(fmt::format("there is no recording of {}", model::to_text(instance.problem())));
    request_.recording = recorded->file;
    request_.pace = settings_.pace;
    return recorded->workload;
  }

  // Keeps one batch. Returns false if there was nothing new. A running session adds rows while a batch is
  // made, so a call that went on until nothing is new might never end. A batch that could not be kept is kept
  // by the next call: the writer does not make it again.
  bool keep_new_rows() {
    if (!unkept_) unkept_ = writer_->next();
    if (!unkept_) return false;
    outbox_.add_batch(lease_.key, *unkept_, writer_->sequence());
    unkept_.reset();
    return true;
  }

  // Rows are judged by the roofs of their node, so the store gets the roofs first. Returns false if the
  // session has not measured them yet.
  bool are_roofs_told() {
    if (roofs_told_ || !events_.roofs) return true;
    std::vector<model::RoofReading> measured = gpus::stored_roofs(request_.database, gpu_.gpu);
    if (measured.empty()) return false;
    events_.roofs(std::move(measured));
    roofs_told_ = true;
    return true;
  }

  // Called when the session has ended. If it was complete and could not measure the roofs, they are measured
  // now. Returns false if the store is away.
  bool conclude_roofs(bool was_complete) {
    try {
      if (writer_ && !are_roofs_told() && was_complete) events_.roofs({});
    } catch (const base::Error& error) {
      base::log_info(fmt::format("GPU {}: its roofs are told later: {}", gpu_.ordinal, error.message()));
      return false;
    }
    return true;
  }

  // Called by the publishing thread while the session runs.
  void publish() {
    const auto start = steady_clock::now();
    try {
      if (!are_roofs_told()) return;
      if (!outbox_.is_full()) keep_new_rows();
      const Delivery delivery = outbox_.deliver(store_, settings_.node_id, lease_.key);
      store_is_away_ = false;
      pace_.note_published(
          std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start));
      if (delivery.batches > 0) events_.published(delivery);
    } catch (const base::Error& error) {
      pace_.note_failed();
      const std::string text = fmt::format("rows are published later: {}", error.message());
      if (!std::exchange(store_is_away_, true)) {
        base::log_warning(text);
      } else {
        base::log_info(text);
      }
    }
  }

  const TaskSettings& settings_;
  Outbox& outbox_;
  fleet::FleetStore& store_;
  const fleet::Lease& lease_;
  const RunnableClass& runnable_;
  const OfferedGpu& gpu_;
  const AttemptEvents& events_;
  fs::path folder_;
  session::TuningRequest request_;
  EarlierRows earlier_;
  std::optional<fleet::rows::BatchWriter> writer_;
  PublishPace pace_{settings_.publish_interval};
  bool roofs_told_ = false;
  bool store_is_away_ = false;         // Said once, until the store is back.
  std::optional<std::string> unkept_;  // A batch that is not in the outbox yet.
};

}  // namespace

TaskEnd TaskRun::run(fleet::FleetStore& store, const fleet::Lease& lease, const RunnableClass& runnable,
                     const OfferedGpu& gpu, base::Cancellation& session, const AttemptEvents& events) {
  const LeaseKeeper::Kept kept(keeper_, lease.key, session);
  Attempt attempt(settings_, outbox_, store, lease, runnable, gpu, events);
  TaskEnd end;
  const auto start = steady_clock::now();
  try {
    attempt.fetch();
  } catch (const base::Error& error) {
    const bool is_away = error.kind() == base::ErrorKind::kMachine;
    end.report = given_back(fleet::AttemptEnd::kGivenBack,
                            fmt::format("{}: {}",
                                        is_away ? "the store went away before the session began"
                                                : "the rows of earlier attempts cannot be read",
                                        error.message()));
    end.delivery = attempt.conclude(end.report);
    return end;
  }
  try {
    end.continued = attempt.prepare();
    events.began(end.continued);
    const session::TuningOutcome tuned = attempt.run_session(session);
    end.report = report_of(tuned, kept.state());
  } catch (const base::InputError& error) {
    end.report = failed(error.what());
  } catch (const base::WorkError& error) {
    end.report = failed(error.message());
  } catch (const std::exception& error) {
    end.report = given_back(fleet::AttemptEnd::kLost, std::string(base::first_line(error.what())));
    end.gpu_failed = true;
  }
  if (end.report.outcome) {
    end.report.outcome->gpu = gpu.gpu.name;
    end.report.outcome->continued = end.continued;
    end.report.outcome->gpu_seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
  }
  end.delivery = attempt.conclude(end.report);
  return end;
}

void recover_attempts(const fs::path& attempts, Outbox& outbox) {
  std::error_code ignored;
  for (fs::directory_iterator each(attempts, ignored), last; each != last; each.increment(ignored)) {
    const fs::path folder = each->path();
    const std::optional<fleet::LeaseKey> lease = lease_of_folder(folder);
    try {
      auto writer = fleet::rows::BatchWriter::recovered(folder / kDatabase, folder, lease ? lease->fence : 1);
      if (const auto bytes = lease && writer ? writer->next() : std::nullopt)
        outbox.add_batch(*lease, *bytes, writer->sequence());
    } catch (const base::MachineError&) {
      throw;  // For example a full disk: the rows stay for a later start.
    } catch (const base::Error& error) {
      base::log_warning(fmt::format("the rows in {} are damaged: {}", folder.string(), error.message()));
    }
    if (lease && !outbox.has_report(*lease))
      outbox.add_report(*lease, given_back(fleet::AttemptEnd::kLost, "the process of the node was ended"));
    fs::remove_all(folder, ignored);
  }
}

}  // namespace warptune::tuner::nodes
