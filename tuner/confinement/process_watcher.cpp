// The watcher is in the worker's process group, so no other group gets its number while the watcher lives.
// The programs cannot leave the group, because the filter of system calls forbids it. A signal to a process
// group also ends a process that is just being started, so nothing escapes it.
//
// A filter of system calls sees one call and cannot count. The operating system's own limit counts all
// processes of the user. So the filter asks the watcher before each start of a process, and the caller waits
// for the answer (seccomp_unotify(2)). The watcher reads from /proc how many processes the group has. Then it
// allows as many starts as would fill the group if no process ended, and counts again.
#include "tuner/confinement/process_watcher.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/programs/close_descriptors.h"

namespace warptune::tuner::confinement {

using protocol::FileDescriptor;

namespace {

// The messages of seccomp_unotify(2). Older headers lack them.
struct Question {
  std::uint64_t id = 0;
  std::uint32_t process = 0;
  std::uint32_t flags = 0;
  seccomp_data call{};
};
struct Answer {
  std::uint64_t id = 0;
  std::int64_t value = 0;
  std::int32_t error = 0;
  std::uint32_t flags = 0;
};
constexpr unsigned long kReceiveQuestion = _IOWR('!', 0, Question);
constexpr unsigned long kSendAnswer = _IOWR('!', 1, Answer);
constexpr std::uint32_t kContinue = 1;  // The call goes on as if nobody had been asked.

// The group of a process that has not ended, from its file in /proc (proc(5)). -1 for others.
pid_t group_of(const char* process) {
  char text[512];
  std::snprintf(text, sizeof(text), "/proc/%.20s/stat", process);
  const FileDescriptor file(::open(text, O_RDONLY | O_CLOEXEC));
  const ssize_t count = file ? ::read(file.get(), text, sizeof(text) - 1) : -1;
  if (count <= 0) return -1;
  text[count] = '\0';
  const char* after_name = std::strrchr(text, ')');  // The name may contain anything.
  char state = 'X';
  int parent = 0;
  int group = -1;
  if (after_name == nullptr || std::sscanf(after_name + 1, " %c %d %d", &state, &parent, &group) != 3)
    return -1;
  return state == 'Z' || state == 'X' ? -1 : group;
}

int processes_of(pid_t group) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  int count = 0;
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && group_of(entry->d_name) == group) ++count;
  }
  return count;
}

class Watcher {
 public:
  Watcher(FileDescriptor line, pid_t worker) : line_(std::move(line)), worker_(worker) {}

  [[noreturn]] void run() {
    while (true) {
      pollfd polled[2] = {{line_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      if (::poll(polled, 2, -1) < 0 && errno != EINTR) kill_group();
      if (polled[0].revents != 0 && !take_listener()) kill_group();
      if ((polled[1].revents & POLLIN) != 0) answer();
      // All processes that could ask have ended.
      if ((polled[1].revents & (POLLHUP | POLLERR)) != 0) listener_.reset();
    }
  }

 private:
  [[noreturn]] void kill_group() const {
    ::kill(-worker_, SIGKILL);
    ::_exit(0);
  }

  // Returns false when the worker has ended.
  bool take_listener() {
    char byte = 0;
    iovec bytes{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    if (::recvmsg(line_.get(), &message, MSG_CMSG_CLOEXEC) <= 0) return false;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(header), sizeof(descriptor));
      listener_.reset(descriptor);
    }
    return true;
  }

  void answer() {
    Question question;
    if (::ioctl(listener_.get(), kReceiveQuestion, &question) != 0) return;  // The caller was killed.
    if (allowed_ == 0) allowed_ = kMaxProcesses - processes_of(worker_);
    if (allowed_ <= 0) {
      ::kill(worker_, kTooManyProcesses);
      kill_group();
    }
    --allowed_;
    Answer answer;
    answer.id = question.id;
    answer.flags = kContinue;
    ::ioctl(listener_.get(), kSendAnswer, &answer);
  }

  FileDescriptor line_;
  FileDescriptor listener_;
  pid_t worker_;
  int allowed_ = 0;  // Starts of processes before the processes must be counted again.
};

}  // namespace

FileDescriptor start_process_watcher() {
  ::setpgid(0, 0);  // Changes nothing if this process already leads its group.
  int ends[2] = {-1, -1};
  const pid_t worker = ::getpid();
  const bool connected = ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
  FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  const pid_t watcher = connected ? ::fork() : -1;
  if (watcher < 0) {
    throw base::MachineError(
        fmt::format("the process that watches a worker cannot be started: {}", std::strerror(errno)),
        "raise the limits of processes and open files (ulimit -u, ulimit -n)");
  }
  if (watcher == 0) {
    ::prctl(PR_SET_NAME, "warptune-watch");
    // The watcher keeps only its own end of the connection. It closes the worker's descriptors, so that they
    // are closed for everybody when the worker ends.
    ::dup2(theirs.get(), STDIN_FILENO);
    base::programs::close_descriptors_from(STDIN_FILENO + 1);
    static_cast<void>(ours.release());
    static_cast<void>(theirs.release());
    Watcher(FileDescriptor(STDIN_FILENO), worker).run();
  }
  return ours;
}

void hand_to_watcher(const FileDescriptor& watcher, FileDescriptor listener) {
  char byte = 0;
  iovec bytes{&byte, 1};
  const int descriptor = listener.get();
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof(descriptor));
  ::sendmsg(watcher.get(), &message, MSG_NOSIGNAL);
}

}  // namespace warptune::tuner::confinement
