#include "tuner/exporting/recommended_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/covers/cover_sentences.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"

namespace warptune::tuner::exporting {

namespace {

using covers::DerivedCover;
using covers::StoredCover;

// The conditions are in double quotes, so a text in them is not.
std::string literal(const model::Value& value) {
  const std::string* const text = std::get_if<std::string>(&value);
  return text != nullptr ? fmt::format("'{}'", *text) : model::to_literal(value);
}

// Where a cover applies: the values of its other problem entries, and its range.
std::vector<std::string> range_conditions(const StoredCover& stored) {
  std::vector<std::string> conditions;
  for (const auto& [name, value] : covers::outside_of(stored.range, stored.workload.problem))
    conditions.push_back(fmt::format("{} == {}", name, literal(value)));
  for (const covers::SizeEntry& entry : stored.range.entries) {
    if (entry.low == entry.high) {
      conditions.push_back(fmt::format("{} == {}", entry.name, entry.low));
    } else {
      conditions.push_back(fmt::format("{} >= {}", entry.name, entry.low));
      conditions.push_back(fmt::format("{} <= {}", entry.name, entry.high));
    }
  }
  return conditions;
}

std::string gpu_condition(const model::GpuDescription& gpu) {
  return fmt::format("device_compute_capability == {}{} && device_sm_count == {}", gpu.compute_major,
                     gpu.compute_minor, gpu.sm_count);
}

std::string weights_text(const covers::CoverTable& table) {
  double lowest = 1.0;
  double highest = 1.0;
  bool is_first = true;
  for (const covers::CoverSize& size : table.sizes) {
    lowest = is_first ? size.weight : std::min(lowest, size.weight);
    highest = is_first ? size.weight : std::max(highest, size.weight);
    is_first = false;
  }
  if (lowest == highest) return "";
  return fmt::format(
      "# The sizes had weights from {:g} to {:g}. They decided what was chosen, and conditions cannot say "
      "them.\n",
      lowest, highest);
}

// A sentence as lines of a comment.
std::string comment(std::string_view sentence) {
  constexpr std::size_t kWidth = 108;
  std::string text;
  for (std::size_t begin = 0; begin < sentence.size();) {
    std::size_t end = sentence.size();
    if (end - begin > kWidth) {
      const std::size_t last = sentence.rfind(' ', begin + kWidth);
      const bool is_inside = last != std::string_view::npos && last > begin;
      end = is_inside
                ? last
                : std::min(sentence.find(' ', begin + kWidth), end);  // A longer word has a line of its own.
    }
    text += fmt::format("# {}\n", sentence.substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

std::string sentence_of(std::string clause) {
  clause.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(clause.front())));
  return clause + ".";
}

std::string outputs_comment(const StoredCover& stored, const covers::SizeCover& cover) {
  if (!stored.table.demanded) return "";
  return comment(sentence_of(covers::outputs_text(stored.table, cover))) +
         comment("On other GPUs and at other sizes this is not known.") +
         comment(sentence_of(covers::against_all_text(cover)));
}

std::string comment_of(const StoredCover& stored, const covers::SizeCover& cover) {
  const model::GpuDescription& gpu = stored.workload.gpu;
  const covers::HeldBackSizes held_back = held_back_sizes(stored, cover);
  std::string text =
      fmt::format("# {}: {} for {}, found by `warptune cover`.\n", stored.workload.kernel,
                  base::counted(cover.configurations.size(), "configuration"), stored.range.text());
  text += comment(fmt::format("They are {}{}.",
                              covers::losses_text(stored.table, cover, stored.limits.loss_share),
                              stored.table.demanded ? ", among those that are reproducible" : ""));
  text +=
      fmt::format("# {} of {} are within it, too.{}\n", held_back.within,
                  base::counted(held_back.checked, "held-back size"),
                  held_back.is_enough() ? "" : " That is too few: `warptune query` does not use this cover.");
  text += outputs_comment(stored, cover) + weights_text(stored.table);
  return text + fmt::format(
                    "# Measured on {} from {}. The conditions do not name this GPU.\n"
                    "# To recommend them for such GPUs only, add to each: && {}\n",
                    gpu.name, model::l2_text(stored.workload.cache), gpu_condition(gpu));
}

// One table. An empty cost is left out.
std::string table_text(const std::vector<std::string>& conditions, const std::string& cost,
                       const model::NamedValues& configuration) {
  std::string text = fmt::format("[[recommended]]\nwhen = \"{}\"\n", fmt::join(conditions, " && "));
  if (!cost.empty()) text += fmt::format("cost = \"{}\"\n", cost);
  text += "[recommended.values]\n";
  for (const auto& [name, value] : configuration)
    text += fmt::format("{} = {}\n", name, model::to_literal(value));
  return text;
}

std::string text_of(const KernelExport& kernel) {
  std::string text;
  for (const DerivedCover& one : kernel.covers)
    text += (text.empty() ? "" : "\n") + recommended_tables(one.stored, one.cover);
  return text;
}

// All covers of the kernel's present version that answer something, newest first. Each is derived once.
std::vector<DerivedCover> covers_of(const db::Store& store,
                                    const kernel_templates::KernelDefinition& definition,
                                    model::CacheState cache) {
  std::vector<DerivedCover> all;
  std::set<std::string> gpus;
  for (const db::Winner& winner : store.winners(definition.name, definition.hash)) {
    if (winner.workload.cache != cache || !gpus.insert(winner.workload.gpu.key()).second) continue;
    for (StoredCover& one : covers::stored_covers_of_all_problems(store, winner.workload, definition)) {
      if (std::optional<covers::SizeCover> cover = covers::derive_cover(one))
        all.push_back({std::move(one), *std::move(cover)});
    }
  }
  std::ranges::sort(all, std::greater<>(), [](const DerivedCover& one) { return one.stored.newest_session; });
  return all;
}

model::GpuDescription gpu_of(const std::vector<DerivedCover>& found, const CoverSelection& selection,
                             const std::string& kernel) {
  std::vector<model::GpuDescription> gpus;
  for (const DerivedCover& one : found) {
    const bool is_new = std::ranges::none_of(
        gpus, [&](const auto& gpu) { return gpu.key() == one.stored.workload.gpu.key(); });
    if (is_new) gpus.push_back(one.stored.workload.gpu);
  }
  if (selection.gpu) return gpus::choose_gpu(selection.gpu, gpus, gpus::list_local_gpus, {}).gpu;
  if (gpus.size() > 1)
    base::log_warning(
        fmt::format("{}: only the cover of {} is written; --gpu names another GPU, for example '{}'", kernel,
                    gpus[0].name, gpus[1].name));
  return gpus.front();
}

}  // namespace

std::string recommended_tables(const StoredCover& stored, const covers::SizeCover& cover) {
  std::string text = comment_of(stored, cover);
  const std::vector<std::string> common = range_conditions(stored);
  if (cover.costs) {
    for (std::size_t c = 0; c < cover.configurations.size(); ++c) {
      if (!cover.costs->costs[c]) continue;  // It answers no size.
      text += table_text(common, cover.costs->text(c), stored.table.configurations[cover.configurations[c]]);
    }
    return text;
  }
  for (const covers::DecisionLine& line : cover.list.lines) {
    std::vector<std::string> conditions = common;
    for (const covers::SizeCondition& condition : line.conditions)
      conditions.push_back(condition.text(cover.list.names));
    text += table_text(conditions, "", stored.table.configurations[cover.configurations[line.configuration]]);
  }
  return text;
}

void require_default(const kernel_templates::KernelDefinition& definition) {
  if (definition.default_configuration.empty())
    throw base::InputError(fmt::format(
        "{}: it has no [default], of which [[recommended]] replaces values; give it one", definition.name));
}

std::vector<DerivedCover> selected_covers(const db::Store& store,
                                          const kernel_templates::KernelDefinition& definition,
                                          const std::string& kernel, const CoverSelection& selection) {
  require_default(definition);
  std::vector<DerivedCover> found = covers_of(store, definition, selection.cache);
  if (selection.reproducible) {
    std::erase_if(found, [&](const DerivedCover& one) {
      return !one.stored.table.demanded || one.stored.table.demanded->text != selection.reproducible->text;
    });
  }
  if (found.empty()) {
    throw base::WorkError(
        fmt::format("no cover of {} from {}{} is known; run `warptune cover {} --sizes RANGE{}`",
                    definition.name, model::l2_text(selection.cache),
                    selection.reproducible ? " that " + selection.reproducible->sentence() : "", kernel,
                    selection.reproducible ? " --reproducible=" + selection.reproducible->text : ""));
  }
  const std::string gpu = gpu_of(found, selection, definition.name).key();
  std::erase_if(found, [&](const DerivedCover& one) { return one.stored.workload.gpu.key() != gpu; });
  std::vector<DerivedCover> newest;
  for (DerivedCover& one : found) {
    const bool is_older = std::ranges::any_of(newest, [&](const DerivedCover& other) {
      return covers::outside_of(other.stored.range, other.stored.workload.problem) ==
             covers::outside_of(one.stored.range, one.stored.workload.problem);
    });
    if (!is_older) newest.push_back(std::move(one));
  }
  return newest;
}

ExportFormat recommended_format() {
  return {"recommended", "[[recommended]] tables for the definition, from the newest cover",
          [](const std::vector<KernelExport>& kernels) {
            std::string text;
            for (const KernelExport& kernel : kernels) text += text_of(kernel);
            return text;
          },
          false, true};
}

}  // namespace warptune::tuner::exporting
