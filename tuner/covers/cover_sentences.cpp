#include "tuner/covers/cover_sentences.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "base/text.h"
#include "model/outputs/reproducibility.h"

namespace warptune::tuner::covers {

std::string loss_text(double loss_share) {
  return std::isfinite(loss_share) ? fmt::format("{:.1f} %", 100.0 * loss_share) : "unknown";
}

std::string answered_text(const CoverTable& table, const SizeCover& cover) {
  std::string sizes = base::counted(table.taking_part(), "measured size");
  if (cover.answered == table.taking_part()) return sizes;
  return fmt::format("{} of {} (the cover answers none of the others)", cover.answered, sizes);
}

std::string losses_text(const CoverTable& table, const SizeCover& cover, double limit_share) {
  const std::string sizes = answered_text(table, cover);
  std::string text =
      fmt::format("within {:g} % of the best at {} (mean loss {}, worst {}", 100.0 * limit_share,
                  cover.within == cover.answered ? sizes : fmt::format("{} of {}", cover.within, sizes),
                  loss_text(cover.mean_loss), loss_text(cover.worst_loss));
  if (cover.unknown > 0) text += fmt::format("; at {} of them the answer has no time", cover.unknown);
  return text + ")";
}

std::string outputs_text(const CoverTable& table, const SizeCover& cover) {
  const model::outputs::Reproducibility& demanded = table.demanded.value();
  const std::string text =
      fmt::format("reproducible ({}): each configuration {}, at ", demanded.text, demanded.sentence());
  if (demanded.demand == model::outputs::Reproducibility::Demand::kError)
    return text + "the sizes that it answers";
  const std::size_t sizes = table.sizes.size();
  const std::size_t compared = min_compared_sizes(table, cover);
  if (compared == sizes) return text + fmt::format("all {} sizes that were measured", sizes);
  return text + fmt::format("the sizes where it was compared, at least {} of {}", compared, sizes);
}

std::string against_all_text(const SizeCover& cover) {
  return fmt::format("against the best of all, whatever their outputs: mean loss {}, worst {}",
                     loss_text(cover.mean_loss_against_all), loss_text(cover.worst_loss_against_all));
}

}  // namespace warptune::tuner::covers
