#pragma once

#include <string>
#include <vector>

#include "kernel_templates/host_program.h"

namespace warptune::tuner::kernel_pages {

/// The texts of expressions, separated by commas.
std::string texts_of(const std::vector<model::Expression>& expressions);

/// What a launch passes to its kernel, if it does not pass all arguments in order.
std::string passed_text(const std::vector<kernel_templates::HostArgument>& arguments);

/// The section of a kernel's page that lists the steps of its host program.
std::string steps_section(const kernel_templates::HostProgram& program);

}  // namespace warptune::tuner::kernel_pages
