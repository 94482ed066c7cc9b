#pragma once

#include <optional>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/expressions/expression_type.h"
#include "model/value.h"

namespace warptune::kernel_templates::resolution {

/// The type of an expression over the parameters, the problem and the device, as far as it is known before
/// any evaluation.
std::optional<model::ValueType> type_in(const KernelDefinition& definition,
                                        const model::Expression& expression);

/// The parts of a condition that are numbers where a truth value is expected (`model::expressions`). Flags
/// (`is_flag`) are left out.
std::vector<model::expressions::NumericOperand> numeric_operands(const KernelDefinition& definition,
                                                                 const model::Expression& condition);

/// Whether an expression is the name of a parameter or problem entry that is 0 or 1.
bool is_flag(const KernelDefinition& definition, const model::Expression& expression);

/// Throws `base::InputError` at an expression that is text in a place that needs a number or a condition, and
/// at constant launch geometry that no GPU can run. `definition`'s names must have been checked.
void check_expression_types(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates::resolution
