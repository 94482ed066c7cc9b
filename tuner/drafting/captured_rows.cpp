#include "tuner/drafting/captured_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace warptune::tuner::drafting {

using profiling::captures::CapturedBuffer;
using profiling::captures::CapturedLaunch;

namespace {

// cudaMallocPitch pads rows to a multiple of 512 bytes, or of less. Programs pad them by a few elements.
constexpr std::int64_t kMaxPaddingBytes = 512;

bool names_a_pitch(const std::string& name) {
  const std::string lower = base::lower_case(name);
  const bool is_leading_dimension = lower.starts_with("ld") && lower.size() <= 4;
  return is_leading_dimension || lower.find("pitch") != std::string::npos ||
         lower.find("stride") != std::string::npos || lower.find("leading") != std::string::npos;
}

// What the launch did to the padding, if the rows are these.
struct RowChanges {
  bool padding = false;      // An element of the padding was changed.
  bool last_column = false;  // The last element of a row was changed.
};

RowChanges row_changes(const DraftedRows& rows, const CapturedBuffer& buffer, std::size_t element) {
  RowChanges changes;
  if (!buffer.after) return changes;
  const auto width = static_cast<std::size_t>(rows.width) * element;
  const auto pitch = static_cast<std::size_t>(rows.pitch) * element;
  const std::string_view before = buffer.before;
  const std::string_view after = *buffer.after;
  for (std::size_t row = 0; row + pitch <= before.size(); row += pitch) {
    const auto differs = [&](std::size_t from, std::size_t to) {
      return before.substr(row + from, to - from) != after.substr(row + from, to - from);
    };
    changes.padding |= differs(width, pitch);
    changes.last_column |= differs(width - element, width);
  }
  return changes;
}

class RowFinder {
 public:
  RowFinder(const std::vector<MatchedParameter>& parameters, const CapturedLaunch& launch) : launch_(launch) {
    visit_values(parameters, [&](const MatchedParameter& one) {
      if (!one.size.empty() && one.value && *one.value > 1) integers_.push_back(&one);
      if (one.place && one.place->within != 0) into_the_middle_.push_back(one.place->buffer);
    });
  }

  void set_rows(DraftedBuffer& buffer) const {
    if (!buffer.bytes_of.empty() || points_into_the_middle(buffer)) return;
    std::optional<DraftedRows> unnamed;
    for (const MatchedParameter* pitch : integers_) {
      const std::optional<DraftedRows> rows = rows_with(*pitch, buffer);
      if (!rows) continue;
      const RowChanges changes = changes_of(*rows, buffer);
      if (changes.padding) continue;
      if (names_a_pitch(pitch->name)) {
        buffer.elements = buffer.elements / rows->pitch * rows->width;
        buffer.rows = rows;
        return;
      }
      if (changes.last_column && is_integer(buffer.elements / rows->pitch)) unnamed = rows;
    }
    if (unnamed)
      buffer.asks_for_rows = fmt::format("{} elements, {} from row to row", unnamed->width, unnamed->pitch);
  }

 private:
  bool points_into_the_middle(const DraftedBuffer& buffer) const {
    return std::find(into_the_middle_.begin(), into_the_middle_.end(), buffer.buffer) !=
           into_the_middle_.end();
  }
  std::size_t element_of(const DraftedBuffer& buffer) const { return info(buffer.type).size_bytes; }
  RowChanges changes_of(const DraftedRows& rows, const DraftedBuffer& buffer) const {
    return row_changes(rows, launch_.buffers[buffer.buffer], element_of(buffer));
  }
  bool is_integer(std::int64_t value) const {
    return std::any_of(integers_.begin(), integers_.end(),
                       [&](const MatchedParameter* one) { return *one->value == value; });
  }

  // In elements or bytes. Where both are possible, the number of rows is an integer of the launch.
  std::optional<DraftedRows> rows_with(const MatchedParameter& pitch, const DraftedBuffer& buffer) const {
    const auto element = static_cast<std::int64_t>(element_of(buffer));
    std::optional<DraftedRows> found;
    for (const std::int64_t unit : {std::int64_t{1}, element}) {
      if (*pitch.value % unit != 0 || (unit != 1 && !names_a_pitch(pitch.name))) continue;
      DraftedRows rows{0, *pitch.value / unit, *pitch.value};
      if (buffer.elements % rows.pitch != 0 || buffer.elements / rows.pitch < 2) continue;
      rows.width = width_for(rows.pitch, pitch, buffer);
      if (rows.width == 0) continue;
      if (!found || is_integer(buffer.elements / rows.pitch)) found = rows;
    }
    return found;
  }

  // The largest integer below the pitch. The number of rows is one only if there is no other.
  std::int64_t width_for(std::int64_t pitch, const MatchedParameter& own, const DraftedBuffer& buffer) const {
    const std::int64_t rows = buffer.elements / pitch;
    std::int64_t width = 0;
    bool is_rows = true;
    for (const MatchedParameter* one : integers_) {
      const std::int64_t value = *one->value;
      const bool fits =
          value < pitch && (pitch - value) * static_cast<std::int64_t>(element_of(buffer)) < kMaxPaddingBytes;
      if (one == &own || !fits || names_a_pitch(one->name)) continue;
      const bool is_better = is_rows == (value == rows) ? value > width : is_rows;
      if (is_better) {
        width = value;
        is_rows = value == rows;
      }
    }
    return width;
  }

  const CapturedLaunch& launch_;
  std::vector<const MatchedParameter*> integers_;
  std::vector<std::size_t> into_the_middle_;
};

// A text as a part of a product.
std::string factor(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string size_text(std::int64_t value, ProblemSizes& sizes) {
  const std::optional<std::string> text = sizes.offset(value);
  return text ? *text : std::to_string(value);
}

}  // namespace

void find_padded_rows(const std::vector<MatchedParameter>& parameters, const CapturedLaunch& launch,
                      std::vector<DraftedBuffer>& buffers) {
  const RowFinder finder(parameters, launch);
  for (DraftedBuffer& buffer : buffers) finder.set_rows(buffer);
}

std::string without_padding(const DraftedBuffer& buffer, std::string_view contents) {
  const std::size_t element = info(buffer.type).size_bytes;
  const auto width = static_cast<std::size_t>(buffer.rows->width) * element;
  const auto pitch = static_cast<std::size_t>(buffer.rows->pitch) * element;
  std::string packed;
  for (std::size_t row = 0; row < contents.size(); row += pitch) packed += contents.substr(row, width);
  return packed;
}

std::string rows_text(const DraftedBuffer& buffer, ProblemSizes& sizes) {
  const DraftedRows& rows = *buffer.rows;
  const std::string width = size_text(rows.width, sizes);
  std::string pitch = size_text(rows.passed_pitch, sizes);
  if (rows.passed_pitch != rows.pitch)
    pitch = fmt::format("{} / {}", factor(pitch), rows.passed_pitch / rows.pitch);
  return fmt::format(
      "count = \"{} * {}\"  # {} in the capture, without padding\nwidth = \"{}\"\n"
      "pitch = \"{}\"  # guessed from the launch. The padding does not keep its captured contents\n",
      factor(size_text(buffer.elements / rows.width, sizes)), factor(width), buffer.elements, width, pitch);
}

}  // namespace warptune::tuner::drafting
