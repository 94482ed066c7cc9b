#pragma once

// One configuration of a shipped kernel for one problem: its buffers, its launches and the comparison.
// Generated programs include this file.

#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_emulation.h"

namespace warptune::emulation {

/// Calls `visit` with a zero of the C++ type of a definition's type name.
template <class Visit>
void with_type(const std::string& type, Visit visit) {
  if (type == "f16") return visit(__half(0.0f));
  if (type == "bf16") return visit(__nv_bfloat16(0.0f));
  if (type == "u16") return visit(std::uint16_t{});
  if (type == "f32") return visit(float{});
  if (type == "f64") return visit(double{});
  if (type == "i8") return visit(std::int8_t{});
  if (type == "i16") return visit(std::int16_t{});
  if (type == "i32") return visit(std::int32_t{});
  if (type == "i64") return visit(std::int64_t{});
  if (type == "u8") return visit(std::uint8_t{});
  if (type == "u32") return visit(std::uint32_t{});
  if (type == "u64") return visit(std::uint64_t{});
  fail("no type " + type);
}

template <class T>
T from_double(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(value));  // wraps around, as in kernels
  } else if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

enum class BufferKind { kIn, kOut, kInOut, kScratch, kZeroedScratch };

/// A device buffer and its initial contents.
class Buffer {
 public:
  Buffer(BufferKind kind, std::string type, std::size_t count, double low, double high, unsigned seed,
         bool skewed)
      : kind_(kind), type_(std::move(type)), count_(count) {
    std::size_t size = 0;
    with_type(type_, [&](auto zero) {
      using T = decltype(zero);
      size = sizeof(T);
      read_ = &read<T>;
      round_ = [](double value) { return static_cast<double>(from_double<T>(value)); };
    });
    size_ = size;
    memory_ = std::make_unique<GuardedMemory>(count * size, skewed ? size : 0);
    if (kind == BufferKind::kIn || kind == BufferKind::kInOut) {
      std::mt19937 random(seed);
      with_type(type_, [&](auto zero) {
        using T = decltype(zero);
        const bool integral = std::is_integral_v<T>;
        for (std::size_t i = 0; i < count; ++i) {
          const double unit = static_cast<double>(random()) / 4294967296.0;
          const double value =
              integral ? std::floor(low + (high - low + 1.0) * unit) : low + (high - low) * unit;
          const T element = from_double<T>(value);
          std::memcpy(memory_->data() + i * sizeof(T), &element, sizeof(T));
        }
      });
    } else if (kind == BufferKind::kZeroedScratch) {
      std::memset(memory_->data(), 0, memory_->bytes());
    }
    first_.assign(memory_->data(), memory_->data() + memory_->bytes());
  }

  void set_first(const char* bytes, std::size_t size) {
    if (size != memory_->bytes()) fail("initial contents of another size");
    std::memcpy(memory_->data(), bytes, size);
    first_.assign(memory_->data(), memory_->data() + size);
  }
  void* data() const { return memory_->data(); }
  std::size_t count() const { return count_; }
  const std::string& type() const { return type_; }
  bool is_output() const { return kind_ == BufferKind::kOut || kind_ == BufferKind::kInOut; }
  double at(std::size_t i) const { return element(memory_->data(), i); }
  /// The contents before any launch.
  double first_at(std::size_t i) const { return element(first_.data(), i); }
  /// `value`, rounded to this buffer's type.
  double rounded(double value) const { return round_(value); }

  /// Prepares the buffer before each evaluation. Zeroed scratch is zeroed only once: a kernel that needs more
  /// is wrong.
  void restore() {
    if (kind_ == BufferKind::kOut || kind_ == BufferKind::kScratch) memory_->fill();
    if (kind_ == BufferKind::kInOut) std::memcpy(memory_->data(), first_.data(), first_.size());
  }
  /// A defect of the buffer itself after an evaluation; empty if there is none.
  std::string damage() const {
    if (!memory_->intact()) return "was written outside its bounds";
    if (kind_ == BufferKind::kIn && std::memcmp(memory_->data(), first_.data(), first_.size()) != 0) {
      return "is an input and was changed";
    }
    return "";
  }

 private:
  template <class T>
  static double read(const unsigned char* data) {
    T value;
    std::memcpy(&value, data, sizeof(T));
    return static_cast<double>(value);
  }
  double element(const unsigned char* data, std::size_t i) const { return read_(data + i * size_); }

  BufferKind kind_;
  std::string type_;
  std::size_t count_;
  std::size_t size_ = 0;                            ///< The size of an element in bytes.
  double (*read_)(const unsigned char*) = nullptr;  // The reader for type_, looked up only once.
  double (*round_)(double) = nullptr;
  std::unique_ptr<GuardedMemory> memory_;
  std::vector<unsigned char> first_;
};

/// A buffer's address, which converts to any pointer that a kernel takes.
struct AnyPointer {
  void* address;
  template <class T>
  operator T*() const {
    return static_cast<T*>(address);
  }
};

class Case {
 public:
  Case(std::string title, std::vector<std::pair<std::string, double>> problem, double absolute,
       double relative)
      : title_(std::move(title)), problem_(std::move(problem)), absolute_(absolute), relative_(relative) {}

  void add(BufferKind kind, const std::string& type, std::size_t count, double low, double high,
           bool skewed) {
    const unsigned seed = static_cast<unsigned>(buffers_.size()) + 1;
    buffers_.push_back(std::make_unique<Buffer>(kind, type, count, low, high, seed, skewed));
  }
  /// With given initial contents: `bytes` for all elements, ending at the text's end.
  template <std::size_t size>
  void add_given(BufferKind kind, const std::string& type, std::size_t count, const char (&bytes)[size],
                 bool skewed) {
    buffers_.push_back(std::make_unique<Buffer>(kind, type, count, 0.0, 1.0, 1u, skewed));
    buffers_.back()->set_first(bytes, size - 1);
  }
  const Buffer& buffer(std::size_t position) const { return *buffers_[position]; }
  AnyPointer pointer(std::size_t position) const { return {buffers_[position]->data()}; }
  double problem(const std::string& name) const {
    for (const auto& [entry, value] : problem_) {
      if (entry == name) return value;
    }
    fail("no problem entry " + name);
  }
  /// Whether a text entry of the problem has this value.
  bool is(const char* name, const char* value) const {
    const std::size_t length = std::strlen(name);
    for (const auto& [entry, unused] : problem_) {
      const char* text = entry.c_str();
      if (std::strncmp(text, name, length) == 0 && text[length] == '=' &&
          std::strcmp(text + length + 1, value) == 0)
        return true;
    }
    return false;
  }
  std::size_t size(const std::string& name) const { return static_cast<std::size_t>(problem(name)); }

  /// The tolerance for an output of this size.
  double tolerance(double expected) const { return absolute_ + relative_ * std::fabs(expected); }

  /// Runs `evaluation(backward)` twice, with threads forward and backward. Each time it compares the results
  /// and calls `property`, whose text says which property does not hold. Returns true if all is right.
  bool check(const std::function<void(bool)>& evaluation, const std::vector<double>& expected,
             const std::function<std::string(const Case&)>& property) {
    for (const bool backward : {false, true}) {
      for (const auto& buffer : buffers_) buffer->restore();
      evaluation(backward);
      std::string problem = compare(expected);
      if (problem.empty() && property) problem = property(*this);
      if (!problem.empty()) {
        std::printf("%s%s: %s\n", title_.c_str(), backward ? " (threads backward)" : "", problem.c_str());
        return false;
      }
    }
    return true;
  }

  /// The only output after one evaluation.
  std::vector<double> outputs_of(const std::function<void(bool)>& evaluation) {
    for (const auto& buffer : buffers_) buffer->restore();
    evaluation(false);
    std::vector<double> values;
    for (const auto& buffer : buffers_) {
      if (!buffer->is_output()) continue;
      if (!values.empty()) fail("more than one output");
      for (std::size_t i = 0; i < buffer->count(); ++i) values.push_back(buffer->at(i));
    }
    return values;
  }

 private:
  std::string compare(const std::vector<double>& expected) const {
    for (std::size_t position = 0; position < buffers_.size(); ++position) {
      const Buffer& buffer = *buffers_[position];
      if (const std::string damage = buffer.damage(); !damage.empty()) {
        return "argument " + std::to_string(position) + " " + damage;
      }
      if (!buffer.is_output()) continue;
      if (expected.size() != buffer.count()) return "the reference has another size";
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double found = buffer.at(i);
        if (std::isnan(found) && std::isnan(expected[i])) continue;
        if (!(std::fabs(found - expected[i]) <= absolute_ + relative_ * std::fabs(expected[i]))) {
          char text[160];
          std::snprintf(text, sizeof(text), "element %zu is %.9g, expected %.9g within %.3g", i, found,
                        expected[i], absolute_ + relative_ * std::fabs(expected[i]));
          return text;
        }
      }
    }
    return "";
  }

  std::string title_;
  std::vector<std::pair<std::string, double>> problem_;
  double absolute_;
  double relative_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace warptune::emulation
