// Reads ranges and files of sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "model/size_text.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;
constexpr double kMaxWeight = 1e9;
constexpr std::size_t kMaxListed = 10000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '+';
}

// Reads tokens of one line, and knows the position of each for messages.
class LineReader {
 public:
  LineReader(std::string_view line, std::string origin, int number)
      : line_(line), origin_(std::move(origin)), number_(number) {}

  bool at_end() {
    skip_blanks();
    return at_ == line_.size();
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (line_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void require(std::string_view token, std::string_view where) {
    if (!take(token)) fail(fmt::format("expected '{}' {}", token, where));
  }
  std::string name() {
    std::string found = word();
    if (found.empty() || std::isdigit(static_cast<unsigned char>(found[0])) != 0) {
      at_ -= found.size();
      fail("expected the name of a size, for example M=64..8192");
    }
    return found;
  }
  std::int64_t size() {
    std::string text = word();
    const std::size_t dots = text.find("..");  // A dot may belong to `1.5k`.
    if (dots != std::string::npos) {
      at_ -= text.size() - dots;
      text.resize(dots);
    }
    const std::optional<model::Value> value = model::size_like(model::parse_value(text), std::int64_t{1});
    const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (number == nullptr || *number < 1 || *number > kMaxSize) {
      at_ -= text.size();
      fail(fmt::format("expected an integer from 1 to {}{}", kMaxSize,
                       text.empty() ? std::string() : ", found " + text));
    }
    return *number;
  }
  double weight() {
    const std::string text = word();
    const std::optional<model::Value> value = model::parse_value(text, model::ValueType::kReal);
    const double weight = value ? std::get<double>(*value) : 0.0;
    if (!(weight > 0.0 && weight <= kMaxWeight)) {
      at_ -= text.size();
      fail(fmt::format("expected a weight above 0, at most {}", kMaxWeight));
    }
    return weight;
  }
  [[noreturn]] void fail(const std::string& message) {
    skip_blanks();
    throw base::InputError(message, {origin_, number_, static_cast<int>(at_) + 1});
  }
  [[noreturn]] void fail_at(std::size_t column, const std::string& message) {
    at_ = column;
    fail(message);
  }
  std::size_t column() {
    skip_blanks();
    return at_;
  }

 private:
  void skip_blanks() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
  }
  std::string word() {
    skip_blanks();
    const std::size_t first = at_;
    while (at_ < line_.size() && is_word(line_[at_])) ++at_;
    return std::string(line_.substr(first, at_ - first));
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string origin_;
  int number_;
};

void read_list(LineReader& reader, SizeEntry& entry) {
  entry.spread = Spread::kListed;
  do {
    const std::size_t column = reader.column();
    entry.values.push_back(reader.size());
    if (std::count(entry.values.begin(), entry.values.end(), entry.values.back()) > 1)
      reader.fail_at(column, fmt::format("{} is listed twice", entry.values.back()));
  } while (reader.take(","));
  reader.require("}", "at the end of the list");
  std::sort(entry.values.begin(), entry.values.end());
}

SizeEntry read_entry(LineReader& reader) {
  SizeEntry entry;
  entry.name = reader.name();
  reader.require("=", "after the name of a size");
  if (reader.take("{")) {
    read_list(reader, entry);
  } else {
    entry.low = reader.size();
    if (!reader.take("..")) {
      entry.spread = Spread::kListed;
      entry.values = {entry.low};
    } else {
      const std::size_t column = reader.column();
      entry.high = reader.size();
      if (entry.high <= entry.low) reader.fail_at(column, fmt::format("expected a size above {}", entry.low));
      if (reader.take("log2")) entry.spread = Spread::kLogarithmic;
      if (reader.take("step")) {
        entry.spread = Spread::kStep;
        entry.step = reader.size();
      }
    }
  }
  if (entry.spread == Spread::kListed) {
    entry.low = entry.values.front();
    entry.high = entry.values.back();
  }
  return entry;
}

struct ReadLine {
  model::NamedValues sizes;
  double weight = 1.0;
};

ReadLine read_line(LineReader& reader) {
  ReadLine read;
  while (!reader.at_end()) {
    const std::size_t column = reader.column();
    const std::string name = reader.name();
    if (name == "weight") {
      read.weight = reader.weight();
      if (!reader.at_end()) reader.fail("expected the end of the line after the weight");
      break;
    }
    if (model::find(read.sizes, name) != nullptr)
      reader.fail_at(column, fmt::format("{} is given twice", name));
    reader.require("=", "after the name of a size");
    read.sizes.emplace_back(name, reader.size());
    reader.take(",");
  }
  if (read.sizes.empty()) reader.fail("expected sizes, for example M=64 N=128");
  return read;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The entries of a file: each from its smallest to its largest value.
std::vector<SizeEntry> entries_around(const std::vector<ListedSize>& listed,
                                      const model::NamedValues& names) {
  std::vector<SizeEntry> entries;
  for (std::size_t e = 0; e < names.size(); ++e) {
    std::set<std::int64_t> values;
    for (const ListedSize& one : listed) values.insert(one.size[e]);
    SizeEntry entry{names[e].first, Spread::kAny, *values.begin(), *values.rbegin()};
    if (entry.low == entry.high) {
      entry.spread = Spread::kListed;
      entry.values = {entry.low};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

SizeRange parse_range(std::string_view text, const std::string& origin) {
  LineReader reader(text, origin, 1);
  SizeRange range;
  do {
    const std::size_t column = reader.column();
    SizeEntry entry = read_entry(reader);
    for (const SizeEntry& before : range.entries) {
      if (before.name == entry.name) reader.fail_at(column, fmt::format("{} is given twice", entry.name));
    }
    range.entries.push_back(std::move(entry));
  } while (reader.take(","));
  if (!reader.at_end()) reader.fail("expected 'log2', 'step N', a comma or the end");
  return range;
}

SizeRange parse_size_list(std::string_view text, const std::string& origin) {
  SizeRange range;
  model::NamedValues names;
  std::set<Size> known;
  int number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    line = line.substr(0, line.find('#'));
    LineReader reader(line, origin, number);
    if (reader.at_end()) continue;
    const ReadLine read = read_line(reader);
    if (names.empty()) names = read.sizes;
    ListedSize listed{{}, read.weight};
    for (const auto& [name, unused] : names) {
      const model::Value* value = model::find(read.sizes, name);
      if (value == nullptr)
        reader.fail_at(0, fmt::format("{} is missing; every line has the same names", name));
      listed.size.push_back(std::get<std::int64_t>(*value));
    }
    if (read.sizes.size() != names.size())
      reader.fail_at(0, "expected the same names as in the lines before");
    if (!known.insert(listed.size).second) reader.fail_at(0, "this size is listed twice; give it a weight");
    if (known.size() > kMaxListed) reader.fail_at(0, fmt::format("expected at most {} sizes", kMaxListed));
    range.listed.push_back(std::move(listed));
  }
  if (range.listed.empty())
    throw base::InputError("expected a line for each size, found none", {origin, 0, 0});
  range.entries = entries_around(range.listed, names);
  return range;
}

SizeRange read_sizes(const std::string& given) {
  if (given.empty()) throw base::InputError("--sizes: expected a file or a range, found an empty text");
  if (given.find('=') != std::string::npos) return parse_range(given, "--sizes");
  return parse_size_list(base::read_file(given), given);
}

}  // namespace warptune::tuner::covers
