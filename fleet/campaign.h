// A campaign: tuning sessions to be run on many machines. It never changes once it is in a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/gpu_predicate.h"
#include "model/encoding/later_text.h"
#include "model/fields.h"
#include "model/value.h"

namespace warptune::fleet {

/// How the sessions of a class search. Each text has the form of the option of `warptune tune` with the same
/// name, and is read by the node in the same way.
struct SessionOptions {
  std::string budget = "60s";
  std::string until{};  ///< Empty: no goal.
  std::string strategy = "auto";
  std::string objective = "time";
  std::string cache = "cold";
  std::string metrics = "core";
  std::uint64_t seed = 1;
  bool thorough = false;
  bool transfer =
      false;  ///< Begins with what the campaign knows about other sizes on GPUs of the same model.
  std::string reproducible{};  ///< What the outputs of the best must be known to be. Empty: nothing.

  bool operator==(const SessionOptions&) const = default;
};

template <model::MaybeConst<SessionOptions> Object, class Visit>
void visit_fields(Object& options, Visit&& visit) {
  visit("budget", options.budget);
  visit("until", options.until);
  visit("strategy", options.strategy);
  visit("objective", options.objective);
  visit("cache", options.cache);
  visit("metrics", options.metrics);
  visit("seed", options.seed);
  visit("thorough", options.thorough);
  visit("transfer", options.transfer);
  visit("reproducible", model::encoding::as_later(options.reproducible));
}

/// What all tasks of one kernel and one GPU predicate have in common. A node decides once for each class
/// whether it can run its tasks.
struct TaskClass {
  std::string kernel;  ///< The name of the definition.
  std::string
      kernel_hash;  ///< `KernelDefinition::hash`. A node whose definition has another hash refuses the class.
  /// The digest of the definition's bundle among the files of the store (`definition_bundle.h`). Empty: the
  /// kernel is shipped with warptune.
  std::string bundle{};
  GpuPredicate gpu{};
  std::int64_t priority = 0;  ///< Tasks of classes with a larger number are leased first.
  SessionOptions options{};

  bool operator==(const TaskClass&) const = default;
};

template <model::MaybeConst<TaskClass> Object, class Visit>
void visit_fields(Object& one, Visit&& visit) {
  visit("kernel", one.kernel);
  visit("kernel_hash", one.kernel_hash);
  visit("bundle", one.bundle);
  visit("gpu", one.gpu);
  visit("priority", one.priority);
  visit("options", one.options);
}

/// One session to be run once, on one GPU that fits the class.
struct Task {
  std::uint64_t class_index = 0;  ///< An index into `Campaign::classes`.
  model::NamedValues sizes{};     ///< Problem entries that differ from the definition's.

  bool operator==(const Task&) const = default;
};

template <model::MaybeConst<Task> Object, class Visit>
void visit_fields(Object& task, Visit&& visit) {
  visit("class", task.class_index);
  visit("sizes", task.sizes);
}

struct Campaign {
  /// Unique within a store (`is_campaign_name` of `names.h`).
  std::string name;
  std::vector<TaskClass> classes;
  std::vector<Task> tasks;  ///< A task is identified by its index.

  /// A hash of everything in the campaign, as 32 hexadecimal digits.
  std::string digest() const;
  /// Throws `base::InputError` if the name cannot be one, or if a task has a class that is missing.
  void require_valid() const;
  bool operator==(const Campaign&) const = default;
};

template <model::MaybeConst<Campaign> Object, class Visit>
void visit_fields(Object& campaign, Visit&& visit) {
  visit("name", campaign.name);
  visit("classes", campaign.classes);
  visit("tasks", campaign.tasks);
}

}  // namespace warptune::fleet
