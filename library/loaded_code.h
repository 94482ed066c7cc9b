#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "library/selection.h"
#include "model/outputs/reproducibility.h"
#include "profiling/resident_kernel.h"

namespace warptune::library {

/// Refuses to load in the background where only configurations with reproducible outputs may run: the
/// default, which would run at first, need not be one. It may if its own bits are demanded. Throws
/// `base::InputError`.
void require_no_other_outputs(const std::optional<model::outputs::Reproducibility>& demanded,
                              bool in_background);

/// The code of a selection in one context. It may run the default until the selected code is compiled.
class LoadedCode {
 public:
  /// Loads the code from the compile cache, or compiles it. If `in_background` is set and the code is not in
  /// the cache, the default is loaded, and a thread compiles the selected code. The kernel must outlive the
  /// object. Throws in these cases:
  /// * `base::InputError` if the kernel was opened for a named GPU instead of a device of this machine, or if
  ///   the context belongs to another device,
  /// * `base::InputError` as `require_no_other_outputs` does for the library's demand,
  /// * `base::WorkError` if the code does not compile or cannot run,
  /// * `base::MachineError` if there is no driver or no compiler.
  LoadedCode(const Selection& selection, bool in_background);
  /// Waits for the thread, and unloads the code.
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  enum class State { kSelected, kDefault, kFallback };
  State state() const { return state_.load(std::memory_order_acquire); }
  /// Waits until the selected code runs. Throws `base::WorkError` with the reason if it cannot.
  void wait();

  const std::vector<profiling::ExpectedArgument>& expected() const { return current()->expected(); }
  std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  /// The code that a launch runs now. It stays loaded as long as this object.
  const profiling::ResidentKernel* current() const noexcept {
    return current_.load(std::memory_order_acquire);
  }

 private:
  /// Everything that loading a configuration needs, except its compiled code.
  struct Prepared;
  Prepared prepare(const model::NamedValues& configuration) const;
  std::unique_ptr<profiling::ResidentKernel> make_resident(
      const Prepared& prepared, const kernel_templates::CompiledKernel& compiled) const;
  std::unique_ptr<profiling::ResidentKernel> cached(const Prepared& prepared) const;
  std::unique_ptr<profiling::ResidentKernel> compile(const Prepared& prepared) const;
  void load_default(const Prepared& selected);
  void finish_in_background(const Prepared& selected) noexcept;

  const Selection& selection_;
  kernel_templates::KernelInstance instance_;
  std::shared_ptr<const profiling::ResidentContext> context_;
  std::uint64_t workspace_bytes_ = 0;
  std::unique_ptr<profiling::ResidentKernel> selected_;
  std::unique_ptr<profiling::ResidentKernel> usual_;
  std::atomic<const profiling::ResidentKernel*> current_{nullptr};
  std::atomic<State> state_{State::kSelected};
  std::string failure_;  ///< Why the selected code cannot run. Written before `state_` says so.
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace warptune::library
