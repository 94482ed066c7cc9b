// Checks what a launch wrote. The comparisons run on the device. The host reads an element only if it is
// wrong.
//
// Before the launch, outputs and scratch are poisoned: outputs are filled with a value that no kernel writes
// by chance, and scratch with a random one. So the check fails if the kernel does not write an output, or if
// it needs what an earlier launch left in scratch. After the launch three things are compared: the guards
// around all buffers, the checksums of the inputs, and the outputs with the reference.
//
// A function of a program may decide what is right (`Judge`). It is asked about the first outputs, and about
// outputs that differ by more than the tolerance from those that it accepted last.
//
// The kernel could read all memory of the context. Therefore references are masked with a secret key, and the
// poison of scratch is random. The kernel could also overwrite all memory. Therefore the references and the
// copies of the initial contents (`initial_contents`, `other.first`) have checksums. After a failed check,
// guards and inputs are repaired. If a reference or such a copy has changed, no later verdict can be trusted,
// and the process must end.
#include "profiling/verification/output_check.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/text.h"
#include "kernel_templates/argument_data.h"

namespace warptune::profiling::verification {

using kernel_templates::ArgumentKind;
using kernel_templates::DataType;

namespace {

std::string element_text(DataType type, const std::array<std::byte, 8>& element) {
  if (type == DataType::kI64) {
    std::int64_t value = 0;
    std::memcpy(&value, element.data(), sizeof value);
    return fmt::format("{}", value);
  }
  if (type == DataType::kU64) {
    std::uint64_t value = 0;
    std::memcpy(&value, element.data(), sizeof value);
    return fmt::format("{}", value);
  }
  return fmt::format("{:.9g}", kernel_templates::element_as_double(type, element.data()));
}

std::string found_text(DataType type, CUdeviceptr buffer, std::uint64_t index) {
  const std::size_t size = kernel_templates::info(type).size_bytes;
  std::array<std::byte, 8> element{};
  WARPTUNE_CUDA(cuMemcpyDtoH(element.data(), buffer + index * size, size));
  return element_text(type, element);
}

std::string reference_text(DataType type, const driver::Reference& reference, std::uint64_t index) {
  const std::size_t byte = index * kernel_templates::info(type).size_bytes;
  std::uint64_t word = 0;
  WARPTUNE_CUDA(cuMemcpyDtoH(&word, reference.memory.get() + byte / 8 * 8, sizeof word));
  word ^= base::split_mix64(reference.key + byte / 8);
  word >>= byte % 8 * 8;
  std::array<std::byte, 8> element{};
  std::memcpy(element.data(), &word, sizeof word);
  return element_text(type, element);
}

std::string describe_guard(const std::string& name, const driver::CheckResult& finding) {
  // The index counts the guard bytes before the buffer, then those after it.
  const std::uint64_t at = finding.first();
  if (at < driver::kGuardBytes) {
    return fmt::format(
        "wrote before the start of argument \"{}\" ({} guard bytes changed, the first of them {} bytes "
        "before it)",
        name, finding.count, driver::kGuardBytes - at);
  }
  return fmt::format(
      "wrote past the end of argument \"{}\" ({} guard bytes changed, the first of them {} bytes past it)",
      name, finding.count, at - driver::kGuardBytes);
}

std::string describe_padding(const driver::DeviceArgument& argument, const driver::CheckResult& finding) {
  const driver::RowLayout& layout = argument.padded.layout();
  return fmt::format(
      "wrote between the rows of argument \"{}\" ({} of padding changed, the first of them after row {})",
      argument.argument.name, base::counted(finding.count, "byte"), finding.first() / layout.padding_bytes());
}

}  // namespace

OutputCheck::OutputCheck(const kernel_templates::KernelInstance& instance, driver::DeviceArguments& arguments,
                         driver::DeviceHelpers& helpers)
    : instance_(instance), arguments_(arguments), helpers_(helpers), random_(base::unforeseen_seed()) {
  for (driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.is_input()) record_checksum(argument);
  }
}

void OutputCheck::record_checksum(driver::DeviceArgument& argument) {
  const bool in_place = argument.argument.kind == ArgumentKind::kIn;
  argument.checksum =
      checksum_of(in_place ? argument.buffer.data() : argument.initial_contents.get(), argument.bytes());
}

std::uint64_t OutputCheck::checksum_of(CUdeviceptr data, std::size_t bytes) {
  helpers_.checksum(data, bytes);
  return helpers_.collect().front().count;
}

std::uint64_t OutputCheck::checksum_of_outputs() {
  std::size_t outputs = 0;
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    helpers_.checksum(argument.buffer.data(), argument.bytes());
    ++outputs;
  }
  std::uint64_t sum = outputs;
  for (const driver::CheckResult& result : helpers_.collect()) sum = base::split_mix64(sum ^ result.count);
  return sum;
}

std::uint64_t OutputCheck::checksum_of_inputs() const {
  std::uint64_t sum = arguments_.all().size();
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.is_input()) sum = base::split_mix64(sum ^ argument.checksum);
    for (const std::byte byte : argument.scalar)
      sum = base::split_mix64(sum ^ std::to_integer<std::uint64_t>(byte));
  }
  return sum;
}

std::uint64_t OutputCheck::wrong_bytes() {
  if (!has_reference_) return 0;
  arguments_.fetch_separate();
  std::vector<std::size_t> element_bytes;
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    compare(argument);
    element_bytes.push_back(kernel_templates::info(argument.argument.type).size_bytes);
  }
  const std::vector<driver::CheckResult> findings = helpers_.collect();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < element_bytes.size(); ++i) bytes += findings.at(i).count * element_bytes[i];
  return bytes;
}

void OutputCheck::compare(const driver::DeviceArgument& argument) {
  helpers_.compare(argument.argument.type, argument.buffer.data(), argument.reference.masked(),
                   static_cast<std::uint64_t>(argument.argument.count),
                   instance_.tolerance(argument.argument.type));
}

void OutputCheck::prepare(bool poison_outputs) {
  if (poison_outputs) arguments_.poison_outputs();
  arguments_.poison_scratch(static_cast<std::uint32_t>(random_.next()));
  arguments_.restore();
}

std::optional<std::string> OutputCheck::verify() {
  std::optional<std::string> fault = find_fault();
  if (fault) repair();
  return fault;
}

std::optional<std::string> OutputCheck::find_fault() {
  // Buffers in separate memory are checked by copies of them on the device. So the host reads no element,
  // which would be slow in write-combined memory.
  arguments_.fetch_separate();
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_buffer()) continue;
    // Packed rows, too, where launches have padded ones: the next configuration may use them.
    helpers_.check_guards(argument.buffer.guard_before(), argument.buffer.guard_after());
    if (!argument.is_padded()) continue;
    const driver::GuardedBuffer& rows = argument.padded.guarded();
    helpers_.check_guards(rows.guard_before(), rows.guard_after());
  }
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.is_padded()) helpers_.check_padding(argument.padded);
  }
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.argument.kind == ArgumentKind::kIn)
      helpers_.checksum(argument.buffer.data(), argument.bytes());
  }
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (has_reference_ && argument.is_output()) compare(argument);
  }
  const std::vector<driver::CheckResult> findings = helpers_.collect();

  // The findings have the order in which the checks were enqueued above.
  auto finding = findings.begin();
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_buffer()) continue;
    for (const auto last = finding + (argument.is_padded() ? 2 : 1); finding != last; ++finding) {
      if (finding->count != 0) return describe_guard(argument.argument.name, *finding);
    }
  }
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_padded()) continue;
    if (finding->count != 0) return describe_padding(argument, *finding);
    ++finding;
  }
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (argument.argument.kind != ArgumentKind::kIn) continue;
    if (finding->count != argument.checksum)
      return fmt::format("changed its input \"{}\"", argument.argument.name);
    ++finding;
  }
  return find_wrong_output(has_reference_ ? findings.data() + (finding - findings.begin()) : nullptr);
}

// `findings` are the results of the comparisons with the reference, one for each output. Null if there is no
// reference.
std::optional<std::string> OutputCheck::find_wrong_output(const driver::CheckResult* findings) {
  if (findings == nullptr && !judge_) return std::nullopt;
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    if (findings != nullptr && findings->count == 0) {
      ++findings;
      continue;
    }
    if (!judge_) return describe_mismatch(argument, *findings);
    write_results();
    if (std::optional<std::string> fault = judge_()) return fault;
    keep_reference();
    return std::nullopt;
  }
  return std::nullopt;
}

void OutputCheck::write_results() const {
  for (const kernel_templates::GivenContents& one : instance_.definition().given) {
    if (one.role != kernel_templates::ContentsRole::kResult) continue;
    for (const driver::DeviceArgument& argument : arguments_.all()) {
      if (argument.argument.name != one.argument) continue;
      std::vector<char> bytes(argument.bytes());
      WARPTUNE_CUDA(cuMemcpyDtoH(bytes.data(), argument.buffer.data(), bytes.size()));
      kernel_templates::write_result(one.file, bytes);
    }
  }
}

std::string OutputCheck::describe_mismatch(const driver::DeviceArgument& argument,
                                           const driver::CheckResult& finding) const {
  const DataType type = argument.argument.type;
  return fmt::format(
      "argument \"{}\", element {}: found {}, expected {}; {} of {} elements differ, the largest error is "
      "{:.3g}",
      argument.argument.name, finding.first(), found_text(type, argument.buffer.data(), finding.first()),
      reference_text(type, argument.reference, finding.first()), finding.count, argument.argument.count,
      finding.largest_error);
}

void OutputCheck::repair() {
  for (std::size_t i = 0; i < arguments_.all().size(); ++i) {
    driver::DeviceArgument& argument = arguments_.all()[i];
    if (!argument.is_buffer()) continue;
    arguments_.write_guards(argument);
    if (argument.argument.kind == ArgumentKind::kIn &&
        checksum_of(argument.buffer.data(), argument.bytes()) != argument.checksum) {
      arguments_.refill(i);
    }
    // No kernel gets the addresses of these copies. If one has changed, nothing can restore it.
    const auto is_damaged = [&](const driver::DeviceMemory& memory, std::size_t bytes,
                                std::uint64_t checksum) {
      return memory && checksum_of(memory.get(), bytes) != checksum;
    };
    damaged_ = damaged_ || is_damaged(argument.initial_contents, argument.bytes(), argument.checksum) ||
               is_damaged(argument.other.first, argument.bytes(), argument.other.checksum);
    for (const driver::Reference* reference : {&argument.reference, &argument.other.reference}) {
      damaged_ = damaged_ || (has_reference_ &&
                              is_damaged(reference->memory, driver::Reference::bytes_for(argument.bytes()),
                                         reference->checksum));
    }
  }
}

std::optional<ErrorSums> OutputCheck::errors(ErrorMeter& meter) const {
  bool any = false;
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!has_reference_ || !argument.is_output() || !kernel_templates::info(argument.argument.type).floating)
      continue;
    meter.add(argument.argument.type, argument.buffer.data(), argument.reference.masked(),
              static_cast<std::uint64_t>(argument.argument.count));
    any = true;
  }
  return any ? std::optional(meter.collect()) : std::nullopt;
}

void OutputCheck::keep_reference() {
  for (driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    argument.reference.key = random_.next();
    helpers_.mask(argument.buffer.data(), argument.reference.masked(), argument.bytes());
    argument.reference.checksum =
        checksum_of(argument.reference.memory.get(), driver::Reference::bytes_for(argument.bytes()));
  }
  has_reference_ = true;
}

}  // namespace warptune::profiling::verification
