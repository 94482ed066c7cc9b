#include "tuner/gpus/known_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/environment.h"
#include "base/error.h"
#include "base/text.h"
#include "profiling/known_gpu.h"
#include "tuner/gpus/described_gpu.h"

namespace warptune::tuner::gpus {

namespace {

using model::GpuDescription;

ChosenGpu named_gpu(const std::string& wanted, const std::vector<GpuDescription>& known) {
  std::vector<GpuDescription> fitting;
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const GpuDescription& gpu : known) {
    names.push_back(gpu.name);
    if (is_named(gpu, wanted)) fitting.push_back(gpu);
  }
  if (fitting.size() == 1) return {fitting.front(), "named by --gpu"};
  throw base::InputError(fmt::format(
      "--gpu {}: {} of the database's GPUs match, but exactly one must; the database has {}. Any GPU can be "
      "described by its compute capability and SMs, such as cc=80,sms=108",
      wanted, fitting.empty() ? "none" : std::to_string(fitting.size()),
      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

// Returns the GPU of the database that the description fits, if exactly one fits. Otherwise returns the
// described GPU.
ChosenGpu described_gpu(const DescribedGpu& wanted, const std::vector<GpuDescription>& known) {
  std::vector<GpuDescription> fitting;
  std::copy_if(known.begin(), known.end(), std::back_inserter(fitting),
               [&](const GpuDescription& gpu) { return wanted.fits(gpu); });
  if (fitting.size() == 1) return {fitting.front(), "the GPU of the database that --gpu describes"};
  return {wanted.description(), "described by --gpu"};
}

}  // namespace

std::vector<GpuDescription> distinct_gpus(const db::Store& store) {
  std::vector<GpuDescription> gpus;
  for (GpuDescription& stored : store.gpus()) {
    const auto same = [&](const GpuDescription& gpu) { return gpu.key() == stored.key(); };
    if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(std::move(stored));
  }
  return gpus;
}

ChosenGpu wanted_gpu(const std::string& wanted, const std::vector<GpuDescription>& known) {
  const std::optional<DescribedGpu> described = DescribedGpu::parse(wanted);
  return described ? described_gpu(*described, known) : named_gpu(wanted, known);
}

ChosenGpu choose_gpu(const std::optional<std::string>& wanted, const db::Store& store,
                     const GpuLister& list_gpus, const GpuRecogniser& recognise) {
  return choose_gpu(wanted, distinct_gpus(store), list_gpus, recognise);
}

ChosenGpu choose_gpu(const std::optional<std::string>& wanted, const std::vector<GpuDescription>& known,
                     const GpuLister& list_gpus, const GpuRecogniser& recognise) {
  if (wanted) return wanted_gpu(*wanted, known);
  if (const std::optional<GpuDescription> gpu = recognise ? recognise(known) : std::nullopt)
    return {*gpu, "the GPU of this machine", true};
  const profiling::GpuList here = list_gpus();
  if (!here.gpus.empty()) return {here.gpus.front(), "the GPU of this machine", true};
  if (!known.empty()) return {known.front(), "the GPU of the newest session, because this machine has none"};
  throw base::InputError(
      "neither this machine nor the database has a GPU; run `warptune tune KERNEL` first, or name another "
      "database "
      "with --db");
}

std::optional<GpuDescription> recognise_local_gpu(const std::vector<GpuDescription>& known) {
  return profiling::recognise_gpu(known, base::environment(base::Variable::kVisibleDevices));
}

bool is_named(const GpuDescription& gpu, const std::string& name) {
  if (name.empty()) return gpu.name.empty();
  return gpu.key() == name || base::lower_case(gpu.name).find(base::lower_case(name)) != std::string::npos;
}

std::vector<model::RoofReading> stored_roofs(const std::filesystem::path& database,
                                             const GpuDescription& gpu) {
  if (!db::Store::exists(database)) return {};
  return db::Store::open_existing(database).roofs(gpu);
}

model::Roofs known_roofs(const db::Store& store, const GpuDescription& gpu, const model::Roofs& of_session) {
  const std::vector<model::RoofReading> measured = store.roofs(gpu);
  return measured.empty() ? of_session : model::roofs_of(measured, gpu);
}

}  // namespace warptune::tuner::gpus
