#include "kernel_templates/adapting/adapted_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/adapting/declared_words.h"
#include "kernel_templates/adapting/host_code.h"
#include "kernel_templates/adapting/source_tokens.h"

namespace warptune::kernel_templates::adapting {

namespace fs = std::filesystem;

namespace {

struct IncludeName {
  std::string name;
  bool quoted = false;
};

std::optional<IncludeName> include_name(const Directive& directive) {
  if (directive.name != "include" || directive.rest.size() < 3) return std::nullopt;
  const bool quoted = directive.rest.front() == '"';
  if (!quoted && directive.rest.front() != '<') return std::nullopt;
  const std::size_t end = directive.rest.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return IncludeName{std::string(directive.rest.substr(1, end - 1)), quoted};
}

bool has_stand_in(const std::string& name) {
  std::error_code ignored;
  return fs::path(name).is_relative() && name.find("..") == std::string::npos &&
         fs::is_regular_file(stand_in_folder() / name, ignored);
}

struct SourceFile {
  fs::path path;
  std::string text;
  SourceTokens tokens;
  /// For the index of each `#include` of an author's file: that file's key in `Sources::files_`.
  std::map<std::size_t, std::string> includes;
  bool needs_stand_in = false;
  bool once = false;     ///< `#pragma once`.
  bool guarded = false;  ///< It has an include guard.
};

// A source and the files of its author that it includes.
class Sources {
 public:
  Sources(const fs::path& source, const std::string& code, const SourceSettings& settings,
          const ReadScope* scope)
      : source_(source), settings_(settings), scope_(scope) {
    add("", source, code);
    std::vector<const SourceTokens*> all;
    for (const auto& [key, file] : files_) all.push_back(&file->tokens);
    if (!settings.keeps_host_code) device_words_ = device_words(all);
  }

  bool need_adapting() const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
      if (file.second->needs_stand_in) return true;
      const std::vector<HostCode> found = host_code(*file.second);
      return std::any_of(found.begin(), found.end(),
                         [](const HostCode& code) { return code.surely_refused; });
    });
  }

  std::string joined() const {
    Progress progress;
    return joined(*files_.at(""), progress, 0, true);
  }

 private:
  struct Progress {
    std::set<std::string> read;  ///< Files that NVRTC has surely read and would not read again.
    std::size_t bytes = 0;
  };

  void add(const std::string& key, const fs::path& path, std::string text) {
    auto& file = files_.emplace(key, std::make_unique<SourceFile>()).first->second;
    file->path = path;
    file->text = std::move(text);
    file->tokens = read_tokens(file->text);
    if (!key.empty()) blank_once(*file);
    file->guarded = has_guard(file->tokens.directives);
    for (std::size_t i = 0; i < file->tokens.directives.size(); ++i) {
      const Directive& directive = file->tokens.directives[i];
      const std::optional<IncludeName> include = include_name(directive);
      if (!include) continue;
      const std::optional<fs::path> found = find(*include, path);
      if (!found) {
        if (directive.surely_active && has_stand_in(include->name)) file->needs_stand_in = true;
        continue;
      }
      std::error_code ignored;
      const std::string found_key = fs::weakly_canonical(*found, ignored).string();
      file->includes.emplace(i, found_key);
      if (files_.contains(found_key)) continue;
      if (scope_ != nullptr) scope_->require(*found, "the include", {path.string(), 0, 0});
      add(found_key, *found, base::read_file(*found));
    }
  }

  // `#pragma once` has no effect in a text that is inserted into another file. `guard_of` replaces it.
  static void blank_once(SourceFile& file) {
    for (const Directive& directive : file.tokens.directives) {
      if (directive.name != "pragma" || directive.rest != "once") continue;
      file.once = true;
      std::fill(file.text.begin() + static_cast<std::ptrdiff_t>(directive.begin),
                file.text.begin() + static_cast<std::ptrdiff_t>(directive.end), ' ');
    }
  }

  static bool has_guard(const std::vector<Directive>& directives) {
    return directives.size() >= 3 && directives[0].name == "ifndef" && directives[1].name == "define" &&
           directives[1].rest.starts_with(directives[0].rest) && directives[0].tokens == 0 &&
           directives.back().name == "endif" && directives[1].surely_active;
  }

  // Finds an include among the author's files, as NVRTC does.
  std::optional<fs::path> find(const IncludeName& include, const fs::path& file) const {
    std::vector<fs::path> folders;
    if (include.quoted) folders.push_back(file.parent_path());
    folders.push_back(source_.parent_path());
    folders.insert(folders.end(), settings_.folders.begin(), settings_.folders.end());
    std::error_code ignored;
    for (const fs::path& folder : folders) {
      if (fs::is_regular_file(folder / include.name, ignored)) return folder / include.name;
    }
    return std::nullopt;
  }

  std::vector<HostCode> host_code(const SourceFile& file) const {
    return settings_.keeps_host_code ? std::vector<HostCode>() : find_host_code(file.tokens, device_words_);
  }

  // The file with its includes replaced by the files. `active` says whether NVRTC surely reads it.
  std::string joined(const SourceFile& file, Progress& progress, int depth, bool active) const {
    constexpr int kMaxDepth = 32;  // A file may include itself.
    constexpr std::size_t kMaxBytes = std::size_t{32} << 20;
    progress.bytes += file.text.size();
    if (progress.bytes > kMaxBytes) {
      throw base::InputError(fmt::format("the source and its headers have more than {} MiB", kMaxBytes >> 20),
                             {file.path.string(), 0, 0});
    }
    const std::string code = without_host_code(file.text, file.tokens, host_code(file));
    std::string text;
    std::size_t at = 0;
    for (const auto& [index, key] : file.includes) {
      const Directive& directive = file.tokens.directives[index];
      // A directive within host code is blank now.
      if (depth == kMaxDepth || code.substr(directive.begin, 1) != "#") continue;
      const SourceFile& included = *files_.at(key);
      text += code.substr(at, directive.begin - at);
      at = directive.end;
      if (progress.read.contains(key)) continue;
      const bool surely = active && directive.surely_active;
      if (surely && (included.once || included.guarded)) progress.read.insert(key);
      const auto line =
          1 + std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(directive.end), '\n');
      text += fmt::format("{}#line 1 \"{}\"\n{}\n{}#line {} \"{}\"", guard_of(included, key),
                          quoted(included.path), joined(included, progress, depth + 1, surely),
                          included.once ? "#endif\n" : "", line + 1, quoted(file.path));
    }
    return text + code.substr(at);
  }

  // The beginning of an include guard that replaces `#pragma once`.
  std::string guard_of(const SourceFile& file, const std::string& key) const {
    if (!file.once) return "";
    const auto number = std::distance(files_.begin(), files_.find(key));
    return fmt::format("#ifndef WARPTUNE_INCLUDED_{0}\n#define WARPTUNE_INCLUDED_{0}\n", number);
  }

  static std::string quoted(const fs::path& path) {
    std::string text = path.string();
    for (std::size_t at = 0; (at = text.find_first_of("\\\"", at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\\');
    return text;
  }

  const fs::path& source_;
  const SourceSettings& settings_;
  const ReadScope* scope_;
  std::map<std::string, std::unique_ptr<SourceFile>> files_;
  DeviceWords device_words_;
};

}  // namespace

bool needs_adapting(const fs::path& source, const std::string& code, const SourceSettings& settings,
                    const ReadScope* scope) {
  return Sources(source, code, settings, scope).need_adapting();
}

std::string adapted(const fs::path& source, const std::string& code, const SourceSettings& settings,
                    const ReadScope* scope) {
  return Sources(source, code, settings, scope).joined();
}

fs::path stand_in_folder() { return base::share_folder() / "stand_ins"; }

}  // namespace warptune::kernel_templates::adapting
