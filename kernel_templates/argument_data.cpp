// Generates the initial contents of buffers.
//
// Every random element is a function of its index: SplitMix64 (Steele, Lea and Flood 2014) of the key plus
// the index. The key combines the run's seed and the argument's seed. Elements can therefore be computed in
// any order by any number of threads, and the contents are always the same. Normal variates come from pairs
// of uniform ones (Box and Muller 1958).
#include "kernel_templates/argument_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <numbers>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "kernel_templates/definition/data_file.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/number_formats.h"

namespace warptune::kernel_templates {

namespace {

// Calls `visit` with a value of the C++ type that represents an element on the host. f16 and bf16 are
// represented by their bits.
template <class Visit>
void with_type(DataType type, Visit visit) {
  switch (type) {
    case DataType::kF64:
      return visit(double{});
    case DataType::kF32:
      return visit(float{});
    case DataType::kI8:
      return visit(std::int8_t{});
    case DataType::kI16:
      return visit(std::int16_t{});
    case DataType::kI32:
      return visit(std::int32_t{});
    case DataType::kI64:
      return visit(std::int64_t{});
    case DataType::kU8:
      return visit(std::uint8_t{});
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kU16:
      return visit(std::uint16_t{});
    case DataType::kU32:
      return visit(std::uint32_t{});
    case DataType::kU64:
      return visit(std::uint64_t{});
  }
}

template <class T>
T converted(DataType type, double value) {
  if (type == DataType::kF16) return static_cast<T>(resolution::to_f16_bits(static_cast<float>(value)));
  if (type == DataType::kBf16) return static_cast<T>(resolution::to_bf16_bits(static_cast<float>(value)));
  if constexpr (std::is_integral_v<T>) {
    const double low = static_cast<double>(std::numeric_limits<T>::lowest());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    if (!(value > low)) return std::numeric_limits<T>::lowest();
    if (value >= high) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

// A number in [0, 1).
double unit_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// The `i`-th value of an initialiser. It depends on the index alone, so that any number of threads gives the
// same data.
double generated(const Initialiser& init, bool integers, std::uint64_t key, std::uint64_t i) {
  const std::uint64_t bits = base::split_mix64(key + i);
  switch (init.kind) {
    case InitialiserKind::kUniform: {
      if (integers) {
        const double low = std::ceil(init.first);
        return std::floor(low + (std::floor(init.second) - low + 1.0) * unit_of(bits));
      }
      return init.first + (init.second - init.first) * unit_of(bits);
    }
    case InitialiserKind::kNormal: {  // Box and Muller 1958.
      const double radius = std::sqrt(-2.0 * std::log(1.0 - unit_of(bits)));
      const double angle = 2.0 * std::numbers::pi * unit_of(base::split_mix64(bits));
      const double value = init.first + init.second * radius * std::cos(angle);
      return integers ? std::nearbyint(value) : value;
    }
    case InitialiserKind::kIota:
      return init.first + init.second * static_cast<double>(i);
    default:
      return init.first;
  }
}

// Calls `work(first, last)` for parts of [0, count) on all cores. An exception of a part is thrown again.
template <class Work>
void parallel_for(std::size_t count, Work work) {
  const std::size_t threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 1 + count / 65536);
  std::vector<std::exception_ptr> failures(threads);
  {
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        try {
          work(count * t / threads, count * (t + 1) / threads);
        } catch (...) {
          failures[t] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// Evaluates an argument's expression for one element after another. It may use the problem's entries, the
// element's index `i`, and `u`, a random number in [0, 1). An object must be used by one thread only.
class ElementExpression {
 public:
  ElementExpression(const ResolvedArgument& argument, std::uint64_t key)
      : expression_(*argument.init.value), key_(key) {
    for (const std::string& name : expression_.variables()) {
      slots_.push_back(name == "i" ? &index_ : name == "u" ? &variate_ : model::find(argument.problem, name));
    }
  }
  double at(std::size_t i) {
    index_ = static_cast<std::int64_t>(i);
    variate_ = unit_of(base::split_mix64(key_ + i));
    const base::Result<model::Value> value = expression_.evaluate_slots(slots_.data());
    const std::optional<double> number = value ? model::to_number(*value) : std::nullopt;
    if (number) return *number;
    throw base::InputError(fmt::format("the initial value '{}' of element {}: {}", expression_.text(), i,
                                       value ? "it is not a number" : value.error()),
                           expression_.position());
  }

 private:
  const model::Expression& expression_;
  std::uint64_t key_;
  model::Value index_ = std::int64_t{0};
  model::Value variate_ = 0.0;
  std::vector<const model::Value*> slots_;
};

// Offsets that ascend from 0 to the total. Their differences are proportional to the weights, which the
// argument's expression gives.
std::vector<double> offsets_of(const ResolvedArgument& argument, std::uint64_t key) {
  const model::Expression& expression = *argument.init.total;
  const base::Result<std::int64_t> total = resolution::integer_of(expression, argument.problem);
  if (!total) throw base::InputError("the total " + total.error(), expression.position());
  if (*total < 0) {
    throw base::InputError(fmt::format("the total '{}' is negative, expected 0 or more", expression.text()),
                           expression.position());
  }
  const auto parts = static_cast<std::size_t>(argument.count - 1);
  std::vector<double> offsets(parts + 1);
  parallel_for(parts, [&](std::size_t first, std::size_t last) {
    ElementExpression weight(argument, key);
    for (std::size_t i = first; i < last; ++i) {
      offsets[i + 1] = weight.at(i);
      if (offsets[i + 1] >= 0.0) continue;
      throw base::InputError(
          fmt::format("the weight of part {} is {}, expected 0 or more", i, offsets[i + 1]),
          argument.init.value->position());
    }
  });
  for (std::size_t i = 0; i < parts; ++i) offsets[i + 1] += offsets[i];
  const double scale = offsets[parts] > 0.0 ? static_cast<double>(*total) / offsets[parts] : 0.0;
  for (double& offset : offsets) offset = std::floor(offset * scale);
  offsets[parts] = static_cast<double>(*total);
  return offsets;
}

// Generates the elements of an argument in any order.
class ElementGenerator {
 public:
  ElementGenerator(const ResolvedArgument& argument, std::size_t position, std::uint64_t run_seed)
      : argument_(argument) {
    const std::uint64_t own_seed = argument.init.seed != 0 ? argument.init.seed : position + 1;
    key_ = base::split_mix64(base::split_mix64(run_seed) ^ own_seed);
    if (argument.init.kind == InitialiserKind::kOffsets) offsets_ = offsets_of(argument, key_);
  }

  // Writes `count` elements, from the one with index `begin`, to `target`. Uses all cores.
  void generate(std::size_t begin, std::size_t count, std::byte* target) const {
    with_type(argument_.type, [&](auto zero) {
      using T = decltype(zero);
      parallel_for(count, [&](std::size_t first, std::size_t last) {
        std::optional<ElementExpression> computed;
        if (argument_.init.kind == InitialiserKind::kExpression) computed.emplace(argument_, key_);
        for (std::size_t i = first; i < last; ++i) {
          const T element =
              converted<T>(argument_.type, computed ? computed->at(begin + i) : value_at(begin + i));
          std::memcpy(target + i * sizeof(T), &element, sizeof(T));
        }
      });
    });
  }

 private:
  double value_at(std::size_t i) const {
    return offsets_.empty() ? generated(argument_.init, integers_, key_, i) : offsets_[i];
  }

  const ResolvedArgument& argument_;
  bool integers_ = !info(argument_.type).floating;
  std::uint64_t key_ = 0;
  std::vector<double> offsets_;
};

}  // namespace

std::vector<std::byte> generate_argument(const ResolvedArgument& argument, std::size_t position,
                                         std::uint64_t run_seed) {
  if (argument.init.kind == InitialiserKind::kFile) return definition::read_data_file(argument);
  std::vector<std::byte> data(static_cast<std::size_t>(argument.bytes()));
  ElementGenerator(argument, position, run_seed)
      .generate(0, static_cast<std::size_t>(argument.count), data.data());
  return data;
}

void generate_argument_in_parts(
    const ResolvedArgument& argument, std::size_t position, std::uint64_t run_seed,
    const std::function<void(std::size_t offset, std::span<const std::byte> part)>& take) {
  if (argument.init.kind == InitialiserKind::kFile) return take(0, definition::read_data_file(argument));
  constexpr std::size_t kPartElements = 1U << 22U;
  const std::size_t element_bytes = info(argument.type).size_bytes;
  const auto count = static_cast<std::size_t>(argument.count);
  const ElementGenerator generator(argument, position, run_seed);
  std::vector<std::byte> part(std::min(count, kPartElements) * element_bytes);
  for (std::size_t begin = 0; begin < count; begin += kPartElements) {
    const std::size_t elements = std::min(count - begin, kPartElements);
    generator.generate(begin, elements, part.data());
    take(begin * element_bytes, std::span(part).first(elements * element_bytes));
  }
}

bool depends_on_seed(const Initialiser& init) {
  switch (init.kind) {
    case InitialiserKind::kUniform:
    case InitialiserKind::kNormal:
      return true;
    case InitialiserKind::kExpression:
    case InitialiserKind::kOffsets: {
      const std::vector<std::string> names = init.value->variables();
      return std::find(names.begin(), names.end(), "u") != names.end();
    }
    case InitialiserKind::kIota:
    case InitialiserKind::kConstant:
    case InitialiserKind::kFile:
      return false;
  }
  return false;
}

std::vector<std::byte> scalar_bytes(const ResolvedArgument& argument) {
  std::vector<std::byte> bytes(info(argument.type).size_bytes);
  with_type(argument.type, [&](auto zero) {
    using T = decltype(zero);
    T element{};
    const std::int64_t* integer = std::get_if<std::int64_t>(&argument.scalar);
    if (integer != nullptr && std::is_integral_v<T> && !info(argument.type).floating) {
      element = static_cast<T>(*integer);  // Integers above 2^53 stay exact.
    } else {
      element = converted<T>(argument.type, model::to_number(argument.scalar).value_or(0.0));
    }
    std::memcpy(bytes.data(), &element, sizeof(T));
  });
  return bytes;
}

double element_as_double(DataType type, const std::byte* element) {
  double value = 0.0;
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    T stored{};
    std::memcpy(&stored, element, sizeof(T));
    value = static_cast<double>(stored);
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      if (type == DataType::kF16) value = static_cast<double>(resolution::from_f16_bits(stored));
      if (type == DataType::kBf16) value = static_cast<double>(resolution::from_bf16_bits(stored));
    }
  });
  return value;
}

}  // namespace warptune::kernel_templates
