// Makes the program of one configuration, so that compiles can be shared and are fast.
//
// Two things are done. First, a macro is defined only if the program uses its name, directly or through the
// text of another such macro. This is a fixed point over the identifiers of all texts. A name that does not
// occur cannot change the program; if a text pastes tokens, all macros are kept. Configurations that differ
// only in launch parameters are then the same program. Second, if the source begins with expensive headers,
// macros become `#define` lines after them. The headers are then the same text for all configurations, so
// NVRTC can reuse the precompiled ones. `#line` keeps the line numbers of messages.
#include "kernel_templates/compiling/program_rendering.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::compiling {

namespace {

using Macros = std::vector<std::pair<std::string, std::string>>;

// The macros that can change the program. The program's text, its entries or its flags use them, or the text
// of another such macro does.
Macros mentioned_macros(const Macros& macros, const CompileRequest& request, const ProgramText& text,
                        const ProgramOptions& options) {
  std::unordered_set<std::string> further;
  for (const std::string& entry : request.entries) add_identifiers(entry, further);
  for (const auto* list : {&options.fixed, &options.flags}) {
    for (const std::string& option : *list) {
      const std::size_t value = option.starts_with("-D") ? option.find('=') : std::string::npos;
      if (value != std::string::npos) add_identifiers(option.substr(value), further);
    }
  }
  std::vector<bool> taken(macros.size(), false);
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < macros.size(); ++i) {
      const auto& [name, value] = macros[i];
      if (taken[i] || !(text.mentions(name) || further.contains(name))) continue;
      taken[i] = true;
      grows = true;
      add_identifiers(value, further);
    }
  }
  Macros mentioned;
  for (std::size_t i = 0; i < macros.size(); ++i) {
    if (taken[i]) mentioned.push_back(macros[i]);
  }
  return mentioned;
}

// A limit of the metaprogramming in CUDA's C++ core libraries. The lower value halves the time for compiling
// their headers and changes nothing else. A value of the definition has precedence.
constexpr const char* kUnrollLimit = "_CCCL_META_UNROLL_LIMIT";

bool may_limit_unrolling(const ProgramText& text, const ProgramOptions& options) {
  if (!text.reaches_core_libraries || text.own_names.contains(kUnrollLimit)) return false;
  const auto names_it = [](const std::string& word) { return word.find(kUnrollLimit) != std::string::npos; };
  return std::none_of(options.flags.begin(), options.flags.end(), names_it) &&
         std::none_of(options.macros.begin(), options.macros.end(),
                      [](const auto& macro) { return macro.first == kUnrollLimit; });
}

}  // namespace

void render_program(CompileRequest& request, const ProgramText& text, const ProgramOptions& options) {
  request.options = options.fixed;
  if (may_limit_unrolling(text, options)) request.options.push_back(fmt::format("-D{}=8", kUnrollLimit));
  const Macros macros = mentioned_macros(options.macros, request, text, options);
  if (text.headers.empty()) {
    for (const auto& [name, value] : macros) request.options.push_back(fmt::format("-D{}={}", name, value));
    request.source = text.code;
  } else {
    std::string file = request.program_name;
    for (std::size_t at = 0; (at = file.find_first_of("\\\"", at)) != std::string::npos; at += 2)
      file.insert(at, 1, '\\');
    request.source = text.headers + "#pragma nv_hdrstop\n";
    for (const auto& [name, value] : macros) request.source += fmt::format("#define {} {}\n", name, value);
    request.source += fmt::format("#line {} \"{}\"\n", text.code_line, file) + text.code;
    request.options.emplace_back("-pch");
  }
  request.options.insert(request.options.end(), options.flags.begin(), options.flags.end());
  request.may_omit_declarations = text.omits_runtime_names;
}

}  // namespace warptune::kernel_templates::compiling
