#include "kernel_templates/compiling/header_names.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::compiling {

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

}  // namespace warptune::kernel_templates::compiling
