#include "kernel_templates/compiling/program_text.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::compiling {

namespace fs = std::filesystem;

struct HeaderNames::Headers {
  std::vector<std::string> texts;
  std::once_flag collected;
  std::unordered_set<std::string> names;
};

HeaderNames::HeaderNames(std::vector<std::string> texts) : headers_(std::make_shared<Headers>()) {
  headers_->texts = std::move(texts);
}

bool HeaderNames::contains(const std::string& name) const {
  if (!headers_) return false;
  const bool occurs =
      std::any_of(headers_->texts.begin(), headers_->texts.end(),
                  [&](const std::string& text) { return text.find(name) != std::string::npos; });
  return occurs && all().contains(name);
}

const std::unordered_set<std::string>& HeaderNames::all() const {
  static const std::unordered_set<std::string> none;
  if (!headers_) return none;
  std::call_once(headers_->collected, [this] {
    for (const std::string& text : headers_->texts) add_identifiers(text, headers_->names);
  });
  return headers_->names;
}

namespace {

// Whether NVRTC finds `<name>` in the toolkit. The first folder that has the file decides.
bool is_of_toolkit(const std::string& name, const std::vector<fs::path>& folders,
                   const std::vector<std::string>& toolkit) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / name, ignored)) return lies_in(folder, toolkit);
  }
  return false;
}

// The text of `line` without comments. `inside` says whether a block comment is open; it is updated.
std::string without_comments(std::string_view line, bool& inside) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (inside) {
      if (line.substr(at, 2) != "*/") continue;
      inside = false;
      ++at;
    } else if (line.substr(at, 2) == "//") {
      break;
    } else if (line.substr(at, 2) == "/*") {
      inside = true;
      ++at;
    } else {
      text += line[at];
    }
  }
  return std::string(base::trim(text));
}

// The number of bytes up to the end of the toolkit headers at the beginning of `code`; 0 if there are none.
std::size_t end_of_headers(const std::string& code, const std::vector<fs::path>& folders,
                           const std::vector<std::string>& toolkit) {
  std::size_t end = 0;
  bool in_comment = false;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t line_end = std::min(code.find('\n', at), code.size());
    const std::string line = without_comments(std::string_view(code).substr(at, line_end - at), in_comment);
    at = line_end + 1;
    if (line.empty()) continue;
    if (line.ends_with('\\')) break;
    const Include include = include_of(line);
    const bool header =
        !include.name.empty() && !include.quoted && is_of_toolkit(include.name, folders, toolkit);
    if (header && !in_comment && at <= code.size()) {
      end = at;
    } else if (header || line.front() != '#' || !base::trim(line.substr(1)).starts_with("pragma")) {
      break;
    }
  }
  return end;
}

bool reaches_core_libraries(const IncludeScan& scan) {
  return std::any_of(scan.files.begin(), scan.files.end(), [](const IncludedFile& file) {
    return file.path.string().find("/cuda/std/") != std::string::npos;
  });
}

// Moves the files that do not belong to the toolkit to `text.files`. Returns the texts of the other files.
std::vector<std::string> keep_own_files(IncludeScan scan, const std::vector<std::string>& toolkit,
                                        ProgramText& text) {
  const std::vector<std::string> canonical = canonical_folders(toolkit);
  std::vector<std::string> of_toolkit;
  for (IncludedFile& file : scan.files) {
    if (lies_in(file.path, canonical)) {
      of_toolkit.push_back(std::move(file.text));
    } else {
      text.files.push_back(std::move(file));
    }
  }
  return of_toolkit;
}

}  // namespace

namespace {

// Whether a word can be a name of the runtime API or a macro beside it. `cuda_fp16` and the like, which occur
// in includes, cannot.
bool names_runtime(const std::string& word) {
  constexpr std::string_view kPrefix = "cuda";
  const bool is_call = word.starts_with(kPrefix) && word.size() > kPrefix.size() &&
                       word[kPrefix.size()] >= 'A' && word[kPrefix.size()] <= 'Z';
  return is_call || word.starts_with("CUDA") || word.starts_with("__CUDACC_RTC_MINIMAL") ||
         word.starts_with("__CUDA_RUNTIME") || word.starts_with("__DRIVER_TYPES");
}

// Completes a text of which only `code` and `adapted` are set. The arguments are those of
// `read_program_text`.
ProgramText completed(ProgramText text, const fs::path& source, const std::vector<fs::path>& folders,
                      const std::vector<std::string>& toolkit, const ReadScope* scope) {
  std::vector<fs::path> searched = {source.parent_path()};
  searched.insert(searched.end(), folders.begin(), folders.end());
  if (const std::size_t end = end_of_headers(text.code, searched, toolkit); end > 0) {
    const std::string headers = text.code.substr(0, end);
    IncludeScan of_headers = scan_includes(source, headers, folders, toolkit, scope);
    if (reaches_core_libraries(of_headers)) {
      keep_own_files(std::move(of_headers), toolkit, text);
      text.headers = headers;
      text.code.erase(0, end);
      text.code_line = 1 + static_cast<int>(std::count(headers.begin(), headers.end(), '\n'));
      text.reaches_core_libraries = true;
    }
  }
  IncludeScan scan = scan_includes(source, text.code, folders, toolkit, scope);
  text.reaches_core_libraries = text.reaches_core_libraries || reaches_core_libraries(scan);
  text.may_form_any_name = scan.computed || !scan.unresolved.empty();
  if (add_identifiers(text.code, text.own_names)) text.may_form_any_name = true;
  const std::size_t before = text.files.size();
  text.header_names = HeaderNames(keep_own_files(std::move(scan), toolkit, text));
  for (std::size_t i = before; i < text.files.size(); ++i) {
    if (add_identifiers(text.files[i].text, text.own_names)) text.may_form_any_name = true;
  }
  text.omits_runtime_names =
      !text.may_form_any_name && std::none_of(text.own_names.begin(), text.own_names.end(), names_runtime);
  return text;
}

}  // namespace

ProgramText read_program_text(const fs::path& source, const std::vector<fs::path>& folders,
                              const std::vector<std::string>& toolkit, const ReadScope* scope,
                              const adapting::SourceSettings* settings) {
  ProgramText text;
  text.code = split_source(base::read_file(source), source.string()).code;
  if (settings == nullptr || !adapting::needs_adapting(source, text.code, *settings, scope))
    return completed(std::move(text), source, folders, toolkit, scope);
  text.adapted = true;
  text.code = adapting::adapted(source, text.code, *settings, scope);
  const std::vector<std::string> cuda_folders = with_stand_ins(toolkit);
  std::vector<fs::path> searched;
  for (const fs::path& folder : folders) {
    if (!base::contains(toolkit, folder.string())) searched.push_back(folder);
  }
  searched.insert(searched.end(), cuda_folders.begin(), cuda_folders.end());
  return completed(std::move(text), source, searched, cuda_folders, scope);
}

std::vector<std::string> with_stand_ins(const std::vector<std::string>& toolkit) {
  std::vector<std::string> folders = {adapting::stand_in_folder().string()};
  folders.insert(folders.end(), toolkit.begin(), toolkit.end());
  return folders;
}

const ProgramText& ProgramTexts::of(const fs::path& source, const std::vector<fs::path>& folders,
                                    const std::vector<std::string>& toolkit, const ReadScope& scope,
                                    const Check& check, const adapting::SourceSettings* settings) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = texts_.find(source);
  if (found != texts_.end()) return found->second;
  ProgramText text = read_program_text(source, folders, toolkit, &scope, settings);
  check(text);
  return texts_.emplace(source, std::move(text)).first->second;
}

}  // namespace warptune::kernel_templates::compiling
