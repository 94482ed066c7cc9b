#include "bench/compiled_code/definition_pair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/compiled_code/machine_code.h"
#include "kernel_templates/compiler.h"

namespace warptune::bench {

using kernel_templates::KernelInstance;
using model::NamedValues;

namespace {

// A text with everything about the launches of a configuration and its first `count` arguments except for
// names.
std::string launch_text(const KernelInstance& instance, const NamedValues& configuration, std::size_t count) {
  const auto plan = instance.launch_plan(configuration);
  if (!plan) return plan.error().reason;
  std::string text = fmt::format("priorities {}\n", fmt::join(plan->priorities, ","));
  for (const kernel_templates::PlanStep& step : plan->steps) {
    text += fmt::format("step {} on {}", step.action.index(), step.stream);
    if (const kernel_templates::LaunchStep* launch = step.launch()) {
      text +=
          fmt::format(" {} {} {} {} {} {} {}", fmt::join(launch->grid, ","), fmt::join(launch->block, ","),
                      fmt::join(launch->cluster, ","), launch->shared_bytes, launch->cooperative,
                      launch->carveout.value_or(-1), static_cast<int>(launch->cluster_scheduling));
    }
    text += '\n';
  }
  const auto arguments = instance.arguments(configuration);
  if (!arguments) return arguments.error().reason;
  for (std::size_t i = 0; i < std::min(count, arguments->size()); ++i) {
    const kernel_templates::ResolvedArgument& argument = (*arguments)[i];
    text += fmt::format("argument {} {} {} {} {}\n", static_cast<int>(argument.kind),
                        static_cast<int>(argument.type), argument.count, model::to_text(argument.scalar),
                        argument.zeroed);
  }
  return text;
}

using Compiled = model::Outcome<kernel_templates::CompiledKernel>;
using Requested = model::Outcome<kernel_templates::CompileRequest>;

Compiled compile_request(const Requested& request) {
  if (!request) return base::failure(model::Rejection(request.error()));
  return kernel_templates::compile(*request);
}

std::string difference_of(const MachineCode& before, const MachineCode& after) {
  if (before == after) return "";
  std::string text = fmt::format("registers {} -> {}, instructions {} -> {}", before.max_registers(),
                                 after.max_registers(), before.instructions(), after.instructions());
  if (before.spill_bytes() != after.spill_bytes())
    text += fmt::format(", spill bytes {} -> {}", before.spill_bytes(), after.spill_bytes());
  for (std::size_t i = 0; i < std::min(before.entries.size(), after.entries.size()); ++i) {
    const FunctionCode& one = before.entries[i];
    const FunctionCode& other = after.entries[i];
    if (one.static_shared_bytes != other.static_shared_bytes)
      text += fmt::format(", shared bytes {} -> {}", one.static_shared_bytes, other.static_shared_bytes);
    if (one.local_bytes != other.local_bytes)
      text += fmt::format(", local bytes {} -> {}", one.local_bytes, other.local_bytes);
  }
  if (before.constants != after.constants) text += ", constants differ";
  return text;
}

// The compiler does not always generate the same code for the same text. This function compiles both texts
// several more times and returns whether they have some code in common.
bool share_some_code(const kernel_templates::CompileRequest& old_request,
                     const kernel_templates::CompileRequest& new_request, std::size_t entries,
                     MachineCode& before, MachineCode& after) {
  constexpr int kFurtherCompiles = 6;
  std::vector<MachineCode> of_old = {before};
  std::vector<MachineCode> of_new = {after};
  for (int i = 0; i < kFurtherCompiles; ++i) {
    for (const auto& [request, codes] :
         {std::pair(&old_request, &of_old), std::pair(&new_request, &of_new)}) {
      const Compiled again = kernel_templates::compile(*request);
      if (again) codes->push_back(machine_code(*again, codes == &of_new ? entries : again->entries.size()));
    }
    for (const MachineCode& code : of_new) {
      if (std::find(of_old.begin(), of_old.end(), code) != of_old.end()) return true;
    }
  }
  const auto fewer = [](const MachineCode& a, const MachineCode& b) {
    return a.max_registers() < b.max_registers();
  };
  before = *std::min_element(of_old.begin(), of_old.end(), fewer);
  after = *std::min_element(of_new.begin(), of_new.end(), fewer);
  return false;
}

// How many entries of the new definition's request count: those that the old one has, too, and those that the
// new one launches for this configuration.
std::size_t compared_entries(const Requested& old_request, const Requested& new_request,
                             const KernelInstance& after, const NamedValues& configuration) {
  if (!new_request) return 0;
  std::size_t count = new_request->entries.size();
  const auto plan = after.launch_plan(configuration);
  if (!plan || !old_request) return count;
  for (; count > old_request->entries.size(); --count) {
    const std::string& last = new_request->entries[count - 1];
    const bool runs = std::any_of(plan->steps.begin(), plan->steps.end(), [&](const auto& step) {
      return step.launch() != nullptr && step.launch()->entry == last;
    });
    if (runs) break;
  }
  return count;
}

template <class Note>
void compare_code(const Requested& old_request, const Requested& new_request, std::size_t entries,
                  bool new_first, Tally& tally, const Note& note) {
  Compiled old_code = base::failure(model::Rejection{});
  Compiled new_code = base::failure(model::Rejection{});
  if (new_first) new_code = compile_request(new_request);
  old_code = compile_request(old_request);
  if (!new_first) new_code = compile_request(new_request);
  ++tally.compared;
  if (!old_code && !new_code) {
    ++tally.failed_in_both;
    return;
  }
  if (!old_code) return note("compiles only in the new definition: " + old_code.error().reason);
  if (!new_code) return note("compiles only in the old definition: " + new_code.error().reason);
  tally.time_ratios.push_back(new_code->compile_ms / old_code->compile_ms);
  MachineCode before = machine_code(*old_code, old_code->entries.size());
  MachineCode after = machine_code(*new_code, entries);
  if (before == after || share_some_code(*old_request, *new_request, entries, before, after)) {
    ++tally.same;
    if (before != after) ++tally.sometimes_same;
    return;
  }
  tally.instruction_ratios.push_back(static_cast<double>(after.instructions()) /
                                     static_cast<double>(before.instructions()));
  if (after.max_registers() > before.max_registers()) ++tally.more_registers;
  if (after.spill_bytes() > before.spill_bytes()) ++tally.more_spills;
  note(difference_of(before, after));
}

}  // namespace

DefinitionPair::DefinitionPair(const kernel_templates::KernelDefinition& before,
                               const kernel_templates::KernelDefinition& after,
                               const model::Renaming& renaming, const NamedValues& problem,
                               const model::GpuDescription& gpu)
    : renaming_(renaming),
      before_(before, renaming.reversed().renamed(problem), gpu),
      after_(after, problem, gpu) {}

void DefinitionPair::compare_spaces(Tally& tally) const {
  const std::uint64_t size = after_.space().size();
  if (before_.space().size() != size) {
    tally.differences.push_back(
        {fmt::format("the space has {} configurations, had {}", size, before_.space().size()),
         after_.problem(),
         {}});
  }
  if (renaming_.renamed_configuration(before_.default_configuration()) != after_.default_configuration())
    tally.differences.push_back({"the default differs", after_.problem(), after_.default_configuration()});
}

void DefinitionPair::compare_references(Tally& tally) const {
  if (!before_.has_reference() || !after_.has_reference()) return;
  compare_code(before_.reference_request(), after_.reference_request(), 1, false, tally,
               [&](const std::string& what) {
                 tally.differences.push_back({"reference: " + what, after_.problem(), {}});
               });
}

void DefinitionPair::compare(const NamedValues& configuration, bool new_first, Tally& tally) const {
  const NamedValues renamed = renaming_.renamed_configuration(configuration);
  const auto note = [&](std::string what) {
    tally.differences.push_back({std::move(what), after_.problem(), renamed});
  };
  const auto found = after_.space().configuration_of(renamed);
  if (!found || !after_.space().contains(*found)) {
    ++tally.not_valid;
    return note(found ? "not valid in the new definition" : found.error());
  }
  // Arguments that only the new definition has come last. Code that is the same does not read them.
  const std::size_t arguments = before_.definition().arguments.size();
  if (launch_text(before_, configuration, arguments) != launch_text(after_, renamed, arguments)) {
    ++tally.different_launches;
    note("launched otherwise");
  }
  const Requested old_request = before_.compile_request(configuration);
  const Requested new_request = after_.compile_request(renamed);
  compare_code(old_request, new_request, compared_entries(old_request, new_request, after_, renamed),
               new_first, tally, note);
}

}  // namespace warptune::bench
