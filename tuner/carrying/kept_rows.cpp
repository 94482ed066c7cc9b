// Decides whether rows of another text of a kernel hold for the present text.
//
// They hold if both texts compile to the same machine code and launch it in the same way. The description of
// a definition decides the launches, so it must be the same (`KernelDefinition::form`). The code is compared
// at reference configurations. What they do not have stays unproven: a combination of values for which a text
// compiles otherwise, although each of these values is in a reference. Rows of configurations that never had
// a time are not given to another text, because a change usually mends just them.
//
// A compiler may give different code for the same text (bench/README.md, bench_compiled_code). If a digest
// differs, the program is therefore compiled a few more times without a cache. One equal code is a proof: it
// is the code that was measured.
#include "tuner/carrying/kept_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/compiler.h"
#include "model/measurement.h"
#include "tuner/carrying/code_digests.h"
#include "tuner/carrying/opposite_outcomes.h"
#include "tuner/carrying/reference_choice.h"

namespace warptune::tuner::carrying {

namespace {

using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using model::NamedValues;
using model::WorkloadCode;
using workers::compiling::CompilePool;

constexpr int kFurtherCompiles = 4;
// The first references are compared alone, so that a changed code is noticed after a few programs.
constexpr std::size_t kFirstCompared = 4;

bool has(const std::vector<NamedValues>& configurations, const NamedValues& wanted) {
  return std::find(configurations.begin(), configurations.end(), wanted) != configurations.end();
}

// The rows with which `query` may answer: the fastest of each source, and preferred rows.
std::vector<NamedValues> leading_rows(const std::vector<db::StoredMeasurement>& rows) {
  std::vector<NamedValues> leading;
  for (const model::RowSource source :
       {model::RowSource::kMeasured, model::RowSource::kReplayed, model::RowSource::kImported}) {
    const db::StoredMeasurement* fastest = nullptr;
    for (const db::StoredMeasurement& row : rows) {
      const model::Measurement& measured = row.measurement;
      if (measured.status != model::Status::kMeasured || measured.source != source) continue;
      if (row.preferred && !has(leading, measured.configuration)) leading.push_back(measured.configuration);
      const std::optional<double> median = model::median_ns_of(measured);
      if (median && (fastest == nullptr || *median < *model::median_ns_of(fastest->measurement)))
        fastest = &row;
    }
    if (fastest != nullptr && !has(leading, fastest->measurement.configuration))
      leading.push_back(fastest->measurement.configuration);
  }
  return leading;
}

std::vector<NamedValues> configurations_of(const std::vector<model::ConfigurationCode>& codes) {
  std::vector<NamedValues> configurations;
  configurations.reserve(codes.size());
  for (const model::ConfigurationCode& one : codes) configurations.push_back(one.configuration);
  return configurations;
}

// Why the references do not stand for all rows; std::nullopt if they do.
std::optional<std::string> gap_of(const WorkloadCode& code, const std::vector<db::StoredMeasurement>& rows) {
  const std::vector<NamedValues> references = configurations_of(code.configurations);
  for (const NamedValues& leading : leading_rows(rows)) {
    if (!has(references, leading))
      return fmt::format("the reference configurations lack the best one, {}", model::to_text(leading));
  }
  if (const std::optional<std::string> value = uncovered_value(rows, references))
    return fmt::format("no reference configuration has {}", *value);
  return std::nullopt;
}

bool has_changed(const KernelDefinition& definition) {
  try {
    return kernel_templates::load_kernel_definition(definition.path, definition.scope.permissions()).hash !=
           definition.hash;
  } catch (const base::Error&) {
    return true;
  }
}

// The default, if it can be launched for this problem and GPU.
NamedValues launched_default(const KernelInstance& instance) {
  const NamedValues& usual = instance.default_configuration();
  return usual.empty() || !instance.screened_plan(usual) ? NamedValues() : usual;
}

std::optional<std::vector<NamedValues>> references_for(const KernelInstance& instance,
                                                       const std::vector<db::StoredMeasurement>& rows) {
  std::vector<NamedValues> first = leading_rows(rows);
  if (first.empty()) return std::nullopt;
  first.insert(first.begin(), launched_default(instance));
  return choose_references(rows, first);
}

// Compares the present code with that of another text.
class Comparison {
 public:
  Comparison(const KernelInstance& instance, CompilePool& pool, const base::Cancellation& cancellation)
      : instance_(instance), pool_(pool), cancellation_(cancellation) {}

  // Why the codes are not the same; empty if they are.
  std::string difference(const WorkloadCode& code) {
    const auto begin = code.configurations.begin();
    const auto first =
        begin + static_cast<std::ptrdiff_t>(std::min(kFirstCompared, code.configurations.size()));
    if (std::string found = difference({begin, first}); !found.empty()) return found;
    const auto reference = [&](CompilePool& pool) {
      return reference_digest(instance_, pool, cancellation_);
    };
    if (std::string found = difference_of(reference(pool_), code.reference, reference); !found.empty())
      return fmt::format("the program that computes the right outputs {}", found);
    return difference({first, code.configurations.end()});
  }

 private:
  std::string difference(const std::vector<model::ConfigurationCode>& expected) {
    const std::vector<NamedValues> configurations = configurations_of(expected);
    const std::vector<Digest> digests = digests_of(instance_, configurations, pool_, cancellation_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto again = [&](CompilePool& pool) {
        return digests_of(instance_, {configurations[i]}, pool, cancellation_).front();
      };
      if (std::string found = difference_of(digests[i], expected[i].digest, again); !found.empty())
        return fmt::format("{} {}", model::to_text(configurations[i]), found);
    }
    return "";
  }

  std::string difference_of(const Digest& digest, const std::string& expected,
                            const std::function<Digest(CompilePool&)>& compile_again) {
    if (!digest) return fmt::format("has no code: {}", base::first_line(digest.error()));
    if (*digest == expected) return "";
    for (int i = 0; i < kFurtherCompiles; ++i) {
      if (!uncached_) uncached_.emplace(1, kCompileDeadline);
      const Digest again = compile_again(*uncached_);
      if (again && *again == expected) return "";
    }
    return "has other code";
  }

  const KernelInstance& instance_;
  CompilePool& pool_;
  const base::Cancellation& cancellation_;
  std::optional<CompilePool> uncached_;
};

// Why nothing can be compared; empty if the codes have to be compared.
std::string obstacle(const KernelDefinition& definition, const std::optional<WorkloadCode>& code,
                     const std::vector<db::StoredMeasurement>& rows) {
  if (!code) return "no digests of their code are stored, so nothing can be proven";
  if (!definition.compiler.empty())
    return fmt::format("{} compiles this kernel, and digests are stored only of code that NVRTC compiled",
                       definition.compiler);
  if (code->form != definition.form)
    return "more than the source has changed: a parameter, a constraint, a launch, an argument or an option "
           "of the compiler";
  if (const int present = kernel_templates::remembered_nvrtc_version(); present != code->nvrtc_version) {
    return fmt::format("the digests are of code that NVRTC {} compiled, and this machine has NVRTC {}",
                       model::cuda_version_text(code->nvrtc_version), model::cuda_version_text(present));
  }
  return gap_of(*code, rows).value_or("");
}

std::string difference_of_code(const KernelDefinition& definition, const model::Workload& earlier,
                               const WorkloadCode& code, CompilePool& pool,
                               const base::Cancellation& cancellation) {
  try {
    const KernelInstance instance(definition, earlier.problem, earlier.gpu);
    return Comparison(instance, pool, cancellation).difference(code);
  } catch (const base::InputError& error) {  // The definition has no such problem any more.
    return error.message();
  }
}

}  // namespace

std::optional<NotedCode> note_code(db::Store& store, const KernelInstance& instance,
                                   const model::Workload& workload, CompilePool& pool,
                                   const base::Cancellation& cancellation) {
  const auto start = std::chrono::steady_clock::now();
  const KernelDefinition& definition = instance.definition();
  if (!definition.compiler.empty() || workload.kernel_hash != definition.hash) return std::nullopt;
  const std::vector<db::StoredMeasurement> rows = store.uncounted_measurements(workload);
  db::codes::WorkloadCodes codes(store);
  WorkloadCode code{definition.form, kernel_templates::remembered_nvrtc_version(), "", {}};
  if (const std::optional<WorkloadCode> known = codes.find(workload);
      known && known->form == code.form && known->nvrtc_version == code.nvrtc_version &&
      !gap_of(*known, rows))
    return std::nullopt;
  const std::optional<std::vector<NamedValues>> references = references_for(instance, rows);
  if (!references) return std::nullopt;
  NotedCode noted;
  const Digest reference = reference_digest(instance, pool, cancellation, &noted.compiled);
  const std::vector<Digest> digests = digests_of(instance, *references, pool, cancellation, &noted.compiled);
  if (!reference || std::any_of(digests.begin(), digests.end(), [](const Digest& one) { return !one; }))
    return std::nullopt;
  code.reference = *reference;
  for (std::size_t i = 0; i < digests.size(); ++i)
    code.configurations.push_back({(*references)[i], *digests[i]});
  // The text that was compiled must be the one whose hash the rows have.
  if (has_changed(definition)) return std::nullopt;
  codes.set(workload, code);
  noted.references = digests.size();
  noted.elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return noted;
}

std::vector<model::Workload> workloads_of_other_texts(const db::Store& store,
                                                      const KernelDefinition& definition) {
  std::vector<model::Workload> workloads = store.workloads();
  std::erase_if(workloads, [&](const model::Workload& workload) {
    return workload.kernel != definition.name || workload.kernel_hash == definition.hash;
  });
  return workloads;
}

KeptRows keep_rows(db::Store& store, const KernelDefinition& definition, const model::Workload& earlier,
                   CompilePool& pool, const base::Cancellation& cancellation) {
  KeptRows kept;
  kept.earlier = earlier;
  db::codes::WorkloadCodes codes(store);
  const std::optional<WorkloadCode> code = codes.find(earlier);
  kept.reason = obstacle(definition, code, store.uncounted_measurements(earlier));
  if (!kept.is_carried()) return kept;
  model::Workload present = earlier;
  present.kernel_hash = definition.hash;
  kept.reason = contradiction_of(store, earlier, present);
  if (!kept.is_carried()) return kept;
  kept.references = code->configurations.size();
  kept.reason = difference_of_code(definition, earlier, *code, pool, cancellation);
  if (kept.is_carried() && has_changed(definition)) kept.reason = "the definition has changed meanwhile";
  if (!kept.is_carried()) return kept;
  // Meanwhile another session may have added rows, or better ones, or may have chosen other references.
  // Nobody can write between this check and the move.
  db::Store::Batch batch(store);
  if (codes.find(earlier) != code) kept.reason = "their digests have changed meanwhile";
  if (kept.is_carried()) kept.reason = obstacle(definition, code, store.uncounted_measurements(earlier));
  if (kept.is_carried()) kept.reason = contradiction_of(store, earlier, present);
  if (!kept.is_carried()) return kept;
  const OlderNvrtc older = rows_of_older_nvrtc(store, earlier);
  const std::optional<db::codes::CarriedRows> rows = codes.carry_over(earlier, definition.hash);
  if (rows) {
    kept.rows = *rows;
    kept.older = older;
    batch.commit();
  } else {
    kept.reason = "a session may still be writing to them";
  }
  return kept;
}

std::string sentence_of(const KeptRows& kept) {
  const model::Workload& earlier = kept.earlier;
  const std::string whose =
      fmt::format("another text of {} ({:.8}), {} on {}", earlier.kernel, earlier.kernel_hash,
                  model::to_text(earlier.problem), earlier.gpu.name);
  if (!kept.is_carried())
    return fmt::format("the measurements of {}, stay with that text: {}", whose, kept.reason);
  std::string text = fmt::format("{} of {}, now {} to the present text: the machine code is the same at {}",
                                 base::counted(kept.rows.measurements, "measurement"), whose,
                                 kept.rows.measurements == 1 ? "belongs" : "belong",
                                 base::counted(kept.references, "reference configuration"));
  if (kept.rows.removed > 0)
    text += fmt::format("; {} of configurations that failed were removed", kept.rows.removed);
  return text + older_nvrtc_text(kept.older);
}

}  // namespace warptune::tuner::carrying
