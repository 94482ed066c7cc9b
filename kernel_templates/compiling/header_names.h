#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace warptune::kernel_templates::compiling {

/// The identifiers of the toolkit headers that a source includes. These headers have hundreds of thousands of
/// characters, and almost every name that is asked for occurs in the source itself or nowhere. So a name is
/// first searched as plain text. Only if it is found, the identifiers are collected. Thread-safe.
class HeaderNames {
 public:
  /// No headers.
  HeaderNames() = default;
  /// `texts` are those of the headers.
  explicit HeaderNames(std::vector<std::string> texts);

  /// Whether a header has this identifier outside of comments.
  bool contains(const std::string& name) const;
  /// All identifiers outside of comments.
  const std::unordered_set<std::string>& all() const;

 private:
  struct Headers;
  std::shared_ptr<Headers> headers_;
};

}  // namespace warptune::kernel_templates::compiling
