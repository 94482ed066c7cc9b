#include "db/detail/size_ratio.h"

#include <algorithm>
#include <cstddef>

namespace warptune::db::detail {

namespace {

bool is_number(const search::Value& value) {
  const search::ValueType type = search::type_of(value);
  return type == search::ValueType::kInteger || type == search::ValueType::kReal;
}

double ratio_of(const search::Value& asked, const search::Value& stored) {
  if (!is_number(asked) || !is_number(stored)) return asked == stored ? 1.0 : 0.0;
  const double a = search::to_number(asked).value_or(0.0);
  const double b = search::to_number(stored).value_or(0.0);
  if (a == b) return 1.0;
  if (!(a > 0.0) || !(b > 0.0)) return 0.0;
  return a > b ? a / b : b / a;
}

}  // namespace

double size_ratio(const search::NamedValues& asked, const search::NamedValues& stored) {
  if (asked.size() != stored.size()) return 0.0;
  search::NamedValues sorted = asked;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double product = 1.0;
  for (const auto& [name, value] : sorted) {
    const search::Value* other = search::find(stored, name);
    if (other == nullptr) return 0.0;
    product *= ratio_of(value, *other);
  }
  return product;
}

}  // namespace warptune::db::detail
