#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "model/space.h"

// Short forms for tests.
namespace warptune::model {

inline Parameter integers(std::string name, const std::vector<std::int64_t>& values) {
  Parameter parameter;
  parameter.name = std::move(name);
  for (const std::int64_t value : values) parameter.values.emplace_back(value);
  return parameter;
}

inline Parameter one_to(std::string name, std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value <= last; ++value) values.push_back(value);
  return integers(std::move(name), values);
}

inline std::vector<Constraint> constraints(const std::vector<std::string>& texts) {
  std::vector<Constraint> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back({Expression::parse(text), ""});
  return all;
}

}  // namespace warptune::model
