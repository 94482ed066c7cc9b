// Loads the code of a selection.
//
// The code comes from the compile cache, which the commands fill, too. If it is not there, NVRTC compiles it
// in this process. A program that cannot wait for that loads the default first. A thread then compiles and
// loads the selected code, and replaces the pointer that launches read. The default stays loaded, because
// another thread may be launching it, and a graph may contain it.
#include "library/loaded_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/resolution/memory_resolution.h"
#include "library/open_library.h"

namespace warptune::library {

struct LoadedCode::Prepared {
  kernel_templates::LaunchPlan plan;
  std::vector<kernel_templates::ResolvedArgument> arguments;
  kernel_templates::CompileRequest request;
  std::string configuration;  // For messages.
};

namespace {

// NVRTC is called by one thread of the process at a time, because it keeps precompiled headers.
std::mutex& compiler_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::shared_ptr<const profiling::ResidentContext> context_for(const TunedKernel& kernel) {
  if (kernel.ordinal() < 0) {
    throw base::InputError(
        "the library was opened for a GPU by name, so nothing can be loaded; open it without a GPU's name");
  }
  return std::make_shared<profiling::ResidentContext>(kernel.ordinal());
}

// Whether each argument is a scalar that callers may not choose, because its expression in the definition
// uses the problem or a parameter.
std::vector<bool> fixed_scalars(const kernel_templates::KernelDefinition& definition) {
  std::vector<bool> fixed;
  for (const kernel_templates::Argument& argument : definition.arguments)
    fixed.push_back(argument.value && !argument.value->variables().empty());
  return fixed;
}

template <class T>
T required(model::Outcome<T> outcome, const std::string& configuration) {
  if (!outcome)
    throw base::WorkError(fmt::format("{} cannot run: {}", configuration, outcome.error().reason));
  return *std::move(outcome);
}

}  // namespace

void require_no_other_outputs(const std::optional<model::outputs::Reproducibility>& demanded,
                              bool in_background) {
  using Demand = model::outputs::Reproducibility::Demand;
  if (!in_background || !demanded || demanded->demand == Demand::kBits) return;
  throw base::InputError(fmt::format(
      "in_background runs the definition's default until the code is compiled, and it is not known that this "
      "{}: load without in_background, or ask for reproducible=bits",
      demanded->sentence()));
}

LoadedCode::LoadedCode(const Selection& selection, bool in_background)
    : selection_(selection),
      instance_(selection.kernel->instance(selection.problem)),
      context_(context_for(*selection.kernel)) {
  const OpenOptions& options = selection.kernel->library().options();
  if (options.mode != Mode::kOff) require_no_other_outputs(options.reproducible, in_background);
  if (const auto* tuned = kernel_templates::resolution::argument_with_tuned_pitch(instance_.definition()))
    throw base::InputError(
        fmt::format("the pitch of \"{}\" depends on a parameter, which libwarptune cannot launch with",
                    tuned->name),
        tuned->pitch->position());
  const Prepared selected = prepare(selection.configuration);
  workspace_bytes_ = profiling::workspace_bytes_of(selected.arguments);
  if (!in_background) {
    selected_ = compile(selected);
    current_.store(selected_.get(), std::memory_order_release);
    return;
  }
  if (auto kept = cached(selected)) {
    selected_ = std::move(kept);
    current_.store(selected_.get(), std::memory_order_release);
    return;
  }
  load_default(selected);
}

LoadedCode::~LoadedCode() {
  if (thread_.joinable()) thread_.join();
}

LoadedCode::Prepared LoadedCode::prepare(const model::NamedValues& configuration) const {
  const std::string text = fmt::format("{} {}", instance_.definition().name, model::to_text(configuration));
  return {required(instance_.screened_plan(configuration), text),
          required(instance_.arguments(configuration), text),
          required(instance_.compile_request(configuration), text), text};
}

std::unique_ptr<profiling::ResidentKernel> LoadedCode::make_resident(
    const Prepared& prepared, const kernel_templates::CompiledKernel& compiled) const {
  const profiling::ResidentCode code{compiled, prepared.plan, prepared.arguments,
                                     fixed_scalars(instance_.definition()), workspace_bytes_};
  return required(profiling::ResidentKernel::load(code, instance_.gpu(), context_), prepared.configuration);
}

// Null if the compile cache does not have the code. Does not wait for threads that compile.
std::unique_ptr<profiling::ResidentKernel> LoadedCode::cached(const Prepared& prepared) const {
  kernel_templates::CompileCache cache(selection_.kernel->library().compile_cache());
  auto kept = cache.find(kernel_templates::compile_key(prepared.request));
  if (!kept) return nullptr;
  return make_resident(prepared, required(*std::move(kept), prepared.configuration));
}

std::unique_ptr<profiling::ResidentKernel> LoadedCode::compile(const Prepared& prepared) const {
  if (auto kept = cached(prepared)) return kept;
  kernel_templates::CompileCache cache(selection_.kernel->library().compile_cache());
  std::unique_lock lock(compiler_mutex());
  model::Outcome<kernel_templates::CompiledKernel> compiled =
      kernel_templates::compile_through(cache, prepared.request);
  lock.unlock();
  return make_resident(prepared, required(std::move(compiled), prepared.configuration));
}

void LoadedCode::load_default(const Prepared& selected) {
  const model::NamedValues& usual = instance_.default_configuration();
  const bool has_other = !usual.empty() && model::key_of(usual) != model::key_of(selection_.configuration) &&
                         instance_.screened_plan(usual).has_value();
  if (!has_other) {  // Nothing else can run meanwhile.
    selected_ = compile(selected);
    current_.store(selected_.get(), std::memory_order_release);
    return;
  }
  const Prepared prepared = prepare(usual);
  workspace_bytes_ = std::max(workspace_bytes_, profiling::workspace_bytes_of(prepared.arguments));
  usual_ = compile(prepared);
  current_.store(usual_.get(), std::memory_order_release);
  state_.store(State::kDefault, std::memory_order_release);
  thread_ = std::thread([this, selected] { finish_in_background(selected); });
}

void LoadedCode::finish_in_background(const Prepared& selected) noexcept {
  try {
    selected_ = compile(selected);
    current_.store(selected_.get(), std::memory_order_release);
    state_.store(State::kSelected, std::memory_order_release);
  } catch (const std::exception& error) {
    failure_ = error.what();
    state_.store(State::kFallback, std::memory_order_release);
  }
}

void LoadedCode::wait() {
  {
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }
  if (state() == State::kFallback) throw base::WorkError(failure_);
}

}  // namespace warptune::library
