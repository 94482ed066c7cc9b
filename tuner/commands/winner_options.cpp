#include "tuner/commands/winner_options.h"

namespace warptune::tuner::commands {

Options& declare_portable(Options& options, const std::string& gpu_help) {
  return options.values("gpu", "NAME|cc=80,sms=108", gpu_help)
      .optional_value(
          "portable", "worst|mean",
          "one configuration for several GPUs, whose largest loss against the best of each GPU is "
          "the smallest, or its mean loss; default: worst");
}

std::optional<querying::PortableRequest> read_portable(const Options& options) {
  if (!options.has("portable")) return std::nullopt;
  return querying::PortableRequest::parse(*options.text("portable"), options.texts("gpu"));
}

Options& declare_reproducible(Options& options) {
  return options.optional_value(
      "reproducible", model::outputs::kReproducibilityForms,
      "only a configuration that is known to give reproducible results. runs: each launch on the same "
      "inputs gives the same bits. bits: the same, and these are the bits of the default. relative=X, "
      "absolute=X, ulp=X: the largest error against the reference is at most X. Default: bits");
}

std::optional<model::outputs::Reproducibility> read_reproducible(const Options& options) {
  if (!options.has("reproducible")) return std::nullopt;
  return model::outputs::Reproducibility::parse(*options.text("reproducible"));
}

}  // namespace warptune::tuner::commands
