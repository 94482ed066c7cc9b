// Campaigns, nodes and attempts for tests.
#pragma once

#include "fleet/campaign_status.h"
#include "model/gpu_description.h"

namespace warptune::fleet::testing {

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr std::int64_t kMinute = 60'000;

inline model::GpuDescription gpu_named(const std::string& name) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.name = name;
  return gpu;
}

/// Two classes: class 0 takes any H100, class 1 any H200. Tasks 0 and 1 are of class 0, task 2 of class 1.
inline Campaign two_classes() {
  Campaign campaign;
  campaign.name = "nightly";
  campaign.classes.resize(2);
  campaign.classes[0].kernel = "transpose";
  campaign.classes[0].kernel_hash = "0123456789abcdef0123456789abcdef";
  campaign.classes[0].gpu.name = "*H100*";
  campaign.classes[1] = campaign.classes[0];
  campaign.classes[1].kernel = "sgemm";
  campaign.classes[1].gpu.name = "*H200*";
  campaign.classes[1].gpu.min_capability = 90;
  campaign.tasks = {{0, {{"M", 64}}}, {0, {{"M", 128}}}, {1, {{"M", 64}}}};
  return campaign;
}

inline NodeRecord node_named(const std::string& name, const std::string& gpu, std::int64_t seen_ms = kNow) {
  return {{"id-" + name, name, "1.0", {{gpu_named(gpu), {}}}}, kNow - kMinute, seen_ms};
}

inline Attempt running(std::uint64_t fence, const std::string& node, std::int64_t started_ms) {
  return {fence, "id-" + node, AttemptEnd::kRunning, "", started_ms, 0, {}};
}

inline Attempt lost(std::uint64_t fence, const std::string& node, std::int64_t started_ms,
                    std::int64_t ended_ms, const std::string& reason = "no heartbeat came for 60 s") {
  return {fence, "id-" + node, AttemptEnd::kLost, reason, started_ms, ended_ms, {}};
}

/// An attempt that has closed its task after `evaluated` evaluations.
inline Attempt ended(std::uint64_t fence, const std::string& node, std::int64_t started_ms,
                     std::int64_t ended_ms, std::uint64_t evaluated = 100) {
  TaskOutcome outcome;
  outcome.evaluated = evaluated;
  outcome.gpu_seconds = static_cast<double>(ended_ms - started_ms) / 1000.0;
  outcome.best_ns = 1000.0;
  outcome.gpu = "NVIDIA H100";
  return {fence, "id-" + node, AttemptEnd::kDone, "", started_ms, ended_ms, outcome};
}

inline Attempt failed(std::uint64_t fence, const std::string& node, std::int64_t started_ms,
                      std::int64_t ended_ms, const std::string& reason) {
  Attempt attempt = ended(fence, node, started_ms, ended_ms, 0);
  attempt.end = AttemptEnd::kFailed;
  attempt.outcome->failed = true;
  attempt.outcome->reason = reason;
  attempt.outcome->best_ns.reset();
  return attempt;
}

/// The campaign before anything has run, on one node with an H100.
inline CampaignFacts facts_of(Campaign campaign) {
  CampaignFacts facts;
  facts.summary = {campaign.name, campaign.digest(), kNow - 60 * kMinute, false, {}};
  for (std::uint64_t task = 0; task < campaign.tasks.size(); ++task)
    facts.tasks.push_back({task, TaskState::kOpen, {}});
  facts.campaign = std::move(campaign);
  facts.nodes = {node_named("anna", "NVIDIA H100")};
  facts.now_ms = kNow;
  return facts;
}

}  // namespace warptune::fleet::testing
