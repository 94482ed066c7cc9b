// The options of the compiler and of its assembler that a definition may use.
#pragma once

#include <string_view>
#include <utility>

namespace warptune::kernel_templates::compiling {

/// The form of an option's value.
enum class ValueForm {
  kNone,
  kTruth,
  kNumber,
  kNumbers,  ///< Separated by commas.
  kWord,     ///< Letters, digits, `_`, `.` and `-`; the first is not a dash.
  kMacro,    ///< A name, followed by any text.
  kFolder,
  kAssembler,  ///< An option for the assembler.
};

/// An option of a compiler.
struct Option {
  std::string_view name;        ///< The long name.
  std::string_view short_name;  ///< Empty if there is none.
  ValueForm form = ValueForm::kNone;
  std::string_view choices = {};  ///< Allowed words, separated by `|`; empty allows any.
  bool joined = false;            ///< The value may follow the short name directly.
};

/// NVRTC 13.0, "Supported Compile Options". Left out are those that read or write files, choose the
/// architecture, or produce something other than machine code.
inline constexpr Option kCompilerOptions[] = {
    {"Ofast-compile", "Ofc", ValueForm::kWord, "0|min|mid|max"},
    {"brief-diagnostics", "brief-diag", ValueForm::kTruth},
    {"builtin-initializer-list", "", ValueForm::kTruth},
    {"builtin-move-forward", "", ValueForm::kTruth},
    {"define-macro", "D", ValueForm::kMacro, "", true},
    {"device-as-default-execution-space", "default-device"},
    {"device-debug", "G"},
    {"device-float128", ""},
    {"device-int128", ""},
    {"device-stack-protector", "", ValueForm::kTruth},
    {"diag-error", "", ValueForm::kNumbers},
    {"diag-suppress", "", ValueForm::kNumbers},
    {"diag-warn", "", ValueForm::kNumbers},
    {"disable-warnings", "w"},
    {"display-error-number", "err-no"},
    {"dopt", "", ValueForm::kWord, "on"},
    {"extra-device-vectorization", ""},
    {"fmad", "", ValueForm::kTruth},
    {"frandom-seed", "", ValueForm::kWord},
    {"ftz", "", ValueForm::kTruth},
    {"generate-line-info", "lineinfo"},
    {"include-path", "I", ValueForm::kFolder, "", true},
    {"jump-table-density", "jtd", ValueForm::kNumber},
    {"maxrregcount", "", ValueForm::kNumber},
    {"minimal", ""},
    {"modify-stack-limit", "", ValueForm::kTruth},
    {"no-cache", ""},
    {"no-display-error-number", "no-err-no"},
    {"optimization-info", "opt-info", ValueForm::kWord, "inline"},
    {"prec-div", "", ValueForm::kTruth},
    {"prec-sqrt", "", ValueForm::kTruth},
    {"ptxas-options", "Xptxas", ValueForm::kAssembler},
    {"relocatable-device-code", "rdc", ValueForm::kTruth},
    {"restrict", ""},
    {"split-compile", "", ValueForm::kNumber},
    {"std", "", ValueForm::kWord, "c++03|c++11|c++14|c++17|c++20"},
    {"undefine-macro", "U", ValueForm::kMacro, "", true},
    {"use_fast_math", ""},
};

/// `ptxas --help` of CUDA 13.0, selected in the same way.
inline constexpr Option kAssemblerOptions[] = {
    {"Ofast-compile", "Ofc", ValueForm::kWord, "0|min|mid|max"},
    {"allow-expensive-optimizations", "", ValueForm::kTruth},
    {"compiler-annotations", "annotate"},
    {"def-load-cache", "dlcm", ValueForm::kWord},
    {"def-store-cache", "dscm", ValueForm::kWord},
    {"device-debug", "g"},
    {"device-function-maxrregcount", "func-maxrregcount", ValueForm::kWord},
    {"device-stack-protector", "", ValueForm::kTruth},
    {"disable-optimizer-constants", "disable-optimizer-consts"},
    {"disable-warnings", "w"},
    {"dont-merge-basicblocks", "no-bb-merge"},
    {"fmad", "", ValueForm::kTruth},
    {"force-load-cache", "flcm", ValueForm::kWord},
    {"force-store-cache", "fscm", ValueForm::kWord},
    {"g-tensor-memory-access-check", "g-tmem-access-check"},
    {"generate-line-info", "lineinfo"},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check"},
    {"legacy-bar-warp-wide-behavior", ""},
    {"make-errors-visible-at-exit", ""},
    {"maxntid", "", ValueForm::kNumbers},
    {"maxrregcount", "", ValueForm::kWord},
    {"minnctapersm", "", ValueForm::kNumber},
    {"opt-level", "O", ValueForm::kNumber, "", true},
    {"optimize-float-atomics", "opt-fp-atomics"},
    {"override-directive-values", ""},
    {"position-independent-code", "pic", ValueForm::kTruth},
    {"preserve-relocs", ""},
    {"register-usage-level", "regUsageLevel", ValueForm::kNumber},
    {"return-at-end", "ret-end"},
    {"sanitize", "", ValueForm::kWord, "memcheck|threadsteer"},
    {"sp-bounds-check", ""},
    {"split-compile", "", ValueForm::kNumber},
    {"suppress-async-bulk-multicast-advisory-warning", ""},
    {"suppress-debug-info", ""},
    {"suppress-double-demote-warning", ""},
    {"suppress-sparse-mma-advisory-info", ""},
    {"suppress-stack-size-warning", ""},
    {"verbose", "v"},
    {"warn-on-double-precision-use", "warn-double-usage"},
    {"warn-on-local-memory-usage", "warn-lmem-usage"},
    {"warn-on-spills", "warn-spills"},
    {"warning-as-error", "Werror"},
};

/// Why some well-known options are refused, and what to do instead.
inline constexpr std::pair<std::string_view, std::string_view> kRefused[] = {
    {"arch", "it follows from the GPU that is tuned for"},
    {"create-pch", "it writes a file; headers at the start of a source are precompiled without it"},
    {"fdevice-time-trace", "it writes a file"},
    {"gpu-architecture", "it follows from the GPU that is tuned for"},
    {"include", "it reads a file; write the #include into the source"},
    {"optix-ir", "its result is not machine code"},
    {"options-file", "it reads a file; write the options here"},
    {"optf", "it reads a file; write the options here"},
    {"output-file", "it writes a file"},
    {"pch", "headers at the start of a source are precompiled without it"},
    {"pch-dir", "it writes files; headers at the start of a source are precompiled without it"},
    {"pre-include", "it reads a file; write the #include into the source"},
    {"time", "it writes a file"},
    {"use-pch", "it reads a file; headers at the start of a source are precompiled without it"},
};

}  // namespace warptune::kernel_templates::compiling
