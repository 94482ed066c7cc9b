#include "tuner/exporting/recommended_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"

namespace warptune::tuner::exporting {

namespace {

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

std::string outputs_text(const StoredCover& stored, const covers::SizeCover& cover) {
  const std::optional<model::outputs::Reproducibility>& demanded = stored.table.demanded;
  if (!demanded) return "";
  std::string text =
      fmt::format("# Reproducible ({}): each of them {}, ", demanded->text, demanded->sentence());
  text += demanded->demand == model::outputs::Reproducibility::Demand::kError
              ? "at the sizes that it answers.\n#"
              : fmt::format("at the sizes where it was compared:\n# at least {} of {}.",
                            covers::min_compared_sizes(stored.table, cover), stored.table.sizes.size());
  return text +
         fmt::format(
             " On other GPUs and at other sizes this is not known. Against the best of all, whatever their\n"
             "# outputs, the mean loss is {:.1f} % and the worst {:.1f} %.\n",
             100.0 * cover.mean_loss_against_all, 100.0 * cover.worst_loss_against_all);
}

std::string comment_of(const StoredCover& stored, const covers::SizeCover& cover) {
  const model::GpuDescription& gpu = stored.workload.gpu;
  const covers::HeldBackSizes held_back = held_back_sizes(stored, cover);
  std::string text = fmt::format(
      "# {}: {} for {}, found by `warptune cover`.\n"
      "# At {}, they are within {:g} % of the best that is known{}: mean loss {:.1f} %, worst {:.1f} %.\n"
      "# {} of {} are within it, too.{}\n",
      stored.workload.kernel, base::counted(cover.configurations.size(), "configuration"),
      stored.range.text(), base::counted(stored.table.taking_part(), "measured size"),
      100.0 * stored.limit_share, stored.table.demanded ? " and is reproducible" : "",
      100.0 * cover.mean_loss, 100.0 * cover.worst_loss, held_back.within,
      base::counted(held_back.checked, "held-back size"),
      held_back.is_enough() ? "" : " That is too few: `warptune query` does not use this list.");
  text += outputs_text(stored, cover) + weights_text(stored.table);
  return text + fmt::format(
                    "# Measured on {} from {}. The conditions do not name this GPU.\n"
                    "# To recommend them for such GPUs only, add to each: && {}\n",
                    gpu.name, model::l2_text(stored.workload.cache), gpu_condition(gpu));
}

std::string text_of(const KernelExport& kernel) {
  std::string text;
  for (const StoredCover& stored : kernel.covers) {
    const std::optional<covers::SizeCover> cover = covers::derive_cover(stored);
    if (cover) text += (text.empty() ? "" : "\n") + recommended_tables(stored, *cover);
  }
  return text;
}

// All covers of the kernel's present version, newest first.
std::vector<StoredCover> covers_of(const db::Store& store,
                                   const kernel_templates::KernelDefinition& definition,
                                   model::CacheState cache) {
  std::vector<StoredCover> all;
  const auto is_known = [&](const model::Workload& workload) {
    return std::ranges::any_of(all, [&](const StoredCover& one) {
      return one.workload.gpu.key() == workload.gpu.key() &&
             one.table.find(one.range.size_of(workload.problem)) &&
             covers::outside_of(one.range, one.workload.problem) ==
                 covers::outside_of(one.range, workload.problem);
    });
  };
  std::set<std::int64_t> seen;
  for (const db::Winner& winner : store.winners(definition.name, definition.hash)) {
    if (winner.workload.cache != cache || is_known(winner.workload)) continue;
    for (StoredCover& one : covers::stored_covers(store, winner.workload, definition.default_configuration)) {
      if (seen.insert(one.newest_session).second) all.push_back(std::move(one));
    }
  }
  // One that answers nothing does not replace an older one.
  std::erase_if(all, [](const StoredCover& one) { return !covers::derive_cover(one); });
  std::ranges::sort(all, std::greater<>(), &StoredCover::newest_session);
  return all;
}

model::GpuDescription gpu_of(const std::vector<StoredCover>& found, const CoverSelection& selection,
                             const std::string& kernel) {
  std::vector<model::GpuDescription> gpus;
  for (const StoredCover& one : found) {
    const bool is_new =
        std::ranges::none_of(gpus, [&](const auto& gpu) { return gpu.key() == one.workload.gpu.key(); });
    if (is_new) gpus.push_back(one.workload.gpu);
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
  for (const covers::DecisionLine& line : cover.list.lines) {
    std::vector<std::string> conditions = common;
    for (const covers::SizeCondition& condition : line.conditions)
      conditions.push_back(condition.text(cover.list.names));
    text +=
        fmt::format("[[recommended]]\nwhen = \"{}\"\n[recommended.values]\n", fmt::join(conditions, " && "));
    for (const auto& [name, value] : stored.table.configurations[cover.configurations[line.configuration]])
      text += fmt::format("{} = {}\n", name, model::to_literal(value));
  }
  return text;
}

std::vector<StoredCover> selected_covers(const db::Store& store,
                                         const kernel_templates::KernelDefinition& definition,
                                         const std::string& kernel, const CoverSelection& selection) {
  if (definition.default_configuration.empty())
    throw base::InputError(fmt::format(
        "{}: it has no [default], of which [[recommended]] replaces values; give it one", definition.name));
  std::vector<StoredCover> found = covers_of(store, definition, selection.cache);
  if (selection.reproducible) {
    std::erase_if(found, [&](const StoredCover& one) {
      return !one.table.demanded || one.table.demanded->text != selection.reproducible->text;
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
  std::erase_if(found, [&](const StoredCover& one) { return one.workload.gpu.key() != gpu; });
  std::vector<StoredCover> newest;
  for (StoredCover& one : found) {
    const bool is_older = std::ranges::any_of(newest, [&](const StoredCover& other) {
      return covers::outside_of(other.range, other.workload.problem) ==
             covers::outside_of(one.range, one.workload.problem);
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
