// The names and buffers that the steps of a host program use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// The names of one configuration, with the loop's iteration as `k`, and its arguments.
class HostScope {
 public:
  /// `problem` and `arguments` are borrowed.
  HostScope(const model::NamedValues& problem, const model::NamedValues& names,
            const std::vector<ResolvedArgument>& arguments);

  const model::NamedValues& problem() const { return problem_; }
  const model::NamedValues& names() const { return names_; }
  void set_turn(std::int64_t turn) { names_.back().second = turn; }
  /// The iteration of the loop, for messages.
  std::string turn() const;

  /// The value of an expression; `otherwise` if there is no expression. Rejects a value outside of the
  /// bounds. Unless it is empty, `key` begins the reason.
  model::Outcome<std::int64_t> number(const std::optional<model::Expression>& expression,
                                      std::int64_t otherwise, std::int64_t minimum, std::int64_t maximum,
                                      std::string_view key = "") const;
  /// The position of the expression that `number` rejected last. Null if it rejected none.
  const base::SourcePosition* rejected() const { return rejected_ ? &*rejected_ : nullptr; }

  std::size_t place_of(const std::string& name) const;
  const ResolvedArgument& argument(std::size_t place) const { return arguments_[place]; }
  const ResolvedArgument& argument(const std::string& name) const { return arguments_[place_of(name)]; }
  /// The range of `count` elements of a buffer from `offset` on; all remaining ones if there is no `count`.
  /// Rejects a range that exceeds the buffer.
  model::Outcome<BufferRange> range_of(const std::string& name,
                                       const std::optional<model::Expression>& offset,
                                       const std::optional<model::Expression>& count) const;

 private:
  const model::NamedValues& problem_;
  model::NamedValues names_;  // The last name is `k`.
  const std::vector<ResolvedArgument>& arguments_;
  mutable std::optional<base::SourcePosition> rejected_;
};

std::int64_t element_bytes(const ResolvedArgument& argument);

}  // namespace warptune::kernel_templates::resolution
