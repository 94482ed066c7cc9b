#include "tuner/gpus/present_machine.h"

#include "base/environment.h"
#include "profiling/known_gpu.h"
#include "tuner/gpus/known_gpus.h"

namespace warptune::tuner::gpus {

PresentMachine read_present_machine(const std::vector<model::GpuDescription>& known) {
  return {recognise_local_gpu(known),
          profiling::quick_environment(base::environment(base::Variable::kVisibleDevices))};
}

}  // namespace warptune::tuner::gpus
