// Finds the files that a definition makes the compiler read, before anything is compiled.
//
// The check follows includes through a work list of files. Every candidate path that NVRTC may try is
// checked, and the check continues in files that exist. A macro has a set of texts, because conditions are
// not evaluated and a parameter has many values. An include by a macro is followed for each text that the
// macro may have. If the text may also come from elsewhere, the include is refused. New files may define more
// macros, so the work is repeated until nothing is left.
//
// The result is an upper bound: it has every file that NVRTC can reach, and perhaps more.
#include "kernel_templates/definition/include_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/shared_library.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/definition/directives.h"
#include "model/value.h"

namespace warptune::kernel_templates::definition {

namespace fs = std::filesystem;

namespace {

// Whether the path may be another file in another process (/proc, /dev).
bool is_process_specific(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  const fs::path root = normal.relative_path().empty() ? fs::path() : *normal.relative_path().begin();
  return root == "proc" || root == "dev";
}

// Checks one source and the files that it includes.
class IncludeCheck {
 public:
  IncludeCheck(const KernelDefinition& definition, const fs::path& source)
      : definition_(definition), scope_(definition.scope), source_folder_(source.parent_path()) {
    folders_ = {definition.source.parent_path()};
    folders_.insert(folders_.end(), definition.include_folders.begin(), definition.include_folders.end());
    for (const std::string& folder : base::cuda_include_folders()) folders_.emplace_back(folder);
    for (const std::string& folder : definition.flag_folders) folders_.emplace_back(folder);
    for (const model::Parameter& parameter : definition.parameters) {
      for (const model::Value& value : parameter.values) define(parameter.name, model::to_text(value));
    }
    for (const compiling::CompilerOption& option : compiling::first_options(definition)) {
      if (option.name != "define-macro") continue;
      const std::size_t equals = std::min(option.value.find('='), option.value.size());
      define(option.value.substr(0, equals), option.value.substr(std::min(equals + 1, option.value.size())));
    }
  }

  /// Adds a file to the work list. `shown` is its name in messages.
  void add(const fs::path& path, const fs::path& shown, const std::string& text) {
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(fs::absolute(path).parent_path(), ignored);
    if (!seen_.insert(folder / path.filename()).second) return;
    File file{path, shown.string(), read_directives(text)};
    for (const MacroDefinition& macro : file.directives.macros) {
      if (macro.takes_arguments) {
        unknown_.insert(macro.name);
      } else {
        define(macro.name, macro.body);
      }
    }
    open_.push_back(std::move(file));
  }

  /// The files that were found so far, as absolute paths.
  const std::set<fs::path>& found() const { return found_; }

  void run() {
    std::vector<std::pair<std::string, std::pair<fs::path, IncludeDirective>>> computed;
    while (!open_.empty() || !computed.empty()) {
      while (!open_.empty()) {
        const File file = std::move(open_.back());
        open_.pop_back();
        for (const IncludeDirective& include : file.directives.includes) {
          if (include.name.empty()) {
            computed.push_back({file.shown, {file.path, include}});
          } else {
            follow(include, file.path, {file.shown, include.line, include.column});
          }
        }
      }
      // All macros of the known files have been read. The files that are included through them may define
      // more.
      for (const auto& [shown, one] : computed)
        follow_macros(one.second, one.first, {shown, one.second.line, one.second.column});
      if (open_.empty()) break;
    }
  }

 private:
  struct File {
    fs::path path;
    std::string shown;
    Directives directives;
  };

  void define(const std::string& name, const std::string& text) { macros_[name].insert(text); }

  void follow_macros(const IncludeDirective& include, const fs::path& file,
                     const base::SourcePosition& where) {
    std::set<std::string> visited;
    std::vector<std::string> open = {include.macros};
    while (!open.empty()) {
      const std::string text = std::move(open.back());
      open.pop_back();
      if (!visited.insert(text).second) continue;
      IncludeDirective named = include;
      if (is_header_name(text, named)) {
        follow(named, file, where);
        continue;
      }
      const auto bodies = macros_.find(text);
      const bool known = bodies != macros_.end() && !unknown_.contains(text) && !is_defined_by_table(text) &&
                         !compiling::flags_vary(definition_);
      if (known) {
        open.insert(open.end(), bodies->second.begin(), bodies->second.end());
      } else if (!include.probe) {
        throw base::InputError(fmt::format("the include '{}' is unknown before compiling; expected a quoted "
                                           "name or one in angle brackets, "
                                           "given directly or by a #define or a parameter",
                                           text),
                               where);
      }
    }
  }

  bool is_defined_by_table(const std::string& name) const {
    return std::any_of(definition_.defines.begin(), definition_.defines.end(),
                       [&](const auto& define) { return define.first == name; });
  }

  void follow(const IncludeDirective& include, const fs::path& file, const base::SourcePosition& where) {
    std::vector<fs::path> candidates;
    if (include.quoted) {
      std::error_code ignored;
      candidates.push_back(file.parent_path() / include.name);
      const fs::path real = fs::weakly_canonical(fs::absolute(file), ignored);
      if (!real.empty()) candidates.push_back(real.parent_path() / include.name);
      candidates.push_back(source_folder_ / include.name);
    }
    for (const fs::path& folder : folders_) candidates.push_back(folder / include.name);
    for (const fs::path& candidate : candidates) {
      if (reaches(candidate, include, where) && !include.next) return;
    }
  }

  // Whether `path` is the included file. If it is, the check continues in it.
  bool reaches(const fs::path& path, const IncludeDirective& include, const base::SourcePosition& where) {
    std::error_code ignored;
    const std::string_view what = include.probe ? "__has_include asks for" : "the include";
    const fs::file_status status = fs::status(path, ignored);
    if (!fs::exists(status)) {
      if (is_process_specific(path) || fs::is_symlink(fs::symlink_status(path, ignored)))
        scope_.require(path, what, where);
      return false;
    }
    if (fs::is_directory(status)) return false;
    scope_.require(path, what, where);
    if (!fs::is_regular_file(status)) return false;
    if (!scope_.is_trusted(path)) found_.insert(fs::absolute(path).lexically_normal());
    if (!include.probe && !scope_.is_trusted(path)) add(path, path, base::read_file(path));
    return true;
  }

  const KernelDefinition& definition_;
  const ReadScope& scope_;
  fs::path source_folder_;
  std::vector<fs::path> folders_;
  std::map<std::string, std::set<std::string>> macros_;  ///< All texts that each macro may have.
  std::set<std::string> unknown_;                        ///< Macros with arguments.
  std::set<fs::path> seen_;
  std::set<fs::path> found_;
  std::vector<File> open_;
};

}  // namespace

std::set<fs::path> reachable_files(const KernelDefinition& definition) {
  // Shipped definitions are trusted, as in `reaches`. A test checks them from another folder.
  if (definition.scope.is_trusted(definition.path)) return {};
  std::vector<fs::path> sources = {definition.source};
  for (const Variant& variant : definition.variants) {
    if (std::find(sources.begin(), sources.end(), variant.source) == sources.end())
      sources.push_back(variant.source);
  }
  if (definition.check.reference == ReferenceKind::kEntry && definition.check.source != definition.source)
    sources.push_back(definition.check.source);
  std::set<fs::path> all;
  for (const fs::path& source : sources) {
    all.insert(fs::absolute(source).lexically_normal());
    IncludeCheck check(definition, source);
    check.add(source, source, compiling::split_source(base::read_file(source), source.string()).code);
    check.run();
    all.insert(check.found().begin(), check.found().end());
  }
  // The generated program has all expressions in sequence: a literal may begin in one and end in the next.
  std::string expressions;
  for (const auto& [output, expression] : definition.check.expressions) expressions += expression + ");\n";
  const fs::path generated = definition.path.string() + " [check] expression";
  IncludeCheck check(definition, generated);
  check.add(generated, generated, expressions);
  check.run();
  all.insert(check.found().begin(), check.found().end());
  return all;
}

void check_includes(const KernelDefinition& definition) { reachable_files(definition); }

void check_included_files(const KernelDefinition& definition, const fs::path& source,
                          const std::vector<compiling::IncludedFile>& files) {
  IncludeCheck check(definition, source);
  for (const compiling::IncludedFile& file : files) {
    if (!definition.scope.is_trusted(file.path)) check.add(file.path, file.path, file.text);
  }
  check.run();
}

}  // namespace warptune::kernel_templates::definition
