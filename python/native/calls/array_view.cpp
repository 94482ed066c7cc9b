// Reads arrays of PyTorch, CuPy and cuda.core by their attributes. Others are read by DLPack
// (https://dmlc.github.io/dlpack/latest/) or by the CUDA array interface
// (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html).
//
// The CUDA array interface is faster. But without `stream`, as in JAX, it does not say which work must end
// before the array is used. DLPack is preferred then: it makes the given stream wait for that work.
#include "python/native/calls/array_view.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <vector>

#include "profiling/program_memory.h"
#include "python/native/calls/dlpack_device.h"
#include "python/native/calls/interned.h"
#include "python/native/calls/torch_arrays.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

using kernel_templates::DataType;

namespace {

struct ProtocolNames {
  Name cuda{"__cuda_array_interface__"}, dlpack{"__dlpack__"}, dlpack_device{"__dlpack_device__"},
      host{"__array_interface__"}, module{"__module__"}, address{"ptr"}, accessible{"is_device_accessible"};
};
const ProtocolNames& protocol_names() {
  static const ProtocolNames names;
  return names;
}

// The structures of DLPack, which defines the order and the types of their members.
struct DlTensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t ndim;
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DlVersioned {  // The capsule of DLPack 1.
  std::uint32_t major;
  std::uint32_t minor;
  void* manager;
  void (*deleter)(DlVersioned*);
  std::uint64_t flags;
  DlTensor tensor;
};
constexpr std::uint64_t kDlReadOnly = 1;
constexpr std::int32_t kDlCuda = 2;
constexpr std::int32_t kDlManaged = 13;

// In the order of `DataType`: NumPy's letter and size in bytes (empty for bf16), and the code of DLPack.
struct TypeForm {
  const char* numpy;
  std::uint8_t dlpack;
};
constexpr std::array<TypeForm, 12> kForms = {{{"f2", 2},
                                              {"", 4},
                                              {"f4", 2},
                                              {"f8", 2},
                                              {"i1", 0},
                                              {"i2", 0},
                                              {"i4", 0},
                                              {"i8", 0},
                                              {"u1", 1},
                                              {"u2", 1},
                                              {"u4", 1},
                                              {"u8", 1}}};

const TypeForm& form_of(DataType type) { return kForms.at(static_cast<std::size_t>(type)); }

[[noreturn]] void refuse_type(DataType wanted, const std::string& found) {
  throw UnusableArgument(
      fmt::format("expected the type {}, found {}", kernel_templates::info(wanted).name, found));
}

[[noreturn]] void refuse_read_only() {
  throw UnusableArgument("expected an array that can be written, found a read-only one");
}

// Whether the elements are contiguous in row-major order. `unit` is the stride of adjacent elements.
bool is_contiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                   std::int64_t unit) {
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides.at(i) != unit) return false;
    unit *= shape[i];
  }
  return true;
}

std::uint64_t count_of(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::vector<std::int64_t> integers_of(const nb::object& tuple) {
  std::vector<std::int64_t> integers;
  for (const nb::handle one : nb::borrow<nb::tuple>(tuple)) integers.push_back(integer_of(nb::borrow(one)));
  return integers;
}

// `producer` is a stream's address. The value 1 means the legacy default stream, and 2 the per-thread one.
void wait_for_producer(const nb::object& producer, void* stream) {
  if (!producer.is_valid() || producer.is_none()) return;
  const std::uint64_t number = address_of(producer);
  auto* const other = number <= 1 ? nullptr : reinterpret_cast<void*>(number);
  if (other != stream) profiling::wait_for_stream(stream, other);
}

nb::object item(const nb::dict& from, const char* key) {
  return nb::borrow(PyDict_GetItemString(from.ptr(), key));
}

bool is_read_only(const nb::dict& described) {
  return PyObject_IsTrue(nb::object(nb::borrow<nb::tuple>(described["data"])[1]).ptr()) == 1;
}

ArrayView interface_view(const nb::dict& described, const WantedArray& wanted, void* stream) {
  check_type_text(nb::cast<std::string>(described["typestr"]), wanted.type);
  const std::vector<std::int64_t> shape = integers_of(described["shape"]);
  const std::size_t size = kernel_templates::info(wanted.type).size_bytes;
  const nb::object strides = item(described, "strides");
  if (strides.is_valid() && !strides.is_none() &&
      !is_contiguous(shape, integers_of(strides), static_cast<std::int64_t>(size)))
    refuse_strides();
  if (wanted.is_written && is_read_only(described)) refuse_read_only();
  const nb::object address = nb::borrow<nb::tuple>(described["data"])[0];
  const ArrayView view{ArrayLibrary::kOther, address_of(address), count_of(shape) * size};
  if (view.address != 0) check_device(profiling::device_of_address(view.address).value_or(-1), wanted.device);
  wait_for_producer(item(described, "stream"), stream);
  return view;
}

void check_dlpack_device(PyObject* array, int wanted) {
  const auto [type, ordinal] = dlpack_device_of(call_method(array, protocol_names().dlpack_device));
  check_device(type == kDlCuda ? ordinal : type == kDlManaged ? wanted : -1, wanted);
}

// The capsule keeps the array's memory alive. Producers older than DLPack 1 have no argument `max_version`.
nb::object capsule_of(PyObject* array, void* stream) {
  // DLPack names the legacy stream 1.
  const auto named = stream == nullptr ? 1 : reinterpret_cast<std::uint64_t>(stream);
  const auto exported = [&](const auto&... version) -> nb::object {
    try {
      return attribute(array, protocol_names().dlpack)(nb::arg("stream") = named, version...);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_BufferError)) throw;
      throw UnusableArgument("its DLPack refuses: " + nb::cast<std::string>(nb::str(error.value())));
    }
  };
  try {
    return exported(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return exported();
}

const DlTensor& tensor_of(const nb::object& capsule, bool is_written) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") == 0) {
    const void* tensor = PyCapsule_GetPointer(capsule.ptr(), "dltensor");
    if (tensor == nullptr) throw nb::python_error();
    return *static_cast<const DlTensor*>(tensor);
  }
  const auto& versioned =
      *static_cast<const DlVersioned*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
  if (versioned.major != 1)
    throw UnusableArgument(fmt::format("expected DLPack 1, found version {}", versioned.major));
  if (is_written && (versioned.flags & kDlReadOnly) != 0) refuse_read_only();
  return versioned.tensor;
}

// Whether the object is a buffer of cuda.core: memory without a type, which DLPack shows as int8.
bool is_untyped(PyObject* array) {
  return PyObject_HasAttrString(array, "memory_resource") != 0 && PyObject_HasAttrString(array, "dtype") == 0;
}

ArrayView dlpack_view(PyObject* array, const WantedArray& wanted, void* stream) {
  check_dlpack_device(array, wanted.device);
  const nb::object capsule = capsule_of(array, stream);
  const DlTensor& tensor = tensor_of(capsule, wanted.is_written);
  const bool is_wanted = tensor.code == form_of(wanted.type).dlpack && tensor.lanes == 1 &&
                         tensor.bits == kernel_templates::info(wanted.type).size_bytes * 8;
  if (!is_wanted && !is_untyped(array))
    refuse_type(wanted.type, fmt::format("another one with {} bits", tensor.bits * tensor.lanes));
  const std::vector<std::int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides != nullptr &&
      !is_contiguous(shape, std::vector<std::int64_t>(tensor.strides, tensor.strides + tensor.ndim), 1))
    refuse_strides();
  return {ArrayLibrary::kOther, reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byte_offset,
          count_of(shape) * tensor.bits / 8};
}

// Arrays of JAX must not be written, but its DLPack does not mark all of them as read-only.
bool is_of_jax(PyObject* array) {
  const nb::object module =
      attribute_or_null(reinterpret_cast<PyObject*>(Py_TYPE(array)), protocol_names().module);
  return module.is_valid() && nb::cast<std::string>(nb::str(module)).starts_with("jax");
}

// Reads a `StridedMemoryView` of cuda.core. The program ordered the streams when it made the view.
std::optional<ArrayView> strided_view(PyObject* array, const WantedArray& wanted) {
  const nb::object address = attribute_or_null(array, protocol_names().address);
  const nb::object accessible = attribute_or_null(array, protocol_names().accessible);
  if (!address.is_valid() || !accessible.is_valid()) return std::nullopt;
  const nb::handle view(array);
  if (view.attr("dtype").is_none())
    throw UnusableArgument("expected an array with a type, found a view without one");
  check_type_text(nb::cast<std::string>(view.attr("dtype").attr("str")), wanted.type);
  const std::vector<std::int64_t> shape = integers_of(view.attr("shape"));
  const nb::object strides = view.attr("strides");  // In elements.
  if (!strides.is_none() && !is_contiguous(shape, integers_of(strides), 1)) refuse_strides();
  if (wanted.is_written && PyObject_IsTrue(nb::object(view.attr("readonly")).ptr()) == 1) refuse_read_only();
  const bool is_reachable = PyObject_IsTrue(accessible.ptr()) == 1;
  check_device(is_reachable ? profiling::device_of_address(address_of(address)).value_or(-1) : -1,
               wanted.device);
  return ArrayView{ArrayLibrary::kOther, address_of(address),
                   count_of(shape) * kernel_templates::info(wanted.type).size_bytes};
}

ArrayView protocol_view(PyObject* array, const WantedArray& wanted, void* stream) {
  const ProtocolNames& names = protocol_names();
  const bool has_dlpack = PyObject_HasAttr(array, names.dlpack.get()) != 0;
  const nb::object held = attribute_or_null(array, names.cuda);
  if (held.is_valid() && !nb::isinstance<nb::dict>(held))
    throw UnusableArgument("its __cuda_array_interface__ is not a dict");
  if (held.is_valid() && (!has_dlpack || PyDict_GetItemString(held.ptr(), "stream") != nullptr) &&
      (!has_dlpack || wanted.type != DataType::kBf16))  // NumPy's types have no bf16.
    return interface_view(nb::borrow<nb::dict>(held), wanted, stream);
  if (has_dlpack) {
    if (wanted.is_written && is_of_jax(array)) refuse_read_only();
    return dlpack_view(array, wanted, stream);
  }
  if (const std::optional<ArrayView> view = strided_view(array, wanted)) return *view;
  if (PyObject_HasAttr(array, names.host.get()) != 0) check_device(-1, wanted.device);
  throw UnusableArgument(fmt::format("expected an array on the GPU, found {}", class_name(array)));
}

bool is_instance(PyObject* object, PyObject* type) {
  return type != nullptr && PyObject_IsInstance(object, type) == 1;
}

}  // namespace

void refuse_strides() { throw UnusableArgument("expected a contiguous array, found one with strides"); }

std::string class_name(PyObject* object) {
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return nb::cast<std::string>(type.attr("__name__"));
}

void check_type_text(const std::string& type, DataType wanted) {
  if (type.size() < 2 || type[0] == '>' || type.substr(1) != form_of(wanted).numpy) refuse_type(wanted, type);
}

void check_device(int found, int wanted) {
  if (found == wanted) return;
  if (found < 0)
    throw UnusableArgument(fmt::format("expected memory of device {}, found memory of the host", wanted));
  throw UnusableArgument(
      fmt::format("expected memory of device {}, found memory of device {}", wanted, found));
}

ArrayLibrary library_of(PyObject* array) {
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(array));
  const TorchApi* const torch = torch_api();
  if (torch != nullptr && (type == torch->tensor || type == torch->parameter)) return ArrayLibrary::kTorch;
  const CupyApi* const cupy = cupy_api();
  if (cupy != nullptr && type == cupy->array) return ArrayLibrary::kCupy;
  if (torch != nullptr && is_instance(array, torch->tensor)) return ArrayLibrary::kTorch;
  if (cupy != nullptr && is_instance(array, cupy->array)) return ArrayLibrary::kCupy;
  PyErr_Clear();
  return ArrayLibrary::kOther;
}

ArrayView view_of(PyObject* array, ArrayLibrary library, const WantedArray& wanted, void* stream) {
  switch (library) {
    case ArrayLibrary::kTorch:
      return torch_view(array, wanted);
    case ArrayLibrary::kCupy:
      return cupy_view(array, wanted);
    case ArrayLibrary::kOther:
      break;
  }
  return protocol_view(array, wanted, stream);
}

}  // namespace warptune::python::native::calls
