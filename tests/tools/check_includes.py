#!/usr/bin/env python3
"""Fails when a file uses a name without including the header that declares it.

Such a file compiles only because of the precompiled header. The include may be in the file or in a header of this project that it
includes. In headers, every name of the standard library is checked, because the check that compiles each header alone takes all headers
of this library for one (tests/tools/headers/headers_alone.py)."""

import functools
import os
import re

from repository import MODULES, files, lines, run_check

NAMES = {
    "array": r"std::array<",
    "chrono": r"std::chrono::",
    "cmath": r"std::(?:sqrt|exp|log2?|pow|floor|ceil|isnan|isfinite|isinf|l?l?round|fabs|fma|hypot|erfc?|log1p|expm1)\(",
    "filesystem": r"std::filesystem::",
    "functional": r"std::function<",
    "limits": r"std::numeric_limits<",
    "map": r"std::(?:multi)?map<",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)<",
    "numeric": r"std::(?:iota|accumulate|inner_product|partial_sum|gcd|lcm|reduce)\(",
    "optional": r"std::(?:optional<|nullopt\b)",
    "set": r"std::(?:multi)?set<",
    "span": r"std::span<",
    "string": r"std::(?:string\b|to_string\()",
    "string_view": r"std::string_view\b",
    "tuple": r"std::(?:tuple<|tie\(|make_tuple\()",
    "unordered_map": r"std::unordered_map<",
    "variant": r"std::(?:variant<|visit\(|get_if<|holds_alternative<|monostate\b)",
    "vector": r"std::vector<",
    "algorithm": r"std::(?:(?:stable_|partial_)?sort|(?:find|any|all|none)_(?:if|of|if_not)|(?:min|max)_element|transform|copy_if|"
                 r"remove_if|(?:lower|upper)_bound|nth_element|count_if|binary_search|stable_partition|is_sorted)\(",
    "fmt/format.h": r"\bfmt::(?:format(?:_to|_string)?|print)\b",
    "tl/expected.hpp": r"\btl::(?:un)?expected\b",
    "nlohmann/json.hpp": r"\bnlohmann::(?:ordered_)?json\b",
    "gmock/gmock.h": r"\bEXPECT_THAT\(|\bMOCK_METHOD\(",
    "gtest/gtest.h": r"^TEST(?:_[FP])?\(",
}
# The names of the standard library that headers of this project use, by the header that declares them.
STANDARD = {
    "algorithm": "all_of any_of clamp copy count count_if equal fill find find_if lower_bound max max_element min min_element "
                 "none_of partial_sort remove_if reverse sort stable_sort transform unique upper_bound",
    "array": "array", "atomic": "atomic memory_order_acquire", "chrono": "chrono", "deque": "deque", "filesystem": "filesystem", "fstream": "ofstream ifstream",
    "cctype": "isalnum isdigit isspace tolower toupper",
    "cmath": "abs ceil erfc exp fabs floor fma frexp isfinite isinf isnan ldexp log log2 nearbyint pow signbit sqrt tanh",
    "concepts": "integral same_as",
    "condition_variable": "condition_variable",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "cstdio": "fclose ferror fflush fopen fprintf fputs fwrite printf snprintf FILE",
    "cstdlib": "abort atoll exit free getenv malloc",
    "cstring": "memcmp memcpy memset strcmp strlen strncmp",
    "exception": "current_exception exception exception_ptr rethrow_exception",
    "functional": "function hash less reference_wrapper",
    "future": "async future launch promise",
    "initializer_list": "initializer_list",
    "ios": "ios", "iterator": "back_inserter next prev", "limits": "numeric_limits", "list": "list", "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex scoped_lock unique_lock",
    "numeric": "accumulate gcd iota lcm reduce",
    "optional": "make_optional nullopt optional", "ostream": "ostream", "random": "mt19937 mt19937_64", "set": "multiset set",
    "span": "span", "sstream": "istringstream ostringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "string": "stod stoi string to_string", "string_view": "string_view", "system_error": "error_code system_error",
    "thread": "thread this_thread", "tuple": "make_tuple tie tuple",
    "type_traits": "is_trivially_copyable_v conditional_t decay_t enable_if_t is_arithmetic_v is_const_v is_enum_v is_integral_v is_pointer_v is_same_v remove_const_t remove_cvref_t "
                   "remove_pointer_t remove_reference_t underlying_type_t",
    "unordered_map": "unordered_map unordered_multimap", "unordered_set": "unordered_multiset unordered_set",
    "utility": "exchange forward in_range move pair swap",
    "variant": "get_if holds_alternative monostate variant visit", "vector": "erase_if vector",
}
# Further headers whose names these headers declare, too, according to the standard.
ALSO = {"string": {"string_view", "initializer_list"}, "vector": {"initializer_list"}, "map": {"initializer_list"},
        "set": {"initializer_list"}, "sstream": {"ostream", "ios", "string"}, "fstream": {"ostream", "ios"}, "ostream": {"ios"},
        "unordered_map": {"initializer_list"}, "deque": {"initializer_list"}, "utility": {"initializer_list"}}
OWNERS = {name: header for header, names in STANDARD.items() for name in names.split()}
STANDARD_NAME = re.compile(r"\bstd::(\w+)")
# An include of the first header counts as an include of the others, because its documentation says that it includes them.
STANDS_FOR = {"gmock/gmock.h": {"gtest/gtest.h"}, "string": {"string_view"}, "fmt/ranges.h": {"fmt/format.h"}}
FORWARD = {"nlohmann/json_fwd.hpp"}
DECLARED = {"nlohmann/json.hpp"}
PATTERNS = {header: re.compile(pattern, re.MULTILINE) for header, pattern in NAMES.items()}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
NO_CODE = re.compile(r'//[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def unowned(path, code, named):
    """Names of the standard library in a header's code that none of the headers `named` declares."""
    declared = named.union(*(ALSO.get(header, ()) for header in named))
    for name in sorted(set(STANDARD_NAME.findall(code))):
        owner = OWNERS.get(name)
        if owner is None:
            yield f"{path}: no table of this check says which header declares std::{name}: add it to STANDARD"
        elif owner not in declared:
            yield f"{path}: uses std::{name} and includes <{owner}> nowhere"


def find_problems(root):
    texts = {str(path): "\n".join(lines(root, path)) for path in files(root, ".h", ".cpp")
             if path.parts[0] in (*MODULES, "tests", "bench")}

    @functools.lru_cache(None)
    def included(name):
        """Every header of a library that `name` includes, itself or through headers of the project."""
        found, pending, seen = set(), [name], set()
        while pending:
            path = pending.pop()
            if path in seen:
                continue
            seen.add(path)
            for _, header in INCLUDE.findall(texts[path]):
                if header in texts:
                    pending.append(header)
                elif (beside := os.path.normpath(os.path.join(os.path.dirname(path), header))) in texts:
                    pending.append(beside)
                else:
                    found |= {header, *STANDS_FOR.get(header, ())}
        return found

    for path, text in texts.items():
        code = NO_CODE.sub("", text)
        # A header may name types that its callers define; a source that only declares them would not compile.
        named = included(path) | (DECLARED if path.endswith(".h") and FORWARD & included(path) else set())
        missing = sorted(header for header, pattern in PATTERNS.items() if header not in named and pattern.search(code))
        if path.endswith(".h"):
            yield from unowned(path, code, named)
        for header in missing:
            yield f"{path}: uses {PATTERNS[header].search(code).group(0)} and includes <{header}> nowhere"


if __name__ == "__main__":
    run_check(find_problems)
