#include "tuner/drafting/draft_session.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/definition/data_file.h"
#include "survey/captures/capture_file.h"
#include "tuner/drafting/captured_definition.h"

namespace warptune::tuner::drafting {

namespace {

constexpr double kMib = 0x1p20;

void require_within(const CapturedDefinition& definition, std::uint64_t limit_mib) {
  const double found = static_cast<double>(definition.contents_bytes()) / kMib;
  if (found <= static_cast<double>(limit_mib)) return;
  throw base::InputError(
      fmt::format("the contents of the buffers have {:.1f} MiB, expected at most {}; raise --data-limit, or "
                  "capture a launch "
                  "with smaller buffers",
                  found, limit_mib));
}

// A folder that is removed unless it is kept.
class NewFolder {
 public:
  explicit NewFolder(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    if (std::filesystem::create_directory(path, error)) return;
    if (!error)
      throw base::InputError(
          "the folder for the contents exists already; remove it, or name another "
          "definition with --output",
          {path.string(), 0, 0});
    throw base::MachineError(fmt::format("the folder {} cannot be made: {}", path.string(), error.message()),
                             "choose another place with --output");
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace

Draft write_draft(const DraftRequest& request) {
  const profiling::captures::CapturedLaunch launch = survey::captures::read_capture(request.capture);
  Draft draft;
  draft.folder = std::filesystem::path(request.output).replace_extension(".data");
  CapturedDefinition definition =
      captured_definition(request.source, request.entry, launch, draft.folder.filename().string());
  require_within(definition, request.limit_mib);
  draft.files = definition.files.size();
  draft.bytes = definition.contents_bytes();
  draft.notes = std::move(definition.notes);
  std::optional<NewFolder> folder;
  if (draft.files > 0) folder.emplace(draft.folder);
  for (const ContentsFile& file : definition.files) {
    base::write_file_atomically(draft.folder / file.name,
                                kernel_templates::definition::npy_text(file.type, file.elements));
  }
  base::write_file_atomically(request.output, definition.text);
  if (folder) folder->keep();
  return draft;
}

}  // namespace warptune::tuner::drafting
