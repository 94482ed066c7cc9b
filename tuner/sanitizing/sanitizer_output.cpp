// Each line of compute-sanitizer begins with a prefix. The first line of a report has the message, and the
// lines that belong to it are indented. A place is `FUNCTION+0xOFFSET in FILE:LINE`; the part from `in` on is
// missing for code without line numbers. It may be in the first line, too.
#include "tuner/sanitizing/sanitizer_output.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace warptune::tuner::sanitizing {

namespace {

constexpr std::string_view kPrefix = "=========";
constexpr std::string_view kFrame = "Device Frame:";
constexpr std::size_t kIndentation = 4;

// A message about memory that the host copies; it has the address.
constexpr std::string_view kHostAccess = "Host API ";

// The tool has not watched everything if a line contains one of these.
constexpr std::array<std::string_view, 3> kDoubts{"Internal Sanitizer", "Results might be incorrect",
                                                  "were skipped"};

// The beginnings of messages that are about a kernel, also if they name no place.
constexpr std::array<std::string_view, 9> kKernelFaults{
    "Barrier ",   "Deadlock ",     kHostAccess, "Invalid ",      "Malloc/Free error",
    "Potential ", "Race reported", "Syncwarp ", "Uninitialized "};

bool begins_with_any(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view one) { return text.starts_with(one); });
}

// Text in which each hexadecimal number is only `0x`.
std::string without_addresses(std::string_view text) {
  constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_address = text.substr(at).starts_with("0x");
    result += is_address ? "0x" : text.substr(at, 1);
    at = is_address ? std::min(text.find_first_not_of(kHexadecimal, at + 2), text.size()) : at + 1;
  }
  return result;
}

// What reports have in common that are shown as one.
std::string common_text(const SanitizerFinding& finding) {
  std::string text =
      finding.message.starts_with(kHostAccess) ? without_addresses(finding.message) : finding.message;
  if (!finding.places.empty()) return text;
  for (const std::string& detail : finding.details) {
    if (!detail.starts_with("by thread") && !detail.starts_with("Address")) text += "\n" + detail;
  }
  return text;
}

// A line that names a place: what is before and after it.
struct PlacedLine {
  std::string before;
  SanitizerPlace place;
  std::string after;
};

// Reads ` in FILE:LINE` at the beginning of `text`, and returns what follows.
std::string_view read_source_line(std::string_view text, profiling::SourceLine& line) {
  constexpr std::string_view kIn = " in ";
  if (!text.starts_with(kIn)) return text;
  std::string_view rest = text.substr(kIn.size());
  for (std::size_t colon = rest.rfind(':'); colon != std::string_view::npos && colon > 0;
       colon = rest.rfind(':', colon - 1)) {
    const std::string_view digits = rest.substr(colon + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc()) continue;
    line = {std::string(rest.substr(0, colon)), number};
    return digits.substr(static_cast<std::size_t>(end - digits.data()));
  }
  return text;
}

std::optional<PlacedLine> placed_line(std::string_view line) {
  constexpr std::string_view kAt = "at ";
  constexpr std::string_view kOffset = "+0x";
  constexpr std::string_view kOtherOffset = ":0x";  // As long as `kOffset`.
  constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";
  std::size_t offset = line.find(kOffset);
  if (offset == std::string_view::npos) offset = line.find(kOtherOffset);
  if (offset == std::string_view::npos) return std::nullopt;
  const std::string_view head = line.substr(0, offset);
  PlacedLine result;
  std::size_t begin = 0;
  if (head.starts_with(kFrame)) {
    begin = kFrame.size();
    result.before = "called from";
  } else {
    const std::size_t at = head.rfind(" at ");
    if (at == std::string_view::npos && !head.starts_with(kAt)) return std::nullopt;
    begin = at == std::string_view::npos ? kAt.size() : at + 1 + kAt.size();
    result.before = base::trim(head.substr(0, begin - kAt.size()));
  }
  result.place.function = base::trim(head.substr(begin));
  const std::size_t end = line.find_first_not_of(kHexadecimal, offset + kOffset.size());
  if (end != std::string_view::npos)
    result.after = base::trim(read_source_line(line.substr(end), result.place.line));
  return result;
}

class OutputReader {
 public:
  void add(std::string_view line) {
    for (const std::string_view doubt : kDoubts) {
      if (!output_.doubt.empty() || line.find(doubt) == std::string_view::npos) continue;
      output_.doubt = base::trim(line.substr(std::min(line.find_first_not_of("= "), line.size())));
    }
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos) return;
    if (!line.substr(start).starts_with(kPrefix)) {
      close();
      output_.messages.emplace_back(line);
      return;
    }
    line.remove_prefix(start + kPrefix.size());
    const std::string_view content = base::trim(line);
    if (content.empty()) return close();
    if (line.find_first_not_of(' ') >= kIndentation && open_) return add_to_open(content);
    close();
    begin(content);
  }

  SanitizerOutput take() {
    close();
    return std::move(output_);
  }

 private:
  void begin(std::string_view content) {
    if (content == "COMPUTE-SANITIZER") return;
    if (read_summary(content)) return;
    open_.emplace();
    whole_ = content;
    for (const std::string_view word : {"Error: ", "ERROR: ", "Warning: ", "WARNING: "}) {
      if (!content.starts_with(word)) continue;
      open_->is_error = base::lower_case(std::string(word)) == "error: ";
      content.remove_prefix(word.size());
    }
    const std::optional<PlacedLine> placed = placed_line(content);
    open_->message = placed ? placed->before : content;
    if (!placed) return;
    constexpr std::string_view kBetween = "between ";  // "Race reported between Write access at ..."
    const std::size_t between = placed->before.find(kBetween);
    add_place(*placed,
              between == std::string::npos ? "at" : placed->before.substr(between + kBetween.size()));
  }

  void add_to_open(std::string_view content) {
    if (content.starts_with("Saved host backtrace") || content.starts_with("Host Frame")) return;
    const std::optional<PlacedLine> placed = placed_line(content);
    constexpr std::string_view kAnd = "and ";  // "and Read access at ... [4 hazards]"
    if (!placed) {
      open_->details.emplace_back(content);
    } else if (placed->before.starts_with(kAnd)) {
      open_->message += " " + placed->before;
      add_place(*placed, placed->before.substr(kAnd.size()));
    } else {
      add_place(*placed, placed->before.empty() ? "at" : placed->before);
    }
  }

  void add_place(const PlacedLine& placed, std::string role) {
    open_->places.push_back(placed.place);
    open_->places.back().role = std::move(role);
    if (!placed.after.empty()) open_->details.push_back(placed.after);
  }

  // "ERROR SUMMARY: 2 errors", "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)".
  bool read_summary(std::string_view content) {
    constexpr std::string_view kSummary = " SUMMARY: ";
    const bool is_race = content.starts_with("RACECHECK");
    const std::size_t at = content.find(kSummary);
    if (at == std::string_view::npos || (!is_race && !content.starts_with("ERROR"))) return false;
    std::string_view numbers = content.substr(at + kSummary.size());
    if (is_race && numbers.find('(') != std::string_view::npos) numbers.remove_prefix(numbers.find('(') + 1);
    std::uint64_t errors = 0;
    const auto [end, error] = std::from_chars(numbers.data(), numbers.data() + numbers.size(), errors);
    if (error != std::errc()) return false;
    numbers.remove_prefix(static_cast<std::size_t>(end - numbers.data()));
    const std::string_view unit = numbers.substr(0, is_race ? numbers.find(',') : numbers.size());
    if (unit != " error" && unit != " errors") return false;  // "ERROR SUMMARY: 75 errors were not printed."
    output_.summary_errors = errors;
    return true;
  }

  void close() {
    if (!open_) return;
    SanitizerFinding finding = std::move(*open_);
    open_.reset();
    if (finding.places.empty() && !begins_with_any(finding.message, kKernelFaults)) {
      output_.messages.push_back(whole_);
      for (std::string& detail : finding.details) output_.messages.push_back(std::move(detail));
      return;
    }
    for (SanitizerFinding& known : output_.findings) {
      if (known.places != finding.places || common_text(known) != common_text(finding)) continue;
      ++known.count;
      return;
    }
    output_.findings.push_back(std::move(finding));
  }

  SanitizerOutput output_;
  std::optional<SanitizerFinding> open_;
  std::string whole_;  // The first line of the open report.
};

}  // namespace

std::string_view to_string(SanitizerTool tool) {
  switch (tool) {
    case SanitizerTool::kMemcheck:
      return "memcheck";
    case SanitizerTool::kInitcheck:
      return "initcheck";
    case SanitizerTool::kSynccheck:
      return "synccheck";
    case SanitizerTool::kRacecheck:
      return "racecheck";
  }
  return "";
}

SanitizerOutput read_sanitizer_output(std::string_view text) {
  OutputReader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.add(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.take();
}

}  // namespace warptune::tuner::sanitizing
