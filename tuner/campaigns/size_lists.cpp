#include "tuner/campaigns/size_lists.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "model/size_text.h"

namespace warptune::tuner::campaigns {

using kernel_templates::definition::kind_of;
using kernel_templates::definition::position_of;
using kernel_templates::definition::scalar_of;
using kernel_templates::definition::TableReader;

namespace {

constexpr std::string_view kRangeForm = "'64..8192 log2' or '64..8192 step 64'";

base::InputError too_many(std::size_t limit, const base::SourcePosition& where) {
  return base::InputError(
      fmt::format("there are more than {} tasks; write several campaigns, or fewer sizes", limit), where);
}

// A positive integer, which may have a suffix such as `8k`.
std::optional<std::int64_t> size_of(std::string_view text) {
  if (const std::optional<std::int64_t> size = model::parse_size(text)) return size;
  const std::optional<model::Value> value = model::parse_value(text, model::ValueType::kInteger);
  if (!value) return std::nullopt;
  return std::get<std::int64_t>(*value);
}

// Texts that look like sizes, but are none. What else is wrong is found where the definition is known.
void require_plain_text(const std::string& text, const std::string& name, const base::SourcePosition& where) {
  const std::string_view inner = base::trim(text);
  if (inner.empty())
    throw base::InputError(fmt::format("{} has an empty text, expected a value such as 8192", name), where);
  if (inner.size() < text.size() && text.find("..") == std::string::npos)
    throw base::InputError(
        fmt::format("{} has the text '{}', which begins or ends with a blank; write '{}'", name, text, inner),
        where);
  const bool is_digits = inner.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_digits && !size_of(inner))
    throw base::InputError(
        fmt::format("{} has the size {}, and the largest is 9223372036854775807", name, inner), where);
}

// The values that a node lists: those of an array or of a range, or the value itself.
std::vector<model::Value> values_of(const toml::node& node, const std::string& name, const std::string& file,
                                    std::size_t limit) {
  const base::SourcePosition where = position_of(node, file);
  std::vector<model::Value> values;
  const auto add = [&](const toml::node& one) {
    const std::optional<model::Value> value = scalar_of(one);
    if (!value) {
      throw base::InputError(fmt::format("{} is {}, expected a value, a list of values or a range such as {}",
                                         name, kind_of(one), kRangeForm),
                             position_of(one, file));
    }
    const auto* text = std::get_if<std::string>(&*value);
    if (text != nullptr) require_plain_text(*text, name, position_of(one, file));
    if (text == nullptr || text->find("..") == std::string::npos) return values.push_back(*value);
    for (model::Value& each : range_values(*text, limit, position_of(one, file)))
      values.push_back(std::move(each));
  };
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& one : *list) add(one);
  } else {
    add(node);
  }
  if (values.empty()) throw base::InputError(fmt::format("{} has no value", name), where);
  if (values.size() > limit) throw too_many(limit, where);
  return values;
}

// All combinations of the values that a table lists. The last name changes fastest.
void add_combinations(const TableReader& table, std::size_t limit, std::vector<ListedSizes>& all) {
  std::vector<ListedSizes> combined = {{{}, table.position()}};
  for (const auto& [name, node] : table.entries()) {
    const std::vector<model::Value> values = values_of(*node, table.name_of(name), table.file(), limit);
    if (combined.size() * values.size() > limit) throw too_many(limit, table.position());
    std::vector<ListedSizes> longer;
    for (const ListedSizes& one : combined) {
      for (const model::Value& value : values) {
        longer.push_back(one);
        longer.back().sizes.emplace_back(name, value);
      }
    }
    combined = std::move(longer);
  }
  if (all.size() + combined.size() > limit) throw too_many(limit, table.position());
  all.insert(all.end(), combined.begin(), combined.end());
}

}  // namespace

std::vector<model::Value> range_values(std::string_view text, std::size_t limit,
                                       const base::SourcePosition& where) {
  const auto fail = [&](std::string_view why) {
    return base::InputError(fmt::format("the range '{}' {}; expected {}", text, why, kRangeForm), where);
  };
  std::vector<std::string> words;
  for (std::string& word : base::split(text, ' '))
    if (!word.empty()) words.push_back(std::move(word));
  const std::size_t dots = words.front().find("..");
  if (dots == std::string::npos) throw fail("does not begin with its limits");
  const std::optional<std::int64_t> first = size_of(std::string_view(words.front()).substr(0, dots));
  const std::optional<std::int64_t> last = size_of(std::string_view(words.front()).substr(dots + 2));
  if (!first || !last) throw fail("has limits that are not integers below 2^63");
  if (*first <= 0 || *last < *first) throw fail("is empty or does not begin above 0");
  const bool doubles = words.size() == 2 && words[1] == "log2";
  std::int64_t step = 0;
  if (!doubles) {
    if (words.size() != 3 || words[1] != "step") throw fail("does not say how it continues");
    step = size_of(words[2]).value_or(0);
    if (step <= 0) throw fail("has a step that is not a positive integer");
  }
  std::vector<model::Value> values;
  for (std::int64_t at = *first;;) {
    if (values.size() == limit) throw too_many(limit, where);
    values.emplace_back(at);
    const std::int64_t distance = doubles ? at : step;
    if (distance > *last - at) return values;
    at += distance;
  }
}

std::vector<ListedSizes> read_sizes(const TableReader& table, std::string_view key, std::size_t limit) {
  const toml::node* node = table.node(key);
  if (node == nullptr) return {{{}, table.position()}};
  std::vector<ListedSizes> all;
  if (node->is_table()) {
    add_combinations(table.table(key), limit, all);
    return all;
  }
  const toml::array* list = node->as_array();
  if (list == nullptr || list->empty())
    table.fail(key, "a table of sizes such as { M = [1024, 2048], N = 512 }, or a list of such tables");
  for (const toml::node& one : *list) {
    if (!one.is_table()) {
      throw base::InputError(fmt::format("an entry of {} is {}, expected a table such as {{ M = 1024 }}",
                                         table.name_of(key), kind_of(one)),
                             position_of(one, table.file()));
    }
    add_combinations({one.as_table(), table.name_of(key), table.file()}, limit, all);
  }
  return all;
}

}  // namespace warptune::tuner::campaigns
