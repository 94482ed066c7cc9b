// A filter of system calls: a program for the packet filter of the Linux kernel (seccomp(2)).
//
// The filter sees the architecture, the number of the call and its arguments as numbers, but not the memory
// behind pointers. It is a list of allowed calls: everything that is not on it fails with EPERM. Some calls
// are allowed only with certain arguments. `clone` may only create threads, `tgkill` may only signal this
// process, and so on. A call with the numbers of another architecture ends the process, because they would
// mean other calls.
#include "tuner/confinement/system_call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace warptune::tuner::confinement {

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// Numbers that the headers of a distribution may not have yet. They are the same on all architectures.
constexpr std::uint32_t kClone3 = 435;
constexpr std::uint32_t kFaccessat2 = 439;
// Calls from this number on did not exist when this was written. They fail with ENOSYS, as on an older Linux
// kernel, so the C library uses an older call instead.
constexpr std::uint32_t kFirstUnknown = 470;

// Calls that are allowed with any arguments.
constexpr std::uint32_t kAllowed[] = {
#if defined(__x86_64__)
    __NR_open, __NR_creat, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_unlink, __NR_mkdir,
    __NR_rmdir, __NR_rename, __NR_poll, __NR_select, __NR_pipe, __NR_dup2, __NR_getdents, __NR_arch_prctl,
    __NR_time, __NR_getpgrp,
#endif
    // Memory.
    __NR_brk, __NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise,
    // Files. Landlock restricts the paths.
    __NR_openat, __NR_close, __NR_read, __NR_write, __NR_readv, __NR_writev, __NR_pread64, __NR_pwrite64,
    __NR_lseek, __NR_fstat, __NR_newfstatat, __NR_statx, __NR_statfs, __NR_fstatfs, __NR_getdents64,
    __NR_readlinkat, __NR_faccessat, kFaccessat2, __NR_getcwd, __NR_umask, __NR_ftruncate, __NR_fallocate,
    __NR_fsync, __NR_fdatasync, __NR_flock, __NR_unlinkat, __NR_mkdirat, __NR_renameat, __NR_dup, __NR_dup3,
    __NR_pipe2, __NR_ppoll, __NR_pselect6,
    // Sockets that are already open.
    __NR_recvfrom, __NR_recvmsg, __NR_sendto, __NR_sendmsg, __NR_shutdown,
    // Threads.
    __NR_futex, __NR_set_robust_list, __NR_get_robust_list, __NR_rseq, __NR_set_tid_address, __NR_membarrier,
    __NR_sched_yield, __NR_sched_getaffinity, __NR_sched_getparam, __NR_sched_getscheduler,
    __NR_sched_get_priority_max, __NR_sched_get_priority_min,
    // The process's own signals.
    __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack,
    // Its identity and the time.
    __NR_getpid, __NR_gettid, __NR_getppid, __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid,
    __NR_getrusage, __NR_getrlimit, __NR_sysinfo, __NR_uname, __NR_times, __NR_getrandom, __NR_getcpu,
    __NR_clock_gettime, __NR_clock_getres, __NR_clock_nanosleep, __NR_nanosleep, __NR_gettimeofday,
    __NR_restart_syscall, __NR_exit, __NR_exit_group};

// Calls that a process also needs to run programs and to wait for them.
constexpr std::uint32_t kAllowedForPrograms[] = {
#if defined(__x86_64__)
    __NR_chmod,
#endif
    __NR_execve, __NR_wait4,  __NR_waitid,   __NR_getpgid,   __NR_getresuid, __NR_getresgid,
    __NR_chdir,  __NR_fchmod, __NR_fchmodat, __NR_utimensat, __NR_getgroups};

// Numbers of seccomp(2) that the headers of a distribution may not have.
constexpr unsigned kSetFilter = 1;           // SECCOMP_SET_MODE_FILTER
constexpr unsigned kNewListener = 1U << 3;   // SECCOMP_FILTER_FLAG_NEW_LISTENER, Linux 5.0
constexpr unsigned kOfLinux57 = 1U << 4;     // SECCOMP_FILTER_FLAG_TSYNC_ESRCH
constexpr std::uint32_t kAsk = 0x7fc00000U;  // SECCOMP_RET_USER_NOTIF

// Offsets in the data that a filter reads (seccomp(2)).
constexpr std::uint32_t kNumberAt = offsetof(seccomp_data, nr);
constexpr std::uint32_t kArchitectureAt = offsetof(seccomp_data, arch);
constexpr std::uint32_t low_half_at(std::uint32_t argument) {  // Both architectures store the low half first.
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * argument;
}

// Builds the filter, instruction by instruction (linux/filter.h).
class Filter {
 public:
  void load(std::uint32_t at) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)); }
  void end_if_equal(std::uint32_t value, std::uint32_t result) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    end(result);
  }
  void end_unless_equal(std::uint32_t value, std::uint32_t result) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    end(result);
  }
  void end_if_at_least(std::uint32_t value, std::uint32_t result) {
    add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1));
    end(result);
  }
  void end(std::uint32_t result) { add(BPF_STMT(BPF_RET | BPF_K, result)); }

  // Each of the next four functions adds a condition for one call, which fails if the condition does not
  // hold. The function expects that the call's number is loaded, and leaves it loaded for other calls.
  //
  // Allows the call if the low half of an argument is one of `values`.
  void allow_with(std::uint32_t call, std::uint32_t argument, std::initializer_list<std::uint32_t> values) {
    const auto jump = static_cast<std::uint8_t>(2 * values.size() + 2);
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, jump));
    load(low_half_at(argument));
    for (const std::uint32_t value : values) end_if_equal(value, SECCOMP_RET_ALLOW);
    end(SECCOMP_RET_ERRNO | EPERM);
  }
  // Allows the call if all of `bits` are set in the low half of an argument.
  void allow_with_bits(std::uint32_t call, std::uint32_t argument, std::uint32_t bits) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5));
    load(low_half_at(argument));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
    end_if_equal(bits, SECCOMP_RET_ALLOW);
    end(SECCOMP_RET_ERRNO | EPERM);
  }
  // Allows `clone` to start a thread. If it starts a process, the result is `process`, or a failure if one of
  // the flags `forbidden` is set.
  void allow_clone(std::uint32_t forbidden, std::uint32_t process) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 9));
    load(low_half_at(0));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, forbidden));
    end_unless_equal(0, SECCOMP_RET_ERRNO | EPERM);
    load(low_half_at(0));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, CLONE_THREAD));
    end_if_equal(CLONE_THREAD, SECCOMP_RET_ALLOW);
    end(process);
  }
  // Allows the call if an argument is a null pointer.
  void allow_with_null(std::uint32_t call, std::uint32_t argument) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 7));
    load(low_half_at(argument));
    end_unless_equal(0, SECCOMP_RET_ERRNO | EPERM);
    load(low_half_at(argument) + 4);
    end_unless_equal(0, SECCOMP_RET_ERRNO | EPERM);
    end(SECCOMP_RET_ALLOW);
  }

  bool install() {
    const sock_fprog program = this->program();
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }
  // The result is empty, and nothing is installed, if the system has no listeners or another one listens.
  protocol::FileDescriptor install_with_listener() {
    const sock_fprog program = this->program();
    return protocol::FileDescriptor(
        static_cast<int>(::syscall(__NR_seccomp, kSetFilter, kNewListener, &program)));
  }

 private:
  sock_fprog program() { return {static_cast<unsigned short>(instructions_.size()), instructions_.data()}; }
  void add(sock_filter instruction) { instructions_.push_back(instruction); }

  std::vector<sock_filter> instructions_;
};

// `start_of_process` is the result of calls that start a process, with `runs_programs`.
Filter compiler_filter(bool runs_programs, std::uint32_t start_of_process) {
  // The flags of clone(2) for new namespaces of mounts, control groups, host names, IPC, users, processes and
  // networks.
  constexpr std::uint32_t kNamespaces = 0x7e020000;
  constexpr std::uint32_t kPrSetVma = 0x53564d41;  // PR_SET_VMA: newer C libraries name their mappings.
  Filter filter;
  filter.load(kArchitectureAt);
  filter.end_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  filter.load(kNumberAt);
  for (const std::uint32_t call : kAllowed) filter.end_if_equal(call, SECCOMP_RET_ALLOW);
  if (runs_programs) {
    for (const std::uint32_t call : kAllowedForPrograms) filter.end_if_equal(call, SECCOMP_RET_ALLOW);
#if defined(__x86_64__)
    filter.end_if_equal(__NR_vfork, start_of_process);
#endif
  }
  // The flags of `clone3` are in memory, which a filter cannot read. After ENOSYS the C library uses `clone`.
  filter.end_if_equal(kClone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.end_if_at_least(kFirstUnknown, SECCOMP_RET_ERRNO | ENOSYS);
  if (runs_programs) {
    filter.allow_clone(kNamespaces, start_of_process);
  } else {
    filter.allow_with_bits(__NR_clone, 0, CLONE_THREAD);
  }
  filter.allow_with_null(__NR_prlimit64, 2);  // Reading a limit is allowed, setting it is not.
  filter.allow_with(__NR_tgkill, 0, {static_cast<std::uint32_t>(::getpid())});  // abort() calls it.
  // A process that runs programs also asks the system to end them when it ends. For others, the repeated
  // PR_GET_NAME allows nothing more.
  const std::uint32_t end_with_parent = runs_programs ? PR_SET_PDEATHSIG : PR_GET_NAME;
  filter.allow_with(__NR_prctl, 0, {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, end_with_parent, kPrSetVma});
  filter.allow_with(
      __NR_fcntl, 1,
      {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC, F_GETLK, F_SETLK, F_SETLKW});
  filter.end(SECCOMP_RET_ERRNO | EPERM);
  return filter;
}

}  // namespace

// To let a call go on, a listener needs Linux 5.5. A flag of Linux 5.7 is known if the missing filter is the
// only fault of this call.
bool has_call_listeners() {
  return ::syscall(__NR_seccomp, kSetFilter, kNewListener | kOfLinux57, nullptr) < 0 && errno == EFAULT;
}

bool filter_system_calls(bool runs_programs, protocol::FileDescriptor* listener) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (runs_programs && listener != nullptr && has_call_listeners()) {
    *listener = compiler_filter(runs_programs, kAsk).install_with_listener();
    if (*listener) return true;
  }
  return compiler_filter(runs_programs, SECCOMP_RET_ALLOW).install();
}

#else

bool filter_system_calls(bool, protocol::FileDescriptor*) { return false; }

bool has_call_listeners() { return false; }

#endif

}  // namespace warptune::tuner::confinement
