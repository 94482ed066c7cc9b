// Decides which GPU takes the next candidate and which GPU drops out, and collects their events and what
// is known of their model.
#include "tuner/workers/gpu_team.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace warptune::tuner::workers {

GpuTeam::GpuTeam(const kernel_templates::KernelInstance& instance, const ProcessEvaluatorOptions& options,
                 gpus::LocalGpus* local_gpus) {
  std::unique_ptr<processes::WorkerProcess> worker =
      local_gpus != nullptr ? local_gpus->take_worker() : nullptr;
  const evaluation::EvaluationLimit limit{options.max_evaluation_time, options.timeout};
  for (const int ordinal : options.ordinals) {
    const bool takes_worker = worker != nullptr;
    gpus_.push_back(takes_worker ? std::make_unique<GpuLink>(ordinal, limit, std::move(*worker))
                                 : std::make_unique<GpuLink>(ordinal, limit));
    worker.reset();
    gpus_.back()->set_judge(options.judge);
    if (options.cancellation != nullptr) gpus_.back()->set_cancellation(*options.cancellation);
    gpus_.back()->prepare({instance.gpu(), ordinal, options.measuring, options.roofs, options.roofs_first});
    gpus_.back()->set_up({std::filesystem::absolute(instance.definition().path).string(),
                          instance.definition().scope.permissions().readable, instance.problem(),
                          instance.definition().given, false});
  }
}

void GpuTeam::begin(const std::optional<kernel_templates::CompiledKernel>& reference) {
  for (const auto& gpu : gpus_) gpu->begin({reference});
}

void GpuTeam::ask_to_end() {
  for (const auto& gpu : gpus_) gpu->ask_to_end();
}

// The GPU with the fewest evaluations among those that can take another, or null.
GpuLink* GpuTeam::free_gpu() const {
  GpuLink* freest = nullptr;
  for (const auto& gpu : gpus_) {
    if (gpu->can_take() && (freest == nullptr || gpu->in_flight() < freest->in_flight())) freest = gpu.get();
  }
  return freest;
}

void GpuTeam::feed() {
  for (GpuLink* gpu = free_gpu(); gpu != nullptr; gpu = free_gpu()) {
    if (!released_.empty()) {
      gpu->evaluate(std::move(released_.front()));
      released_.pop_front();
    } else if (!compiled_.empty()) {
      // Each evaluation races against the best of its own GPU, because two GPUs of one model differ. Times
      // that were stored on another day differ, too.
      compiling::CompiledCandidate& next = compiled_.front();
      gpu->evaluate({next.candidate.id, std::move(next.candidate.configuration), std::move(next.compiled),
                     racing_ ? gpu->best_ns() : 0.0});
      compiled_.pop_front();
    } else {
      return;
    }
  }
}

std::size_t GpuTeam::pending() const {
  std::size_t count = compiled_.size() + released_.size();
  for (const auto& gpu : gpus_) count += gpu->in_flight();
  return count;
}

void GpuTeam::forget_best() {
  for (const auto& gpu : gpus_) gpu->forget_best();
}

void GpuTeam::set_finalist_times(double best_ns, double slowest_ns) {
  for (const auto& gpu : gpus_) gpu->set_finalist_times(best_ns, slowest_ns);
}

void GpuTeam::collect(std::vector<evaluation::EvaluationEvent>& events) {
  for (std::size_t i = 0; i < gpus_.size();) {
    try {
      for (evaluation::EvaluationEvent& event : gpus_[i]->collect()) events.push_back(std::move(event));
      ++i;
    } catch (const base::Error& error) {
      if (!can_go_on_without(error)) throw;
      drop_out(i, error.what());
    }
  }
  note_ready();
}

std::vector<evaluation::CounterEvent> GpuTeam::close_counters() {
  std::vector<evaluation::CounterEvent> events;
  for (std::size_t i = 0; i < gpus_.size();) {
    try {
      for (evaluation::CounterEvent& event : gpus_[i]->close_counters()) events.push_back(std::move(event));
      ++i;
    } catch (const base::Error& error) {
      if (!can_go_on_without(error)) throw;
      drop_out(i, error.what());
    }
  }
  note_ready();
  return events;
}

bool GpuTeam::can_go_on_without(const base::Error& error) const {
  return gpus_.size() > 1 && error.kind() == base::ErrorKind::kMachine;
}

void GpuTeam::drop_out(std::size_t i, const std::string& why) {
  warnings_.push_back(fmt::format("GPU {} drops out: {}", gpus_[i]->ordinal(), why));
  for (protocol::Evaluate& message : gpus_[i]->take_back()) released_.push_back(std::move(message));
  gpus_.erase(gpus_.begin() + static_cast<std::ptrdiff_t>(i));
}

void GpuTeam::drop_out(const GpuLink& gpu, const std::string& why) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (gpus_[i].get() == &gpu) return drop_out(i, why);
  }
}

GpuLink* GpuTeam::first_ready() const {
  const auto found =
      std::find_if(gpus_.begin(), gpus_.end(), [](const auto& gpu) { return gpu->is_ready(); });
  return found == gpus_.end() ? nullptr : found->get();
}

void GpuTeam::wake() {
  for (const auto& gpu : gpus_) gpu->wake();
}

void GpuTeam::note_ready() {
  const GpuLink* const ready = known_ ? nullptr : first_ready();
  if (ready != nullptr) known_ = KnownModel{ready->roofs(), {}, ready->environment(), false};
  if (!known_ || known_->has_roofs) return;
  const auto found =
      std::find_if(gpus_.begin(), gpus_.end(), [](const auto& gpu) { return gpu->has_roofs(); });
  if (found == gpus_.end()) return;
  known_->roofs = (*found)->roofs();
  known_->new_roofs = (*found)->new_roofs();
  known_->has_roofs = true;
}

void GpuTeam::add_descriptors(std::vector<pollfd>& polled) const {
  for (const auto& gpu : gpus_) {
    const int wanted = gpu->has_unsent() ? POLLIN | POLLOUT : POLLIN;
    polled.push_back({gpu->descriptor(), static_cast<short>(wanted), 0});
  }
}

std::vector<std::string> GpuTeam::take_warnings() {
  std::vector<std::string> warnings = std::exchange(warnings_, {});
  for (const auto& gpu : gpus_) {
    const std::string prefix = gpus_.size() > 1 ? fmt::format("GPU {}: ", gpu->ordinal()) : "";
    for (const std::string& warning : gpu->take_warnings()) warnings.push_back(prefix + warning);
  }
  return warnings;
}

}  // namespace warptune::tuner::workers
