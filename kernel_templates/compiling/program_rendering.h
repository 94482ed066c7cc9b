#pragma once

#include "kernel_templates/compiler.h"
#include "kernel_templates/compiling/program_text.h"
#include "kernel_templates/compiling/rendering.h"

namespace warptune::kernel_templates::compiling {

/// Sets source and options of a request whose entries are set. Macros that nothing mentions are left out, so
/// that configurations that differ in launch parameters alone give one and the same program. Where the source
/// begins with headers worth precompiling, macros become text behind them and `#pragma nv_hdrstop`: the
/// headers do not see them then, and NVRTC can keep the headers (`-pch`) for the next program.
void render_program(CompileRequest& request, const ProgramText& text, const ProgramOptions& options);

}  // namespace warptune::kernel_templates::compiling
