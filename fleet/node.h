// What a store knows about a node: a process that runs tasks on the GPUs of one machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fields.h"
#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::fleet {

/// A GPU that a node offers.
struct NodeGpu {
  model::GpuDescription gpu;
  std::vector<model::RoofReading> roofs;  ///< As measured on this GPU. Empty if they were not measured yet.
  int ordinal = 0;                        ///< Its index among the GPUs of its machine.
};

template <model::MaybeConst<NodeGpu> Object, class Visit>
void visit_fields(Object& one, Visit&& visit) {
  visit("gpu", one.gpu);
  visit("roofs", one.roofs);
  visit("ordinal", one.ordinal);
}

struct Node {
  std::string id;    ///< 32 hexadecimal digits, random, the same each time the node's state folder is used.
  std::string name;  ///< For people: what `--name` says, or the machine's name.
  std::string version;  ///< The version of warptune.
  std::vector<NodeGpu> gpus;
};

template <model::MaybeConst<Node> Object, class Visit>
void visit_fields(Object& node, Visit&& visit) {
  visit("id", node.id);
  visit("name", node.name);
  visit("version", node.version);
  visit("gpus", node.gpus);
}

/// Why a node does not lease tasks of a class.
struct Refusal {
  std::string campaign;
  std::uint64_t class_index = 0;
  std::string reason;                  ///< One sentence.
  std::vector<std::uint64_t> tasks{};  ///< The tasks that it refuses. Empty: all tasks of the class.

  bool operator==(const Refusal&) const = default;
};

template <model::MaybeConst<Refusal> Object, class Visit>
void visit_fields(Object& refusal, Visit&& visit) {
  visit("campaign", refusal.campaign);
  visit("class", refusal.class_index);
  visit("reason", refusal.reason);
  visit("tasks", refusal.tasks);
}

struct NodeRecord {
  Node node;
  std::int64_t entered_ms = 0;  ///< Unix time by the store's clock.
  std::int64_t seen_ms = 0;     ///< Its last heartbeat, or its entry.
  bool accepted = false;        ///< A person has accepted its measurements although its roofs are unusual.
  std::vector<Refusal> refusals{};
  bool has_left = false;  ///< It has ended, and said so.
};

}  // namespace warptune::fleet
