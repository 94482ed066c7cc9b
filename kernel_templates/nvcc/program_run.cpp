#include "kernel_templates/nvcc/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/c_strings.h"

namespace warptune::kernel_templates::nvcc {

namespace {

std::string beginning_of(const std::filesystem::path& file) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  std::string text(kMaxBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(kMaxBytes));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       const std::filesystem::path& output) {
  const std::vector<char*> pointers = base::c_strings(arguments);
  const std::vector<char*> variables = base::c_strings(environment);
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) {
    // Only async-signal-safe calls are allowed until exec.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (file < 0 || nothing < 0) ::_exit(127);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    // The program must not inherit files that were opened without O_CLOEXEC. Descriptors above 255 stay open.
    for (int descriptor = 3; descriptor < 256; ++descriptor) ::close(descriptor);
    ::execve(pointers.front(), pointers.data(), variables.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {};
  }
  ProgramRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.output = beginning_of(output);
  return run;
}

}  // namespace warptune::kernel_templates::nvcc
