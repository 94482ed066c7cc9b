#include "python/native/arrow_stream.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace warptune::python::native {

namespace nb = nanobind;

namespace {

// The three structures of Arrow's C data interface, which defines the order and the types of their members.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE.

using Table = std::shared_ptr<const RowTable>;

/// The memory that a structure with children owns.
template <class Structure>
struct Parent {
  std::vector<Structure> children;
  std::vector<Structure*> pointers;
  const void* no_validity = nullptr;  ///< The validity bitmap of the rows; null, because all rows are valid.

  explicit Parent(std::size_t count) : children(count) {
    for (Structure& child : children) pointers.push_back(&child);
  }
  std::int64_t count() const { return static_cast<std::int64_t>(children.size()); }
};

/// The memory that a column owns. A consumer may keep one column and release the rest, so each column keeps
/// the table alive.
struct Child {
  Table table;
  std::array<const void*, 3> buffers{};
};

template <class Structure>
void release_child(Structure* child) {
  delete static_cast<Child*>(child->private_data);
  child->release = nullptr;
}

template <class Structure>
void release_parent(Structure* parent) {
  for (std::int64_t i = 0; i < parent->n_children; ++i) {
    if (parent->children[i]->release != nullptr) parent->children[i]->release(parent->children[i]);
  }
  delete static_cast<Parent<Structure>*>(parent->private_data);
  parent->release = nullptr;
}

void write_schema(const Table& table, ArrowSchema* out) {
  auto owned = std::make_unique<Parent<ArrowSchema>>(table->columns.size());
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    const Column& column = table->columns[i];
    owned->children[i] = {
        column.format.c_str(),      column.name.c_str(), nullptr, kNullable, 0, nullptr, nullptr,
        release_child<ArrowSchema>, new Child{table}};
  }
  *out = {
      "+s",   "", nullptr, 0, owned->count(), owned->pointers.data(), nullptr, release_parent<ArrowSchema>,
      nullptr};
  out->private_data = owned.release();
}

void write_rows(const Table& table, ArrowArray* out) {
  auto owned = std::make_unique<Parent<ArrowArray>>(table->columns.size());
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    const Column& column = table->columns[i];
    const bool is_text = !column.offsets.empty();
    auto child = std::make_unique<Child>();
    child->table = table;
    if (is_text) {
      child->buffers = {column.valid.data(), column.offsets.data(), column.values.data()};
    } else {
      child->buffers = {column.valid.data(), column.values.data(), nullptr};
    }
    owned->children[i] = {
        table->rows,           column.null_count, 0,       is_text ? 3 : 2,           0,
        child->buffers.data(), nullptr,           nullptr, release_child<ArrowArray>, nullptr};
    owned->children[i].private_data = child.release();
  }
  *out = {table->rows,
          0,
          0,
          1,
          owned->count(),
          &owned->no_validity,
          owned->pointers.data(),
          nullptr,
          release_parent<ArrowArray>,
          nullptr};
  out->private_data = owned.release();
}

struct StreamState {
  Table table;
  bool given = false;
};

StreamState& state_of(ArrowArrayStream* stream) { return *static_cast<StreamState*>(stream->private_data); }

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    write_schema(state_of(stream).table, out);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  try {
    *out = {};
    if (!std::exchange(state_of(stream).given, true)) write_rows(state_of(stream).table, out);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

const char* get_last_error(ArrowArrayStream*) { return nullptr; }

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamState*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

nb::capsule arrow_stream(std::shared_ptr<const RowTable> table) {
  auto stream = std::make_unique<ArrowArrayStream>(ArrowArrayStream{
      get_schema, get_next, get_last_error, release_stream, new StreamState{std::move(table)}});
  nb::capsule capsule(stream.get(), "arrow_array_stream", [](void* held) noexcept {
    auto* const unread = static_cast<ArrowArrayStream*>(held);
    if (unread->release != nullptr) unread->release(unread);
    delete unread;
  });
  static_cast<void>(stream.release());
  return capsule;
}

}  // namespace warptune::python::native
