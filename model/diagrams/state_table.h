#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace warptune::model::diagrams {

/// Maps keys with a fixed number of words to node indices. Entries are never removed.
class StateTable {
 public:
  explicit StateTable(std::size_t words) : words_(words), buckets_(64, 0) {}

  /// Returns null when the key is absent. The pointer is valid until the next `insert`.
  const std::uint32_t* find(const std::uint64_t* key) const {
    const std::uint32_t entry = buckets_[bucket_of(key)];
    return entry == 0 ? nullptr : &values_[entry - 1];
  }

  /// `key` must be absent.
  void insert(const std::uint64_t* key, std::uint32_t value) {
    if ((values_.size() + 1) * 2 > buckets_.size()) grow();
    keys_.insert(keys_.end(), key, key + words_);
    values_.push_back(value);
    buckets_[bucket_of(key)] = static_cast<std::uint32_t>(values_.size());
  }

  std::size_t memory_bytes() const {
    return buckets_.capacity() * sizeof(buckets_[0]) + keys_.capacity() * sizeof(keys_[0]) +
           values_.capacity() * sizeof(values_[0]);
  }

 private:
  // Returns the bucket of the key, or the empty bucket where the key belongs.
  std::size_t bucket_of(const std::uint64_t* key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < words_; ++i) hash = base::split_mix64(hash ^ key[i]);
    std::size_t bucket = hash & (buckets_.size() - 1);
    while (buckets_[bucket] != 0 && !holds(buckets_[bucket] - 1, key))
      bucket = (bucket + 1) & (buckets_.size() - 1);
    return bucket;
  }

  bool holds(std::size_t entry, const std::uint64_t* key) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if (keys_[entry * words_ + i] != key[i]) return false;
    }
    return true;
  }

  void grow() {
    buckets_.assign(buckets_.size() * 2, 0);
    for (std::size_t entry = 0; entry < values_.size(); ++entry) {
      buckets_[empty_bucket_of(entry)] = static_cast<std::uint32_t>(entry + 1);
    }
  }

  std::size_t empty_bucket_of(std::size_t entry) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < words_; ++i) hash = base::split_mix64(hash ^ keys_[entry * words_ + i]);
    std::size_t bucket = hash & (buckets_.size() - 1);
    while (buckets_[bucket] != 0) bucket = (bucket + 1) & (buckets_.size() - 1);
    return bucket;
  }

  std::size_t words_;
  // An entry's number + 1, or 0 for an empty bucket. The size is a power of two.
  std::vector<std::uint32_t> buckets_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> values_;
};

}  // namespace warptune::model::diagrams
