// Lists the names that macros, parameters, problem entries and arguments of a definition must not have.
#include "kernel_templates/definition/reserved_names.h"

#include <algorithm>
#include <array>

namespace warptune::kernel_templates::definition {

namespace {

// C++20, [lex.key] and [lex.digraph]: keywords and alternative tokens.
constexpr std::array<std::string_view, 92> kKeywords = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

// CUDA C++ Programming Guide, "Built-in Variables".
constexpr std::array<std::string_view, 5> kBuiltIn = {"gridDim", "blockIdx", "blockDim", "threadIdx",
                                                      "warpSize"};

// Macros that the compiler or warptune defines.
constexpr std::array<std::string_view, 14> kDefined = {"WARPTUNE",
                                                       "WARPTUNE_REFERENCE",
                                                       "__CUDA_ARCH__",
                                                       "__CUDACC__",
                                                       "__CUDACC_RTC__",
                                                       "__CUDACC_VER_MAJOR__",
                                                       "__CUDACC_VER_MINOR__",
                                                       "__cplusplus",
                                                       "__FILE__",
                                                       "__LINE__",
                                                       "__DATE__",
                                                       "__TIME__",
                                                       "__COUNTER__",
                                                       "defined"};

template <std::size_t kSize>
bool is_among(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<std::string> reserved_meaning(std::string_view name) {
  if (is_among(kKeywords, name)) return "a keyword of C++";
  if (is_among(kBuiltIn, name)) return "a built-in variable of CUDA";
  if (is_among(kDefined, name)) return "defined by the compiler or by warptune";
  return std::nullopt;
}

}  // namespace warptune::kernel_templates::definition
