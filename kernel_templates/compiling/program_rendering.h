#pragma once

#include "kernel_templates/compiler.h"
#include "kernel_templates/compiling/program_text.h"
#include "kernel_templates/compiling/rendering.h"

namespace warptune::kernel_templates::compiling {

/// Sets the source and the options of a request whose entries are set. Macros that the program does not use
/// are left out. Configurations that differ only in launch parameters therefore give the same program and
/// share one compile.
///
/// If the source begins with headers that are worth precompiling, the macros are not options. They become
/// text after the headers and `#pragma nv_hdrstop`. The headers do not depend on them then, and NVRTC can
/// reuse the precompiled headers (`-pch`) for the next program.
void render_program(CompileRequest& request, const ProgramText& text, const ProgramOptions& options);

}  // namespace warptune::kernel_templates::compiling
