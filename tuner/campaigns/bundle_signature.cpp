#include "tuner/campaigns/bundle_signature.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/limited_file.h"
#include "base/text.h"
#include "kernel_templates/nvcc/program_run.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_program.h"

namespace warptune::tuner::campaigns {

namespace fs = std::filesystem;
using kernel_templates::nvcc::ProgramRun;

namespace {

constexpr int kNotStarted = 127;
constexpr std::uint64_t kMaxSignersBytes = std::uint64_t{1} << 20;

// The files of one signature, in a folder that is removed at the end.
class Scratch {
 public:
  Scratch() {
    if (folder_.path().empty())
      throw base::MachineError("cannot create a temporary folder for a signature", "free some space in /tmp");
  }
  fs::path operator/(const char* name) const { return folder_.path() / name; }

 private:
  confinement::ScratchFolder folder_;
};

// Runs ssh-keygen with options of a shell command, in which $MANIFEST, $KEY and so on are `variables`.
ProgramRun run_ssh_keygen(const std::string& options,
                          const std::vector<std::pair<std::string, fs::path>>& variables,
                          const Scratch& scratch) {
  std::vector<std::string> environment = processes::copy_of_environment();
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value.string());
  ProgramRun run = kernel_templates::nvcc::run_program({"/bin/sh", "-c", "exec ssh-keygen -Y " + options},
                                                       environment, scratch / "output");
  if (run.exit_code == kNotStarted || run.exit_code < 0) {
    throw base::MachineError("ssh-keygen, which signs and verifies definitions, cannot be started",
                             "install OpenSSH's client");
  }
  return run;
}

std::string first_line_of(const ProgramRun& run) {
  return std::string(base::trim(base::first_line(base::trim(run.output))));
}

}  // namespace

void sign_bundle(DefinitionBundle& bundle, const fs::path& key) {
  const Scratch scratch;
  base::write_file_atomically(scratch / "manifest", bundle.manifest);
  const ProgramRun run =
      run_ssh_keygen("sign -q -n warptune -f \"$WARPTUNE_KEY\" \"$WARPTUNE_MANIFEST\"",
                     {{"WARPTUNE_KEY", key}, {"WARPTUNE_MANIFEST", scratch / "manifest"}}, scratch);
  if (run.exit_code != 0) {
    throw base::InputError(fmt::format("the key {} cannot sign: {}", key.string(), first_line_of(run)));
  }
  bundle.signature = base::read_file(scratch / "manifest.sig");
}

void require_signers_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw base::InputError("expected a regular file of allowed signers", {path.string(), 0, 0});
  base::streams::read_limited_file(path, kMaxSignersBytes, "a file of allowed signers");
}

void require_signature(const DefinitionBundle& bundle, const fs::path& allowed_signers) {
  if (bundle.signature.empty()) {
    throw base::InputError(fmt::format(
        "the definition of {} is not signed, and this node runs only signed ones", bundle.kernel));
  }
  require_signers_file(allowed_signers);
  const Scratch scratch;
  base::write_file_atomically(scratch / "manifest", bundle.manifest);
  base::write_file_atomically(scratch / "signature", bundle.signature);
  const std::vector<std::pair<std::string, fs::path>> variables = {
      {"WARPTUNE_SIGNERS", allowed_signers},
      {"WARPTUNE_SIGNATURE", scratch / "signature"},
      {"WARPTUNE_MANIFEST", scratch / "manifest"}};
  const ProgramRun found = run_ssh_keygen(
      "find-principals -s \"$WARPTUNE_SIGNATURE\" -f \"$WARPTUNE_SIGNERS\" 2>/dev/null", variables, scratch);
  const std::string signer = first_line_of(found);
  if (found.exit_code != 0 || signer.empty()) {
    throw base::InputError(fmt::format("the definition of {} is signed by a key that {} does not list",
                                       bundle.kernel, allowed_signers.string()));
  }
  std::vector<std::pair<std::string, fs::path>> with_signer = variables;
  with_signer.emplace_back("WARPTUNE_SIGNER", signer.substr(0, signer.find(',')));
  const ProgramRun verified = run_ssh_keygen(
      "verify -n warptune -f \"$WARPTUNE_SIGNERS\" -I \"$WARPTUNE_SIGNER\" -s \"$WARPTUNE_SIGNATURE\" "
      "< \"$WARPTUNE_MANIFEST\"",
      with_signer, scratch);
  if (verified.exit_code != 0) {
    throw base::InputError(fmt::format("the signature of the definition of {} does not fit: {}",
                                       bundle.kernel, first_line_of(verified)));
  }
}

}  // namespace warptune::tuner::campaigns
