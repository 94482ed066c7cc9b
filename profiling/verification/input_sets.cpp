// Keeps two sets of inputs with their references, and exchanges them in place.
//
// The kernel always gets the same addresses, so it cannot recognise a set by them. The other set is in
// separate memory. An exchange swaps the contents of the two buffers of each input on the device. Inout
// arguments are restored from a copy of their initial contents before each launch, so for them only the
// pointers to the two copies are swapped. The same is true of references. After the final rounds, `renew`
// replaces the current set by data from a new seed.
#include "profiling/verification/input_sets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "kernel_templates/argument_data.h"

namespace warptune::profiling::verification {

namespace {

// A quarter of the GPU's memory stays free for the scratch and the code of later configurations, and for the
// profiler.
constexpr std::size_t kFreeMemoryDivisor = 4;

bool varies(const driver::DeviceArgument& argument) {
  return argument.is_input() && kernel_templates::depends_on_seed(argument.argument.init);
}

}  // namespace

InputSets::InputSets(driver::DeviceArguments& arguments, driver::DeviceHelpers& helpers, OutputCheck& check)
    : arguments_(arguments), helpers_(helpers), check_(check) {}

bool InputSets::vary() const { return std::any_of(arguments_.all().begin(), arguments_.all().end(), varies); }

bool InputSets::has_room() const {
  std::size_t needed = 0;
  for (const driver::DeviceArgument& argument : arguments_.all())
    needed += argument.bytes() * ((varies(argument) ? 1U : 0U) + (argument.is_output() ? 1U : 0U));
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
  return needed + total_bytes / kFreeMemoryDivisor <= free_bytes;
}

std::string InputSets::inputs_from_files() const {
  std::vector<std::string> names;
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.is_input() && argument.argument.init.kind == kernel_templates::InitialiserKind::kFile)
      names.push_back(argument.argument.name);
  }
  if (names.empty()) return "";
  return fmt::format("both sets of inputs have the same data from files: {}", fmt::join(names, ", "));
}

std::string InputSets::add_second_set(std::uint64_t seed, const RunReference& run_reference) {
  if (!vary()) return "no input depends on the seed, so all launches are verified on the same data";
  if (!has_room())
    return "the GPU's memory has no room for a second set of inputs, so all launches are verified on the "
           "same data";
  other_seed_ = seed;
  for (std::size_t i = 0; i < arguments_.all().size(); ++i) {
    driver::DeviceArgument& argument = arguments_.all()[i];
    if (!varies(argument)) continue;
    argument.other.first = driver::allocate(argument.bytes(), argument.argument.name + "'s second contents");
    kernel_templates::generate_argument_in_parts(argument.argument, i, seed,
                                                 driver::uploader(argument.other.first.get()));
    helpers_.checksum(argument.other.first.get(), argument.bytes());
    argument.other.checksum = helpers_.collect().front().count;
  }
  for (driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    argument.other.reference.memory = driver::allocate(driver::Reference::bytes_for(argument.bytes()),
                                                       argument.argument.name + "'s second reference");
  }
  has_two_ = true;
  exchange();
  run_reference();
  check_.keep_reference();
  base::log_debug("a second set of inputs is held");
  return inputs_from_files();
}

void InputSets::exchange() {
  if (!has_two_) return;
  for (driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.other.first) {
      if (argument.argument.kind == kernel_templates::ArgumentKind::kIn) {
        helpers_.exchange(argument.buffer.data(), argument.other.first.get(), argument.bytes());
      } else {
        std::swap(argument.initial_contents, argument.other.first);
      }
      std::swap(argument.checksum, argument.other.checksum);
      arguments_.note_new_input(argument);
    }
    if (argument.is_output()) std::swap(argument.reference, argument.other.reference);
  }
  const std::uint64_t seed = arguments_.seed();
  arguments_.set_seed(std::exchange(other_seed_, seed));
}

bool InputSets::holds(std::uint64_t seed) const {
  return has_current(seed) || (has_two_ && other_seed_ == seed);
}

void InputSets::renew(std::uint64_t seed, const RunReference& run_reference) {
  arguments_.set_seed(seed);
  for (std::size_t i = 0; i < arguments_.all().size(); ++i) {
    driver::DeviceArgument& argument = arguments_.all()[i];
    if (!varies(argument)) continue;
    arguments_.refill(i);
    check_.record_checksum(argument);
  }
  run_reference();
  check_.keep_reference();
}

}  // namespace warptune::profiling::verification
