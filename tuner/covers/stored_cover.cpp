#include "tuner/covers/stored_cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tuner/covers/cover_note.h"

namespace warptune::tuner::covers {

namespace {

// The sessions of one cover at one size.
struct NotedSize {
  model::Workload workload;
  double weight = 1.0;
  bool held_back = true;
};

struct NotedCover {
  StoredCover cover;
  std::map<Size, NotedSize> sizes;
};

std::optional<SizeRange> range_of(const CoverNote& note) {
  try {
    return parse_range(note.range, "a stored cover");
  } catch (const base::InputError&) {
    return std::nullopt;  // A later version may know more kinds of ranges.
  }
}

void take_session(const db::Store& store, const db::Session& session, const CoverNote& note,
                  NotedCover& noted) {
  const Size size = noted.cover.range.size_of(session.workload.problem);
  if (size.empty()) return;
  const auto [place, is_new] = noted.sizes.try_emplace(size, NotedSize{session.workload});
  place->second.weight = note.weight;
  place->second.held_back = place->second.held_back && note.held_back;
  const auto rows = static_cast<std::uint64_t>(store.session_outline(session.id).size());
  (note.held_back ? noted.cover.check_evaluations : noted.cover.evaluations) += rows;
  ++noted.cover.sessions;
  noted.cover.newest_session = std::max(noted.cover.newest_session, session.id);
}

// Why the list of a cover does not answer. Empty if it does.
std::string doubt_of(const StoredCover& stored, const SizeCover& cover) {
  const HeldBackSizes held_back = held_back_sizes(stored, cover);
  if (held_back.is_enough()) return "";
  return fmt::format("the cover of {} does not answer, because only {} of its {} within {:g} %",
                     stored.range.text(), held_back.within,
                     base::counted(held_back.checked, "held-back size is", "held-back sizes are"),
                     100.0 * stored.limits.loss_share);
}

// What is demanded of the outputs, with a comma before it. Empty without a demand.
std::string demand_text(const std::optional<model::outputs::Reproducibility>& demanded) {
  return demanded ? ", reproducible=" + demanded->text : "";
}

std::optional<model::outputs::Reproducibility> demand_of(const CoverNote& note) {
  if (note.reproducible.empty()) return std::nullopt;
  return model::outputs::Reproducibility::parse(note.reproducible);
}

// What the newest row that says something about the outputs of a configuration says.
struct Verdict {
  std::int64_t id = 0;  // The row's.
  OutputsKnown known = OutputsKnown::kUnknown;
};

// By the keys of configurations. A row is compared with the newest one of the default for the same inputs.
std::map<std::string, Verdict> known_verdicts(const db::Store& store, const model::Workload& workload,
                                              const model::NamedValues& usual,
                                              const model::outputs::Reproducibility& demanded) {
  std::vector<model::Measurement> defaults;  // Oldest first.
  const std::vector<db::StoredMeasurement> rows = store.rows_with_counters(workload, demanded.evidence());
  for (const db::StoredMeasurement& row : rows) {
    if (row.measurement.source == model::RowSource::kMeasured &&
        model::key_of(row.measurement.configuration) == model::key_of(usual))
      defaults.push_back(row.measurement);
  }
  std::map<std::string, Verdict> verdicts;
  for (const db::StoredMeasurement& row : rows) {
    const auto same = std::find_if(defaults.rbegin(), defaults.rend(), [&](const auto& one) {
      return model::outputs::had_same_inputs(row.measurement, one);
    });
    const OutputsKnown known =
        model::outputs::judge(demanded, row.measurement, same != defaults.rend() ? &*same : nullptr).kind;
    if (known != OutputsKnown::kUnknown)
      verdicts[model::key_of(row.measurement.configuration)] = {row.id, known};
  }
  return verdicts;
}

// The covers of a kernel's version on a GPU, newest first. `is_wanted` gets the range of one, and the key of
// the problem entries outside of it.
std::vector<StoredCover> covers_where(
    const db::Store& store, const model::Workload& workload,
    const kernel_templates::KernelDefinition& definition,
    const std::function<bool(const SizeRange& range, const std::string& outside)>& is_wanted) {
  std::map<std::string, NotedCover> noted;
  for (const db::Session& session : store.noted_sessions(workload, kCoverNoteBegins)) {
    const std::optional<CoverNote> note = note_of(session.budget);
    if (!note) continue;
    const std::optional<SizeRange> range = range_of(*note);
    if (!range) continue;
    const std::string outside = model::key_of(outside_of(*range, session.workload.problem));
    if (!is_wanted(*range, outside)) continue;
    const auto [place, is_new] =
        noted.try_emplace(fmt::format("{} {} {} {} {}", note->limit_share, note->max_configurations,
                                      note->reproducible, note->range, outside));
    if (is_new) {
      place->second.cover.range = *range;
      place->second.cover.limits = {note->limit_share, note->max_configurations};
      place->second.cover.workload = session.workload;
      place->second.cover.table.demanded = demand_of(*note);
    }
    take_session(store, session, *note, place->second);
  }
  std::vector<StoredCover> covers;
  for (auto& [key, one] : noted) {
    one.cover.table.shape = std::make_shared<LaunchShape>(definition, one.cover.range,
                                                          one.cover.workload.problem, one.cover.workload.gpu);
    for (const auto& [size, at] : one.sizes)
      one.cover.table.add(
          size, at.weight, at.held_back,
          judged_rows(store, at.workload, definition.default_configuration, one.cover.table.demanded));
    covers.push_back(std::move(one.cover));
  }
  std::sort(covers.begin(), covers.end(),
            [](const StoredCover& a, const StoredCover& b) { return a.newest_session > b.newest_session; });
  return covers;
}

// What chose the answer for a size.
std::string choice_text(const SizeCover& cover, const Size& asked) {
  const std::optional<std::size_t> chosen =
      cover.costs ? cover.costs->configuration_for(asked) : std::nullopt;
  if (chosen)
    return fmt::format("its cost is the lowest, {:.4g} us", cover.costs->cost_us(*chosen, asked).value());
  const std::size_t line = cover.list.line_for(asked);
  return fmt::format("line {} of its list, {}", line + 1, cover.list.text_of(line));
}

void refuse(std::optional<CoverAnswer>& refused, const std::string& why) {
  if (refused) return;
  refused.emplace();
  refused->reason = why + ": the nearest winner answers";
}

}  // namespace

model::NamedValues outside_of(const SizeRange& range, const model::NamedValues& problem) {
  model::NamedValues others;
  for (const auto& [name, value] : problem) {
    const bool is_size = std::any_of(range.entries.begin(), range.entries.end(),
                                     [&, &known = name](const SizeEntry& one) { return one.name == known; });
    if (!is_size) others.emplace_back(name, value);
  }
  return others;
}

std::vector<std::string> StoredCover::names() const {
  std::vector<std::string> names;
  for (const SizeEntry& entry : range.entries) names.push_back(entry.name);
  return names;
}

std::vector<CoverRow> judged_rows(const db::Store& store, const model::Workload& workload,
                                  const model::NamedValues& usual,
                                  const std::optional<model::outputs::Reproducibility>& demanded) {
  std::map<std::string, Verdict> verdicts;
  if (demanded) verdicts = known_verdicts(store, workload, usual, *demanded);
  std::vector<CoverRow> rows;
  for (db::StoredMeasurement& row : store.uncounted_measurements(workload)) {
    if (row.measurement.source != model::RowSource::kMeasured) continue;
    OutputsKnown known = demanded ? OutputsKnown::kUnknown : OutputsKnown::kMet;
    const auto found = verdicts.find(model::key_of(row.measurement.configuration));
    if (found != verdicts.end() &&
        (found->second.id == row.id || found->second.known == OutputsKnown::kUnmet))
      known = found->second.known;
    rows.push_back({std::move(row.measurement), known});
  }
  return rows;
}

std::optional<SizeCover> derive_cover(const StoredCover& stored) {
  return derive_cover(stored.names(), stored.table, stored.limits);
}

HeldBackSizes held_back_sizes(const StoredCover& stored, const SizeCover& cover) {
  HeldBackSizes found;
  for (std::size_t s = 0; s < stored.table.sizes.size(); ++s) {
    const CoverSize& size = stored.table.sizes[s];
    if (!size.held_back) continue;
    ++found.checked;
    const std::optional<double> loss = stored.table.estimated_loss(cover.answer(size.size), s);
    found.within += loss && *loss <= stored.limits.loss_share ? 1U : 0U;
  }
  return found;
}

std::vector<StoredCover> stored_covers(const db::Store& store, const model::Workload& workload,
                                       const kernel_templates::KernelDefinition& definition) {
  return covers_where(store, workload, definition,
                      [&workload](const SizeRange& range, const std::string& outside) {
                        return outside == model::key_of(outside_of(range, workload.problem));
                      });
}

std::vector<StoredCover> stored_covers_of_all_problems(const db::Store& store,
                                                       const model::Workload& workload,
                                                       const kernel_templates::KernelDefinition& definition) {
  return covers_where(store, workload, definition, [](const SizeRange&, const std::string&) { return true; });
}

std::optional<CoverAnswer> covered_answer(const db::Store& store, const model::Workload& workload,
                                          const kernel_templates::KernelDefinition& definition) {
  std::optional<CoverAnswer> refused;
  for (const StoredCover& stored : stored_covers(store, workload, definition)) {
    const Size asked = stored.range.size_of(workload.problem);
    if (!stored.range.contains(asked)) {
      refuse(refused, fmt::format("outside of {}, for which a cover is known", stored.range.text()));
      continue;
    }
    const std::optional<SizeCover> cover = derive_cover(stored);
    if (!cover) continue;
    if (const std::string doubt = doubt_of(stored, *cover); !doubt.empty()) {
      refuse(refused, doubt);
      continue;
    }
    const std::size_t answer = cover->answer(asked);
    const CoverSize* nearest = nullptr;
    for (const CoverSize& size : stored.table.sizes) {
      if (!size.times_ns[answer] || !std::isfinite(*size.times_ns[answer])) continue;
      if (nearest == nullptr || distance(size.size, asked) < distance(nearest->size, asked)) nearest = &size;
    }
    if (nearest == nullptr) continue;
    CoverAnswer found;
    found.configuration = stored.table.configurations[answer];
    found.problem = workload.problem;
    for (const auto& [name, value] : stored.range.values_of(nearest->size)) {
      for (auto& [known, present] : found.problem) {
        if (known == name) present = value;
      }
    }
    model::Workload there = workload;
    there.problem = found.problem;
    const std::optional<db::StoredMeasurement> row = store.latest_measurement(there, found.configuration);
    const std::optional<db::Session> session = row ? store.session(row->session_id) : std::nullopt;
    if (!session) continue;
    found.row = row->measurement;
    found.environment = session->environment;
    found.session_id = session->id;
    found.distance = distance(nearest->size, asked);
    found.reason = fmt::format("answered by the cover of {} within {:g} % ({}{}): {}", stored.range.text(),
                               100.0 * stored.limits.loss_share,
                               base::counted(cover->configurations.size(), "configuration"),
                               demand_text(stored.table.demanded), choice_text(*cover, asked));
    return found;
  }
  return refused;
}

}  // namespace warptune::tuner::covers
