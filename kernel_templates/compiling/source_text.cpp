#include "kernel_templates/compiling/source_text.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace warptune::kernel_templates::compiling {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kProbe = "__has_include";

std::string newlines_of(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

// Calls `action` with each line, without its line break.
template <class Action>
void for_each_line(std::string_view text, const Action& action) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    action(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// Calls `action` with each line that has the character, without its line break.
template <class Action>
void for_each_line_with(char character, std::string_view text, const Action& action) {
  for (std::size_t at = text.find(character); at < text.size(); at = text.find(character, at)) {
    const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0.
    const std::size_t end = std::min(text.find('\n', at), text.size());
    action(text.substr(start, end - start));
    at = end;
  }
}

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool continues_identifier(char c) { return starts_identifier(c) || (c >= '0' && c <= '9'); }

// The position after the comment that begins at `at`; `at` if no comment begins there.
std::size_t skip_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) != "/*") return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

// The position after the string or character literal that begins at `at` and ends on the same line; `at` if
// there is none.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote != '"' && quote != '\'') return at;
  if (at > 0 && continues_identifier(text[at - 1]))
    return at;  // A raw string or a digit separator: its text is read as code.
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == quote) return i + 1;
    if (text[i] == '\\') ++i;
  }
  return at;
}

}  // namespace

SplitSource split_source(const std::string& text, const std::string& file) {
  const std::string marker = "/* warptune";
  std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // The byte order mark of UTF-8.
  // Only white space and line comments may precede the description.
  for (;;) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", start);
    if (first == std::string::npos) return {"", text};
    if (text.compare(first, marker.size(), marker) == 0) {
      start = first;
      break;
    }
    if (text.compare(first, 2, "//") != 0) return {"", text};
    start = text.find('\n', first);
    if (start == std::string::npos) return {"", text};
  }
  const std::size_t line_end = text.find('\n', start);
  const std::size_t end = text.find("*/", start);
  if (end == std::string::npos || line_end == std::string::npos || end < line_end) {
    const int line = 1 + static_cast<int>(std::count(
                             text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
    throw base::InputError(
        "the tuning description that '/* warptune' opens here is not closed by '*/' on a later line",
        {file, line, 1});
  }
  SplitSource split;
  split.description =
      newlines_of(std::string_view(text).substr(0, line_end)) + text.substr(line_end, end - line_end);
  split.code = newlines_of(std::string_view(text).substr(0, end)) + text.substr(end + 2);
  return split;
}

Include include_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || line[first] != '#') return {};
  line = base::trim(line.substr(first + 1));
  if (line.substr(0, 7) != "include") return {};
  line = base::trim(line.substr(7));
  if (line.empty()) return {};
  if (line.front() != '"' && line.front() != '<') return {"", false, starts_identifier(line.front())};
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return {std::string(line.substr(1, end - 1)), quoted, false};
}

std::vector<std::string> canonical_folders(const std::vector<std::string>& folders) {
  std::vector<std::string> canonical;
  canonical.reserve(folders.size());
  std::error_code ignored;
  for (const std::string& folder : folders)
    canonical.push_back(fs::weakly_canonical(folder, ignored).string());
  return canonical;
}

bool lies_in(const fs::path& path, const std::vector<std::string>& folders) {
  const std::string text = path.lexically_normal().string();
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return text.starts_with(folder) && (text.size() == folder.size() || text[folder.size()] == '/');
  });
}

namespace {

// Follows the includes of a source, file by file.
class IncludeScanner {
 public:
  IncludeScanner(const fs::path& source, const std::vector<fs::path>& folders,
                 const std::vector<std::string>& toolkit, const ReadScope* scope)
      : source_(source), folders_(folders), trusted_(canonical_folders(toolkit)), scope_(scope) {
    std::error_code ignored;
    seen_.insert(fs::canonical(source, ignored));
  }

  IncludeScan scan(const std::string& code) {
    open_ = {{source_, code}};
    while (!open_.empty()) {
      const fs::path file = open_.back().first;
      const std::string text = std::move(open_.back().second);
      open_.pop_back();
      const bool is_trusted = lies_in(file, trusted_);
      const auto read = [&](std::string_view line) { read_line(line, file, is_trusted); };
      // A directive may continue over several lines, and a `__has_include` may be in a line without `#`.
      if (text.find(kProbe) != std::string::npos) {
        for_each_line(text, read);
      } else {
        for_each_line_with('#', text, read);
      }
    }
    return std::move(scan_);
  }

 private:
  void read_line(std::string_view line, const fs::path& file, bool is_trusted) {
    Include include = include_of(line);
    const std::size_t probe = line.find(kProbe);
    const bool is_probe = probe != std::string_view::npos && include.name.empty();
    if (is_probe) {
      const std::size_t open_at = std::min(line.find('(', probe), line.size() - 1);
      include = include_of("#include " + std::string(base::trim(line.substr(open_at + 1))));
      include.computed = false;
    }
    scan_.computed = scan_.computed || (include.computed && !is_trusted);
    if (include.name.empty() || find(include, is_probe, file)) return;
    if (is_probe) {
      scan_.probes.push_back(include.name + "=");
    } else if (!is_trusted) {
      scan_.unresolved.push_back(include.name);
    }
  }

  // Looks for an included file in all folders. Returns whether it exists.
  bool find(const Include& include, bool is_probe, const fs::path& file) {
    std::vector<fs::path> candidates;
    if (include.quoted) candidates.push_back(file.parent_path() / include.name);
    candidates.push_back(source_.parent_path() / include.name);
    for (const fs::path& folder : folders_) candidates.push_back(folder / include.name);
    std::error_code ignored;
    for (const fs::path& candidate : candidates) {
      const bool is_new =
          is_probe ? !tried_.contains(candidate.string()) : tried_.insert(candidate.string()).second;
      if (!fs::is_regular_file(candidate, ignored)) {
        if (is_new) scan_.absent.push_back(candidate);
        continue;
      }
      if (is_probe) {
        scan_.probes.push_back(include.name + "=" + candidate.string());
      } else if (is_new) {
        add(candidate, file);
      }
      return true;
    }
    return false;
  }

  void add(const fs::path& candidate, const fs::path& file) {
    std::error_code ignored;
    const fs::path canonical = fs::canonical(candidate, ignored);
    if (scope_ != nullptr) scope_->require(candidate, "the include", {file.string(), 0, 0});
    if (!seen_.insert(canonical).second) return;
    scan_.files.push_back({canonical, base::read_file(canonical)});
    open_.emplace_back(canonical, scan_.files.back().text);
  }

  const fs::path& source_;
  const std::vector<fs::path>& folders_;
  std::vector<std::string> trusted_;
  const ReadScope* scope_;
  IncludeScan scan_;
  std::set<fs::path> seen_;
  std::unordered_set<std::string> tried_;  // Each path is tried once, as it is written.
  std::vector<std::pair<fs::path, std::string>> open_;
};

}  // namespace

IncludeScan scan_includes(const fs::path& source, const std::string& code,
                          const std::vector<fs::path>& folders, const std::vector<std::string>& toolkit,
                          const ReadScope* scope) {
  return IncludeScanner(source, folders, toolkit, scope).scan(code);
}

std::vector<std::string> include_closure(const fs::path& source, const std::string& code,
                                         const std::vector<fs::path>& folders, const ReadScope* scope) {
  std::vector<std::string> texts;
  for (IncludedFile& file : scan_includes(source, code, folders, {}, scope).files)
    texts.push_back(std::move(file.text));
  return texts;
}

bool add_identifiers(const std::string& text, std::unordered_set<std::string>& names) {
  bool pastes = false;
  std::string joined;  // Lines that end in a backslash are joined with the next.
  const std::string* whole = &text;
  if (text.find("\\\n") != std::string::npos) {
    for_each_line(text, [&](std::string_view line) {
      const bool continues = line.ends_with('\\');
      joined += continues ? line.substr(0, line.size() - 1) : line;
      if (!continues) joined += '\n';
    });
    whole = &joined;
  }
  const std::string_view view = *whole;
  for (std::size_t at = 0; at < view.size();) {
    const std::size_t behind = std::max(skip_comment(view, at), behind_literal(view, at));
    if (behind > at) {
      at = behind;
    } else if (starts_identifier(view[at])) {
      std::size_t end = at;
      while (end < view.size() && continues_identifier(view[end])) ++end;
      names.emplace(view.substr(at, end - at));
      at = end;
    } else if (continues_identifier(view[at])) {  // A number with its suffix.
      while (at < view.size() && continues_identifier(view[at])) ++at;
    } else {
      pastes = pastes || view.substr(at, 2) == "##";
      ++at;
    }
  }
  return pastes;
}

}  // namespace warptune::kernel_templates::compiling
