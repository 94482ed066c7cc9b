#!/usr/bin/env python3
"""Fails on a file that uses a name of a precompiled header which neither it nor a header of this project that it includes
names: only the precompiled header would make it compile."""

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
    "fmt/format.h": r"\bfmt::format(?:_to)?\(",
    "nlohmann/json.hpp": r"\bnlohmann::(?:ordered_)?json\b",
    "gmock/gmock.h": r"\bEXPECT_THAT\(|\bMOCK_METHOD\(",
    "gtest/gtest.h": r"^TEST(?:_[FP])?\(",
}
# One header stands for another that includes it by its own documentation.
STANDS_FOR = {"gmock/gmock.h": {"gtest/gtest.h"}, "string": {"string_view"}, "fmt/ranges.h": {"fmt/format.h"},
              "tl/expected.hpp": set()}
FORWARD = {"nlohmann/json_fwd.hpp"}
DECLARED = {"nlohmann/json.hpp"}
PATTERNS = {header: re.compile(pattern, re.MULTILINE) for header, pattern in NAMES.items()}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
NO_CODE = re.compile(r'//[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


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
        for header in missing:
            yield f"{path}: uses {PATTERNS[header].search(code).group(0)} and includes <{header}> nowhere"


if __name__ == "__main__":
    run_check(find_problems)
