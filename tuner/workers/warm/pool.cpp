// The pool of warm workers is one thread that waits for events in `poll`. It has a connection for each
// session, and a list of workers. Each worker is idle, or lent to one connection. When a connection closes,
// its workers are killed, unless the session has given them back before. So a session that is killed leaves
// nothing, and a worker that still compiles for an earlier session is never lent.
//
// The pool reads nothing from its workers. What they print and send goes to the sessions. It waits for the
// end of a lent worker only when the session is gone, so that the session can use the process id until then.
#include "tuner/workers/warm/pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/processes/worker_program.h"
#include "tuner/workers/warm/kept_worker.h"
#include "tuner/workers/warm/packets.h"

namespace warptune::tuner::workers::warm {

using Clock = std::chrono::steady_clock;
using processes::WorkerProcess;
using protocol::FileDescriptor;

namespace {

constexpr int kLookAroundMs = 1000;  // How often ages, memory and the lock's file are checked.
constexpr std::size_t kMaxSessions = 64;
constexpr long kPidfdOpen = 434;  // Linux 5.3. The number is the same on all architectures.

volatile std::sig_atomic_t asked_to_end = 0;

void end_at_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_end = 1; };
  action.sa_flags = SA_RESTART;  // `poll` is interrupted nevertheless.
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

class Pool {
 public:
  Pool(FileDescriptor listener, FileDescriptor lock, std::function<std::uint64_t()> available_bytes)
      : listener_(std::move(listener)),
        lock_(std::move(lock)),
        available_bytes_(std::move(available_bytes)) {}

  void serve() {
    write_process_id();
    do {
      wait();
      accept_sessions();
      hear_sessions();
      drop_unfit();
    } while ((!sessions_.empty() || !workers_.empty()) && !is_removed() && asked_to_end == 0);
    for (KeptWorker& worker : workers_) worker.process.kill();
    workers_.clear();
    remove_files();
  }

 private:
  using Workers = std::list<KeptWorker>;

  void write_process_id() const;
  bool is_removed() const;
  void remove_files() const;
  void wait() const;
  void accept_sessions();
  void hear_sessions();
  bool answer(const FileDescriptor& session, const Packet& packet);
  bool lend(const FileDescriptor& session, const protocol::Borrow& question);
  void take_back(int session, std::uint64_t number);
  void end_workers_of(int session);
  void drop_unfit();
  Workers::iterator oldest_idle();
  KeptWorker* find_idle(const protocol::Borrow& question, const confinement::Sandbox& sandbox);
  KeptWorker& start_worker(const protocol::Borrow& question, confinement::Sandbox sandbox);

  FileDescriptor listener_;
  FileDescriptor lock_;
  std::function<std::uint64_t()> available_bytes_;
  std::list<FileDescriptor> sessions_;
  Workers workers_;
  std::uint64_t next_number_ = 1;
  std::size_t max_workers_ = 4 * std::max<std::size_t>(std::thread::hardware_concurrency(), 4);
};

// Sessions that look for pools read it (`running_pools`).
void Pool::write_process_id() const {
  const std::string text = lock_text(::getpid());
  if (::ftruncate(lock_.get(), 0) == 0)
    static_cast<void>(::pwrite(lock_.get(), text.data(), text.size(), 0) < 0);
}

// The folder is removed when the user logs out, or by hand.
bool Pool::is_removed() const {
  struct stat status {};
  return ::fstat(lock_.get(), &status) != 0 || status.st_nlink == 0;
}

void Pool::remove_files() const {
  if (is_removed()) return;
  std::error_code error;
  const std::filesystem::path lock =
      std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", lock_.get()), error);
  if (error) return;
  ::unlink(std::filesystem::path(lock).replace_extension(".socket").c_str());
  ::unlink(lock.c_str());
}

void Pool::wait() const {
  std::vector<pollfd> polled = {{listener_.get(), POLLIN, 0}};
  for (const FileDescriptor& session : sessions_) polled.push_back({session.get(), POLLIN, 0});
  ::poll(polled.data(), polled.size(), kLookAroundMs);
}

void Pool::accept_sessions() {
  while (true) {
    FileDescriptor session(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!session) {
      if (errno != EMFILE && errno != ENFILE) return;
      // The session waits in the queue until a worker's descriptors are free.
      const auto oldest = oldest_idle();
      if (oldest == workers_.end()) {
        ::usleep(10000);
        return;
      }
      workers_.erase(oldest);
      continue;
    }
    if (sessions_.size() < kMaxSessions && is_of_this_user(session)) sessions_.push_back(std::move(session));
  }
}

void Pool::hear_sessions() {
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    bool goes_on = true;
    while (goes_on && is_readable(session->get())) {
      const std::optional<Packet> packet = receive_packet(*session, std::chrono::milliseconds(0));
      goes_on = packet && answer(*session, *packet);
    }
    if (goes_on) {
      ++session;
    } else {
      end_workers_of(session->get());
      session = sessions_.erase(session);
    }
  }
}

// Returns false if the session cannot be served any more.
bool Pool::answer(const FileDescriptor& session, const Packet& packet) {
  if (const auto* const back = std::get_if<protocol::GiveBack>(&packet.message)) {
    take_back(session.get(), back->worker);
    return true;
  }
  const auto* const question = std::get_if<protocol::Borrow>(&packet.message);
  if (question == nullptr) return false;
  try {
    return lend(session, *question);
  } catch (const std::exception& error) {
    return send_packet(session, protocol::failure_of(error));
  }
}

bool Pool::lend(const FileDescriptor& session, const protocol::Borrow& question) {
  confinement::Sandbox sandbox = confinement::sandbox_of(question.sandbox);
  if (sandbox.runs_programs() || !sandbox.scratch.empty() || !sandbox.adjustable_memory)
    throw base::InputError("the pool has no workers with this sandbox");
  KeptWorker* worker = find_idle(question, sandbox);
  if (worker == nullptr) worker = &start_worker(question, std::move(sandbox));
  worker->asked.keep_s = question.keep_s;
  worker->session = session.get();
  return send_packet(
      session, protocol::Lent{worker->number, worker->process.id(), worker->has_greeted},
      {worker->process.channel().descriptor(), worker->process.output_descriptor(), worker->pidfd.get()});
}

KeptWorker* Pool::find_idle(const protocol::Borrow& question, const confinement::Sandbox& sandbox) {
  for (KeptWorker& worker : workers_) {
    if (worker.is_idle() && worker.serves(question, sandbox.readable) && !worker.is_spoilt()) return &worker;
  }
  return nullptr;
}

KeptWorker& Pool::start_worker(const protocol::Borrow& question, confinement::Sandbox sandbox) {
  if (workers_.size() >= max_workers_) {
    const auto oldest = oldest_idle();
    if (oldest == workers_.end()) throw base::WorkError("the pool has no room for another worker");
    workers_.erase(oldest);
  }
  auto scratch = std::make_unique<confinement::ScratchFolder>(false);  // It is waited for.
  if (scratch->path().empty()) throw base::WorkError("the pool cannot make a scratch folder");
  const struct ReturnToRoot {
    ReturnToRoot() = default;
    ReturnToRoot(const ReturnToRoot&) = delete;
    ReturnToRoot& operator=(const ReturnToRoot&) = delete;
    ~ReturnToRoot() { static_cast<void>(::chdir("/") == 0); }
  } return_to_root;
  if (::chdir(question.folder.c_str()) != 0)
    throw base::WorkError("the pool cannot open the working directory of the session");
  sandbox.scratch = scratch->path();
  const processes::ForeignWorkers program_of_workers(processes::worker_program(), question.environment);
  WorkerProcess process(fmt::format("warm {}", next_number_), sandbox);
  FileDescriptor pidfd(static_cast<int>(::syscall(kPidfdOpen, process.id(), 0)));
  if (!pidfd) throw base::WorkError("the operating system has no descriptors of processes");
  workers_.push_back({next_number_++, question, std::move(sandbox.readable), std::move(scratch),
                      std::move(process), std::move(pidfd)});
  return workers_.back();
}

void Pool::take_back(int session, std::uint64_t number) {
  for (KeptWorker& worker : workers_) {
    if (worker.number != number || worker.session != session) continue;
    worker.session = -1;
    worker.has_greeted = true;
    worker.idle_since = Clock::now();
  }
}

void Pool::end_workers_of(int session) {
  const auto is_lent_to_it = [&](const KeptWorker& worker) { return worker.session == session; };
  for (KeptWorker& worker : workers_) {
    if (is_lent_to_it(worker)) worker.process.kill();  // All of them, before the first is waited for.
  }
  workers_.remove_if(is_lent_to_it);
}

// Ends idle workers that have waited long enough, that are spoilt, or that hold too much memory together.
// Those that have waited longest go first.
void Pool::drop_unfit() {
  const Clock::time_point now = Clock::now();
  std::uint64_t held_bytes = 0;
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    const bool has_waited =
        worker->is_idle() && now - worker->idle_since >= std::chrono::seconds(worker->asked.keep_s);
    const bool is_unfit = has_waited || worker->is_spoilt();
    if (!is_unfit && worker->is_idle()) held_bytes += worker->resident_bytes();
    if (is_unfit) worker->process.kill();
    worker = is_unfit ? workers_.erase(worker) : std::next(worker);
  }
  const std::uint64_t available_bytes = held_bytes > 0 ? available_bytes_() : 0;
  while (available_bytes > 0 && held_bytes > available_bytes / 4) {
    const auto oldest = oldest_idle();
    if (oldest == workers_.end()) return;
    held_bytes -= std::min(held_bytes, oldest->resident_bytes());
    oldest->process.kill();
    workers_.erase(oldest);
  }
}

// The idle worker that has waited longest; the end of the list if none is idle.
Pool::Workers::iterator Pool::oldest_idle() {
  auto oldest = workers_.end();
  for (auto worker = workers_.begin(); worker != workers_.end(); ++worker) {
    if (worker->is_idle() && (oldest == workers_.end() || worker->idle_since < oldest->idle_since))
      oldest = worker;
  }
  return oldest;
}

}  // namespace

int serve_pool(base::Descriptor listener, base::Descriptor lock,
               const std::function<std::uint64_t()>& available_bytes) {
  end_at_signals();
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // Nothing is lost with it.
  Pool(std::move(listener), std::move(lock), available_bytes).serve();
  return 0;
}

}  // namespace warptune::tuner::workers::warm
