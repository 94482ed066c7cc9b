#include "tuner/drafting/captured_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace warptune::tuner::drafting {

using kernel_templates::DataType;
using profiling::captures::CapturedBuffer;
using profiling::captures::CapturedLaunch;

namespace {

// What the pointers into one allocation have in common.
struct Common {
  const MatchedParameter* typed = nullptr;    // The first whose type is known.
  const MatchedParameter* untyped = nullptr;  // The first whose type is not known.
  bool differs = false;                       // Two types are known.
  std::uint64_t offsets = 0;                  // A sum of bits: zero where all offsets have a zero.
};

void add_pointer(const MatchedParameter& pointer, DraftedBuffer& drafted, Common& common) {
  drafted.pointers.push_back(pointer.name);
  drafted.is_constant = drafted.is_constant && pointer.is_constant;
  common.offsets |= pointer.place->within;
  if (!pointer.unknown_type.empty()) {
    if (common.untyped == nullptr) common.untyped = &pointer;
  } else if (common.typed == nullptr) {
    common.typed = &pointer;
  } else {
    common.differs |= common.typed->type != pointer.type;
  }
}

void set_type(const Common& common, std::uint64_t bytes, DraftedBuffer& drafted) {
  if (common.typed != nullptr && !common.differs) {
    const std::uint64_t element = info(common.typed->type).size_bytes;
    if (common.offsets % element == 0 && bytes >= element) {
      drafted.type = common.typed->type;
      drafted.template_type = common.typed->template_type;
    } else {
      drafted.bytes_of = fmt::format("elements of {} at odd places", info(common.typed->type).name);
    }
  } else if (common.differs) {
    drafted.bytes_of = "elements of several types";
  } else if (common.untyped->unknown_type == kUnknownElements) {
    drafted.bytes_of = kUnknownElements;
  } else {
    drafted.bytes_of = fmt::format("'{}'", base::printable_line(common.untyped->unknown_type));
  }
  drafted.elements = static_cast<std::int64_t>(bytes / info(drafted.type).size_bytes);
}

}  // namespace

std::vector<DraftedBuffer> drafted_buffers(const std::vector<MatchedParameter>& parameters,
                                           const CapturedLaunch& launch) {
  std::vector<DraftedBuffer> buffers;
  std::vector<Common> common;
  visit_values(parameters, [&](const MatchedParameter& pointer) {
    if (!pointer.place) return;
    auto found = std::find_if(buffers.begin(), buffers.end(),
                              [&](const DraftedBuffer& one) { return one.buffer == pointer.place->buffer; });
    if (found == buffers.end()) {
      found = buffers.insert(buffers.end(), DraftedBuffer{});
      found->buffer = pointer.place->buffer;
      found->name = pointer.name;
      common.emplace_back();
    }
    add_pointer(pointer, *found, common[static_cast<std::size_t>(found - buffers.begin())]);
  });
  for (std::size_t i = 0; i < buffers.size(); ++i)
    set_type(common[i], launch.buffers[buffers[i].buffer].before.size(), buffers[i]);
  return buffers;
}

const DraftedBuffer& drafted_buffer(const std::vector<DraftedBuffer>& buffers, std::size_t buffer) {
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const DraftedBuffer& one) { return one.buffer == buffer; });
  if (found == buffers.end()) throw base::InternalError("no pointer has the buffer");
  return *found;
}

std::size_t first_address_in(const CapturedLaunch& launch, std::size_t buffer) {
  const std::string& bytes = launch.buffers[buffer].before;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = 0;
  for (const CapturedBuffer& one : launch.buffers) {
    if (!one.variable.empty()) continue;
    first = std::min(first, one.address);
    last = std::max(last, one.address + one.before.size());
  }
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    if (word < first || word >= last) continue;
    const bool is_address =
        std::any_of(launch.buffers.begin(), launch.buffers.end(), [&](const CapturedBuffer& one) {
          return one.variable.empty() && word >= one.address && word - one.address < one.before.size();
        });
    if (is_address) return at;
  }
  return bytes.size();
}

}  // namespace warptune::tuner::drafting
