#pragma once

#include <string>

#include "kernel_templates/host_program.h"

namespace warptune::tuner {

/// The section of a kernel's page that lists the steps of its host program.
std::string steps_section(const kernel_templates::HostProgram& program);

}  // namespace warptune::tuner
