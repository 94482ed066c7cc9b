#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "db/store.h"
#include "tuner/knowledge/known_answer.h"

namespace warptune::tuner::knowledge {

/// The user's database, and below it the one of the system, which the variable WARPTUNE_SYSTEM_DB names and
/// which is only read.
class LayeredDatabases {
 public:
  /// Opens both. A missing database of the user is an error, unless the system has one or the user's was not
  /// made yet (`is_not_made_yet`). Throws `base::InputError` if the system's one cannot be read.
  explicit LayeredDatabases(std::filesystem::path own);

  /// Whether there is at least one of them. Otherwise there are no winners and no GPUs.
  bool exist() const { return own_ || system_; }
  /// Whether there is the user's.
  bool has_own() const { return own_.has_value(); }
  /// Throws the error of `open_database` for the user's database, unless one of them exists.
  void require() const;

  /// The winners and rows of both. Among equally good matches, the user's come first. The object must outlive
  /// the source.
  AnswerSource source(const kernel_templates::KernelDefinition& definition,
                      const model::Objective& objective) const;
  /// The GPUs of both, each once, the user's first.
  std::vector<model::GpuDescription> gpus() const;
  /// The database that has a winner's rows.
  const db::Store& store_of(const db::Winner& winner) const { return winner.of_system ? *system_ : *own_; }

 private:
  std::filesystem::path path_;
  std::optional<db::Store> own_;
  std::optional<db::Store> system_;
};

}  // namespace warptune::tuner::knowledge
