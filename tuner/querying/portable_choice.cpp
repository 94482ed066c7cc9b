// Chooses one configuration for several GPUs.
//
// The values of all rows come from an index (`Store::ranked_ids`), and the keys of their configurations say
// which rows of different GPUs belong together. So whole rows are read only for the few configurations that
// may be the answer. These are in a queue, ordered by the number of GPUs that have not measured them, then by
// their loss. The first one is examined: its rows are read and verified, and it must be able to run on each
// GPU. What is found there can only make its place in the queue worse. A damaged row counts as not measured.
// A dropped row gives a lower bound of a loss that counted as 0 before. Then it returns to the queue. The
// first one that was examined before is the answer.
#include "tuner/querying/portable_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tuner/knowledge/known_winners.h"
#include "tuner/querying/place_rows.h"

namespace warptune::tuner::querying {

namespace {

struct Candidate {
  std::string key;
  std::vector<PlaceLoss> losses;
  bool is_examined = false;
  model::NamedValues configuration{};  // Set when it is examined.
};

class PortableSearch {
 public:
  PortableSearch(const std::vector<PortablePlace>& places, const model::Objective& objective, LossOver over,
                 const StoreOf& store_of, const std::optional<model::outputs::Reproducibility>& demanded)
      : places_(places), over_(over), demanded_(demanded) {
    rows_.reserve(places.size());
    for (const PortablePlace& place : places) rows_.emplace_back(place, objective, store_of);
    collect_candidates();
  }

  std::optional<PortableChoice> run() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) enqueue(i);
    while (!queue_.empty()) {
      const std::size_t next = std::get<4>(queue_.top());
      queue_.pop();
      Candidate& candidate = candidates_[next];
      if (candidate.is_examined) return choice_of(candidate);
      if (examine(candidate)) enqueue(next);
    }
    return std::nullopt;
  }

 private:
  // The number of GPUs that have not measured it, the loss, the sum of losses, the key, the index.
  using Entry = std::tuple<std::size_t, double, double, std::string_view, std::size_t>;

  void collect_candidates();
  void enqueue(std::size_t index);
  bool examine(Candidate& candidate);
  bool read_candidate(Candidate& candidate);
  std::optional<std::string> fault_of(const Candidate& candidate) const;
  std::optional<std::string> examine_unmeasured(Candidate& candidate) const;
  std::optional<std::string> fault_of_outputs(const Candidate& candidate) const;
  void add_rival(PortableChoice& choice, PortableRival rival) const;
  PortableChoice choice_of(const Candidate& candidate) const;

  const std::vector<PortablePlace>& places_;
  LossOver over_;
  const std::optional<model::outputs::Reproducibility>& demanded_;
  std::vector<PlaceRows> rows_;
  std::vector<Candidate> candidates_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::uint64_t shared_ = 0;
  std::uint64_t passed_over_ = 0;
  std::string passed_over_reason_;
};

void PortableSearch::collect_candidates() {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    for (const auto& [key, ranked] : rows_[place].rows()) {
      const auto [entry, is_new] = known.try_emplace(key, candidates_.size());
      if (is_new) candidates_.push_back({key, std::vector<PlaceLoss>(places_.size())});
      candidates_[entry->second].losses[place] = {LossBasis::kMeasured,
                                                  rows_[place].loss_of_value(ranked.value)};
    }
  }
  const auto with_rows = static_cast<std::size_t>(
      std::count_if(rows_.begin(), rows_.end(), [](const PlaceRows& one) { return one.best().has_value(); }));
  for (const Candidate& candidate : candidates_) {
    const auto measured = std::count_if(candidate.losses.begin(), candidate.losses.end(),
                                        [](const PlaceLoss& one) { return one.loss.has_value(); });
    if (static_cast<std::size_t>(measured) == with_rows) ++shared_;
  }
}

void PortableSearch::enqueue(std::size_t index) {
  const Candidate& candidate = candidates_[index];
  std::size_t unmeasured = 0;
  double sum = 0.0;
  double worst = 0.0;
  for (const PlaceLoss& one : candidate.losses) {
    if (one.basis != LossBasis::kMeasured) ++unmeasured;
    sum += one.loss.value_or(0.0);
    worst = std::max(worst, one.loss.value_or(0.0));
  }
  if (unmeasured == places_.size()) return;
  queue_.emplace(unmeasured, over_ == LossOver::kWorst ? worst : sum, sum, candidate.key, index);
}

// Returns whether the candidate can still be the answer.
bool PortableSearch::examine(Candidate& candidate) {
  if (!read_candidate(candidate)) return true;
  std::optional<std::string> fault = fault_of(candidate);
  if (!fault) fault = examine_unmeasured(candidate);
  if (!fault && demanded_) fault = fault_of_outputs(candidate);
  candidate.is_examined = true;
  if (!fault) return true;
  if (passed_over_++ == 0) passed_over_reason_ = *std::move(fault);
  return false;
}

// Reads the rows of the candidate. Returns false if one of them is damaged. Its loss is then unknown.
bool PortableSearch::read_candidate(Candidate& candidate) {
  bool is_intact = true;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    PlaceLoss& one = candidate.losses[place];
    if (one.basis != LossBasis::kMeasured) continue;
    one.row = rows_[place].row_of(candidate.key);
    if (one.row) {
      candidate.configuration = one.row->measurement.configuration;
    } else {
      one = PlaceLoss{};
      is_intact = false;
    }
  }
  return is_intact;
}

// Why the candidate cannot run on one of the GPUs.
std::optional<std::string> PortableSearch::fault_of(const Candidate& candidate) const {
  const auto measured = std::find_if(candidate.losses.begin(), candidate.losses.end(),
                                     [](const PlaceLoss& one) { return one.row.has_value(); });
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const PlaceLoss& own = candidate.losses[place];
    const model::Measurement& evidence = (own.row ? own : *measured).row->measurement;
    const kernel_templates::KernelInstance& instance = places_[place].instance;
    if (std::optional<std::string> fault =
            knowledge::why_invalid_for(instance, candidate.configuration, evidence))
      return fmt::format("cannot run on {}: {}", instance.gpu().name, *fault);
  }
  return std::nullopt;
}

// Looks for rows without a value on the GPUs that have not measured the candidate. Returns why it cannot be
// the answer if it failed on one of them.
std::optional<std::string> PortableSearch::examine_unmeasured(Candidate& candidate) const {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    PlaceLoss& one = candidate.losses[place];
    if (one.basis == LossBasis::kMeasured || rows_[place].is_empty()) continue;
    one = rows_[place].loss_of(candidate.configuration);
    if (!one.row) continue;
    const model::Measurement& row = one.row->measurement;
    if (row.status != model::Status::kMeasured && row.status != model::Status::kDropped) {
      return fmt::format("failed on {}: {}", places_[place].instance.gpu().name,
                         row.reason.empty() ? model::to_string(row.status) : row.reason);
    }
  }
  return std::nullopt;
}

// Why the outputs of the candidate are not what is demanded on one of the GPUs, or are not known to be.
std::optional<std::string> PortableSearch::fault_of_outputs(const Candidate& candidate) const {
  const db::StoredMeasurement* first = nullptr;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const kernel_templates::KernelInstance& instance = places_[place].instance;
    const PlaceLoss& own = candidate.losses[place];
    if (!own.row) return fmt::format("was not compared on {}", instance.gpu().name);
    const std::optional<db::StoredMeasurement> usual =
        rows_[place].loss_of(instance.definition().default_configuration).row;
    const model::outputs::ReproducibilityVerdict verdict =
        model::outputs::judge(*demanded_, own.row->measurement, usual ? &usual->measurement : nullptr);
    if (!verdict.is_met()) return fmt::format("on {}: {}", instance.gpu().name, verdict.reason);
    const bool wants_bits = demanded_->demand == model::outputs::Reproducibility::Demand::kBits;
    if (first != nullptr && wants_bits &&
        !model::outputs::had_same_inputs(first->measurement, own.row->measurement))
      return fmt::format("had other inputs on {} than on the GPUs before it", instance.gpu().name);
    if (first != nullptr && wants_bits &&
        model::outputs::give_other_bits(first->measurement, own.row->measurement))
      return fmt::format("gives other bits on {} than on the GPUs before it", instance.gpu().name);
    if (first == nullptr) first = &*own.row;
  }
  return std::nullopt;
}

void PortableSearch::add_rival(PortableChoice& choice, PortableRival rival) const {
  const auto is_it = [&](const model::NamedValues& configuration) {
    return model::key_of(configuration) == model::key_of(rival.configuration);
  };
  if (is_it(choice.configuration)) return;
  for (PortableRival& other : choice.rivals) {
    if (!is_it(other.configuration)) continue;
    other.name += ", " + rival.name;
    return;
  }
  choice.rivals.push_back(std::move(rival));
}

PortableChoice PortableSearch::choice_of(const Candidate& candidate) const {
  PortableChoice choice;
  choice.configuration = candidate.configuration;
  choice.losses = candidate.losses;
  choice.shared = shared_;
  choice.measured = candidates_.size();
  choice.passed_over = passed_over_;
  choice.passed_over_reason = passed_over_reason_;
  choice.best.reserve(places_.size());
  for (std::size_t place = 0; place < places_.size(); ++place) {
    choice.best.push_back(rows_[place].best());
    if (!rows_[place].best()) continue;
    PortableRival rival{
        "the best of " + places_[place].instance.gpu().name, rows_[place].best()->configuration, {}};
    for (const PlaceRows& other : rows_) rival.losses.push_back(other.loss_of(rival.configuration));
    add_rival(choice, std::move(rival));
  }
  const model::NamedValues& usual = places_.front().instance.definition().default_configuration;
  PortableRival rival{"the default", usual, {}};
  if (usual.empty()) return choice;
  for (const PlaceRows& one : rows_) rival.losses.push_back(one.loss_of(usual));
  add_rival(choice, std::move(rival));
  return choice;
}

}  // namespace

LossSummary summarise(const std::vector<PlaceLoss>& losses) {
  LossSummary summary;
  summary.is_exact = true;
  double sum = 0.0;
  for (const PlaceLoss& one : losses) {
    if (one.basis != LossBasis::kMeasured) summary.is_exact = false;
    if (!one.loss) {
      ++summary.unknown;
      continue;
    }
    summary.worst = std::max(summary.worst, *one.loss);
    sum += *one.loss;
  }
  const std::size_t known = losses.size() - summary.unknown;
  if (known > 0) summary.mean = sum / static_cast<double>(known);
  return summary;
}

std::optional<PortableChoice> choose_portable(
    const std::vector<PortablePlace>& places, const model::Objective& objective, LossOver over,
    const StoreOf& store_of, const std::optional<model::outputs::Reproducibility>& demanded) {
  if (places.empty()) return std::nullopt;
  return PortableSearch(places, objective, over, store_of, demanded).run();
}

}  // namespace warptune::tuner::querying
