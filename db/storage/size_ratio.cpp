#include "db/storage/size_ratio.h"

#include <algorithm>
#include <cstddef>

namespace warptune::db::storage {

namespace {

bool is_number(const model::Value& value) {
  const model::ValueType type = model::type_of(value);
  return type == model::ValueType::kInteger || type == model::ValueType::kReal;
}

double ratio_of(const model::Value& asked, const model::Value& stored) {
  if (!is_number(asked) || !is_number(stored)) return asked == stored ? 1.0 : 0.0;
  const double a = model::to_number(asked).value_or(0.0);
  const double b = model::to_number(stored).value_or(0.0);
  if (a == b) return 1.0;
  if (!(a > 0.0) || !(b > 0.0)) return 0.0;
  return a > b ? a / b : b / a;
}

}  // namespace

double size_ratio(const model::NamedValues& asked, const model::NamedValues& stored) {
  if (asked.size() != stored.size()) return 0.0;
  model::NamedValues sorted = asked;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double product = 1.0;
  for (const auto& [name, value] : sorted) {
    const model::Value* other = model::find(stored, name);
    if (other == nullptr) return 0.0;
    product *= ratio_of(value, *other);
  }
  return product;
}

}  // namespace warptune::db::storage
