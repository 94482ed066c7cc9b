#include "tuner/querying/portable_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "db/lookup.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::querying {

namespace {

constexpr std::string_view kAll = "all";

bool is_same_gpu(const model::GpuDescription& a, const model::GpuDescription& b) {
  return a.key() == b.key();
}

// Sets the winner of the nearest workload that is stored of the place's GPU.
void find_workload(PortablePlace& place, const std::vector<db::Winner>& winners, model::CacheState cache,
                   bool strict) {
  std::vector<db::Winner> own;
  std::copy_if(winners.begin(), winners.end(), std::back_inserter(own), [&](const db::Winner& winner) {
    return is_same_gpu(winner.workload.gpu, place.instance.gpu());
  });
  db::Question question = db::question_about(knowledge::workload_of(place.instance, cache));
  question.strict = strict;
  const std::vector<db::RankedWinner> ranked = db::rank_winners(own, question);
  if (ranked.empty()) return;
  place.winner = *ranked.front().winner;
  place.distance = std::log2(ranked.front().ratio);
}

}  // namespace

std::string_view to_string(LossOver over) { return over == LossOver::kWorst ? "worst" : "mean"; }

PortableRequest PortableRequest::parse(const std::string& over, const std::vector<std::string>& gpus) {
  PortableRequest request;
  if (over == to_string(LossOver::kMean)) {
    request.over = LossOver::kMean;
  } else if (!over.empty() && over != to_string(LossOver::kWorst)) {
    throw base::InputError(fmt::format("--portable={}: expected worst or mean", over));
  }
  if (gpus.size() == 1 && gpus.front() != kAll) {
    throw base::InputError(fmt::format(
        "--portable with only one --gpu, {}: give --gpu for each of two GPUs or more, or --gpu all",
        gpus.front()));
  }
  if (gpus.size() > 1 && std::find(gpus.begin(), gpus.end(), kAll) != gpus.end())
    throw base::InputError("--gpu all already has every GPU: leave out the others");
  if (gpus.size() > 1) request.gpus = gpus;
  return request;
}

std::vector<model::GpuDescription> portable_gpus(const PortableRequest& request,
                                                 const std::vector<model::GpuDescription>& known,
                                                 const std::vector<db::Winner>& winners,
                                                 model::CacheState cache) {
  std::vector<model::GpuDescription> gpus;
  gpus.reserve(request.gpus.size());
  for (const std::string& name : request.gpus) {
    model::GpuDescription gpu = gpus::wanted_gpu(name, known).gpu;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (is_same_gpu(gpus[i], gpu)) {
        throw base::InputError(fmt::format("--gpu {} and --gpu {} mean the same GPU, {}: name each only once",
                                           request.gpus[i], name, gpu.name));
      }
    }
    gpus.push_back(std::move(gpu));
  }
  if (!request.gpus.empty()) return gpus;
  std::copy_if(known.begin(), known.end(), std::back_inserter(gpus), [&](const model::GpuDescription& gpu) {
    return std::any_of(winners.begin(), winners.end(), [&](const db::Winner& winner) {
      return winner.workload.cache == cache && is_same_gpu(winner.workload.gpu, gpu);
    });
  });
  return gpus;
}

std::vector<PortablePlace> portable_places(const kernel_templates::KernelDefinition& definition,
                                           const model::NamedValues& problem,
                                           const std::vector<model::GpuDescription>& gpus,
                                           const std::vector<db::Winner>& winners, model::CacheState cache,
                                           bool strict) {
  std::vector<PortablePlace> places;
  places.reserve(gpus.size());
  for (const model::GpuDescription& gpu : gpus) {
    places.push_back({kernel_templates::KernelInstance(definition, problem, gpu)});
    find_workload(places.back(), winners, cache, strict);
  }
  return places;
}

}  // namespace warptune::tuner::querying
