#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "db/store.h"
#include "tuner/knowledge/known_answer.h"

namespace warptune::tuner::knowledge {

/// The user's database, and below it the one of the system, which the variable WARPTUNE_SYSTEM_DB names and
/// which is only read. At least one of them exists.
class LayeredDatabases {
 public:
  /// Opens both. A missing database of the user is an error, unless the system has one. Throws
  /// `base::InputError` if the system's one cannot be read.
  explicit LayeredDatabases(const std::filesystem::path& own);

  /// The winners and rows of both. Among equally good matches, the user's come first. The object must outlive
  /// the source.
  AnswerSource source(const kernel_templates::KernelDefinition& definition,
                      const model::Objective& objective) const;
  /// The GPUs of both, each once, the user's first.
  std::vector<model::GpuDescription> gpus() const;
  /// The database that has a winner's rows.
  const db::Store& store_of(const db::Winner& winner) const { return winner.of_system ? *system_ : *own_; }

 private:
  std::optional<db::Store> own_;
  std::optional<db::Store> system_;
};

}  // namespace warptune::tuner::knowledge
