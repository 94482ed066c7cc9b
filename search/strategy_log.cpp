// Saves a strategy as the list of its calls and restores it by repeating them.
//
// The state of a strategy may be large (a Gaussian process, a population, random numbers), and each strategy
// has a different one. The calls determine that state, because a strategy uses no other input than its seed,
// its options and what it is told. Replaying them is therefore exact and needs no code in the strategies.
//
// The last line holds a hash of all configurations that were asked for. The restored strategy must give the
// same hash. This detects other options and a program whose strategies have changed. The hash of the space in
// the third line detects other parameters, values or constraints.
#include "search/strategy_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

namespace warptune::search {

namespace {

constexpr std::string_view kFirstLine = "warptune strategy log 1";
// The maximum count of one `ask`. With it, a damaged count in a saved text cannot enumerate a huge space.
constexpr std::size_t kMaxAtOnce = std::size_t{1} << 20;

std::string positions_of(const model::Configuration& configuration) {
  return fmt::format("{}", fmt::join(configuration, "."));
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads what `{:a}` writes, decimals that were typed by hand, `nan` and `inf`.
std::optional<double> parse_double(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

// A hash of the configurations that were asked for. It shows whether a restored strategy makes the same
// choices.
std::string digest(const std::vector<model::Configuration>& asked) {
  std::string text;
  for (const model::Configuration& configuration : asked) text += positions_of(configuration) + '\n';
  return base::hash_hex(text);
}

}  // namespace

StrategyLog::StrategyLog(std::string_view name, const model::Space& space, const StrategyOptions& options)
    : name_(name), space_hash_(space.hash()), strategy_(make_strategy(name, space, options)) {}

std::vector<model::Configuration> StrategyLog::ask(std::size_t count) {
  count = std::min(count, kMaxAtOnce);
  std::vector<model::Configuration> configurations = strategy_->ask(count);
  if (!ask_line_open_) calls_ += "ask";
  calls_ += fmt::format(" {}", count);
  ask_line_open_ = true;
  for (const model::Configuration& configuration : configurations) {
    places_.emplace(positions_of(configuration), asked_.size());
    asked_.push_back(configuration);
    told_.push_back(false);
  }
  return configurations;
}

void StrategyLog::tell(const Observation& observation) {
  strategy_->tell(observation);
  if (ask_line_open_) calls_ += '\n';
  ask_line_open_ = false;
  std::string which = positions_of(observation.configuration);
  if (const auto place = places_.find(which); place != places_.end()) {
    told_[place->second] = true;
    which = fmt::format("{}", place->second);
  } else {
    told_unasked_.insert(which);
    which += '.';  // Distinguishes the index of a single parameter's value from a position in `asked_`.
  }
  calls_ += fmt::format("tell {} {}", which, model::to_string(observation.status));
  const bool has_objective =
      observation.status == model::Status::kMeasured || observation.status == model::Status::kDropped;
  if (has_objective) calls_ += fmt::format(" {:a}", observation.objective);
  calls_ += '\n';
}

std::vector<model::Configuration> StrategyLog::pending() const {
  std::vector<model::Configuration> open;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (!told_[i]) open.push_back(asked_[i]);
  }
  return open;
}

std::size_t StrategyLog::told() const {
  return told_unasked_.size() + static_cast<std::size_t>(std::count(told_.begin(), told_.end(), true));
}

bool StrategyLog::was_told(const model::Configuration& configuration) const {
  const std::string positions = positions_of(configuration);
  const auto place = places_.find(positions);
  return place == places_.end() ? told_unasked_.count(positions) != 0 : told_[place->second];
}

std::optional<double> StrategyLog::expected_gain(std::size_t evaluations) const {
  return strategy_->expected_gain(evaluations);
}

std::string StrategyLog::to_text() const {
  return fmt::format("{}\nstrategy {}\nspace {}\n{}{}asked {} {}\n", kFirstLine, name_, space_hash_, calls_,
                     ask_line_open_ ? "\n" : "", asked_.size(), digest(asked_));
}

// Reads a text line by line and repeats its calls.
class StrategyLog::Reader {
 public:
  explicit Reader(std::string_view text) : lines_(base::split(text, '\n')) {}

  std::unique_ptr<StrategyLog> read(const model::Space& space, const StrategyOptions& options) {
    if (next() != kFirstLine) fail(fmt::format("expected '{}'", kFirstLine));
    const std::string name = word_after("strategy");
    const std::string hash = word_after("space");
    if (hash != space.hash())
      fail("the saved search belongs to another space: its parameters, values or constraints differ");
    auto log = std::make_unique<StrategyLog>(name, space, options);
    while (true) {
      const std::vector<std::string> words = base::split(next(), ' ');
      if (words[0] == "ask" && words.size() > 1) {
        ask(*log, words);
      } else if (words[0] == "tell" && words.size() >= 3) {
        log->tell(observation(*log, words));
      } else if (words[0] == "asked" && words.size() == 3) {
        check_end(*log, words);
        return log;
      } else {
        fail("expected ask, tell or asked");
      }
    }
  }

 private:
  const std::string& next() {
    if (line_ == lines_.size()) fail("the text ends too early");
    return lines_[line_++];
  }

  std::string word_after(std::string_view key) {
    const std::vector<std::string> words = base::split(next(), ' ');
    if (words.size() != 2 || words[0] != key) fail(fmt::format("expected '{} ...'", key));
    return words[1];
  }

  void ask(StrategyLog& log, const std::vector<std::string>& words) const {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto count = parse_number<std::size_t>(words[i]);
      if (!count || *count > kMaxAtOnce) fail(fmt::format("expected a count, found '{}'", words[i]));
      log.ask(*count);
    }
  }

  Observation observation(const StrategyLog& log, const std::vector<std::string>& words) const {
    Observation told;
    told.configuration = configuration(log, words[1]);
    const std::optional<model::Status> status = model::parse_status(words[2]);
    if (!status) fail(fmt::format("unknown status '{}'", words[2]));
    told.status = *status;
    const bool has_objective = *status == model::Status::kMeasured || *status == model::Status::kDropped;
    if (words.size() != (has_objective ? 4U : 3U)) fail("expected 'tell WHICH STATUS [OBJECTIVE]'");
    if (has_objective) {
      const std::optional<double> objective = parse_double(words[3]);
      if (!objective) fail(fmt::format("expected a number, found '{}'", words[3]));
      told.objective = *objective;
    }
    return told;
  }

  model::Configuration configuration(const StrategyLog& log, std::string_view which) const {
    if (which.empty() || which.back() != '.') {
      const auto place = parse_number<std::size_t>(which);
      if (!place || *place >= log.asked_.size())
        fail(fmt::format("'{}' is not one of the {} configurations asked for so far", which,
                         log.asked_.size()));
      return log.asked_[*place];
    }
    which.remove_suffix(1);
    model::Configuration configuration;
    if (which.empty()) return configuration;
    for (const std::string& position : base::split(which, '.')) {
      const auto index = parse_number<std::uint32_t>(position);
      if (!index) fail(fmt::format("expected value indices, found '{}'", which));
      configuration.push_back(*index);
    }
    return configuration;
  }

  void check_end(const StrategyLog& log, const std::vector<std::string>& words) const {
    if (words[1] != fmt::format("{}", log.asked_.size()) || words[2] != digest(log.asked_)) {
      fail(
          fmt::format("strategy {} does not ask for what it asked for when it was saved. Its options (seed, "
                      "first configurations, budget) or this program's strategies have changed",
                      log.name_));
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw base::InputError(fmt::format("line {} of a saved search: {}", line_, message));
  }

  std::vector<std::string> lines_;
  std::size_t line_ = 0;
};

std::unique_ptr<StrategyLog> StrategyLog::restore(std::string_view text, const model::Space& space,
                                                  const StrategyOptions& options) {
  return Reader(text).read(space, options);
}

}  // namespace warptune::search
