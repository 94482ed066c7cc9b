#include "python/native/calls/torch_arrays.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "python/native/calls/interned.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

namespace {

// The names of the types in PyTorch and NumPy, in the order of `DataType`.
constexpr std::array<const char*, 12> kTorchTypes = {"float16", "bfloat16", "float32", "float64",
                                                     "int8",    "int16",    "int32",   "int64",
                                                     "uint8",   "uint16",   "uint32",  "uint64"};

struct TensorNames {
  Name dtype{"dtype"}, get_device{"get_device"}, is_contiguous{"is_contiguous"}, data_ptr{"data_ptr"},
      numel{"numel"}, requires_grad{"requires_grad"};
};
const TensorNames& tensor_names() {
  static const TensorNames names;
  return names;
}

struct CupyNames {
  Name dtype{"dtype"}, c_contiguous{"_c_contiguous"}, flags{"flags"}, data{"data"}, ptr{"ptr"},
      device_id{"device_id"}, size{"size"};
};
const CupyNames& cupy_names() {
  static const CupyNames names;
  return names;
}

// The module, or null if the program has not imported it completely. `last` is a name that a module gets at
// the end of its import.
nb::object imported(const char* module, const char* last) {
  PyObject* modules = PyImport_GetModuleDict();  // Borrowed.
  PyObject* found = PyDict_GetItemString(modules, module);
  if (found == nullptr || PyObject_HasAttrString(found, last) == 0) return {};
  return nb::borrow(found);
}

// The object with a dotted name in a module. Null if a part of the name is missing.
PyObject* part_of(const nb::object& module, const char* path) {
  nb::object found = module;
  std::string rest = path;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const std::string name = rest.substr(0, dot);
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
    found = nb::steal(PyObject_GetAttrString(found.ptr(), name.c_str()));
    if (!found.is_valid()) {
      PyErr_Clear();
      return nullptr;
    }
  }
  return found.release().ptr();
}

std::unique_ptr<TorchApi> find_torch() {
  const nb::object torch = imported("torch", "compile");
  if (!torch.is_valid()) return nullptr;
  auto api = std::make_unique<TorchApi>();
  api->tensor = part_of(torch, "Tensor");
  api->parameter = part_of(torch, "nn.Parameter");
  for (std::size_t i = 0; i < kTorchTypes.size(); ++i) api->types.at(i) = part_of(torch, kTorchTypes.at(i));
  api->current_stream = part_of(torch, "_C._cuda_getCurrentRawStream");
  api->is_grad_enabled = part_of(torch, "is_grad_enabled");
  api->allocate = part_of(torch, "_C._cuda_cudaCachingAllocator_raw_alloc");
  api->free = part_of(torch, "_C._cuda_cudaCachingAllocator_raw_delete");
  api->cuda = part_of(torch, "cuda");
  return api->tensor == nullptr ? nullptr : std::move(api);
}

std::unique_ptr<CupyApi> find_cupy() {
  const nb::object cupy = imported("cupy", "ndarray");
  const nb::object numpy = imported("numpy", "dtype");
  if (!cupy.is_valid() || !numpy.is_valid() || PyObject_HasAttrString(cupy.ptr(), "cuda") == 0)
    return nullptr;
  auto api = std::make_unique<CupyApi>();
  api->array = part_of(cupy, "ndarray");
  for (std::size_t i = 0; i < kTorchTypes.size(); ++i) {
    if (i != static_cast<std::size_t>(kernel_templates::DataType::kBf16))
      api->types.at(i) = numpy.attr("dtype")(kTorchTypes.at(i)).release().ptr();
  }
  const nb::object backend = imported("cupy_backends.cuda.stream", "get_current_stream_ptr");
  api->stream_is_address = backend.is_valid();
  api->current_stream = backend.is_valid() ? part_of(backend, "get_current_stream_ptr")
                                           : part_of(cupy, "cuda.get_current_stream");
  api->allocate = part_of(cupy, "cuda.alloc");
  api->external_stream = part_of(cupy, "cuda.ExternalStream");
  return api;
}

std::string text_of(PyObject* object) { return nb::cast<std::string>(nb::str(nb::handle(object))); }

std::string_view wanted_name(const WantedArray& wanted) { return kernel_templates::info(wanted.type).name; }

// Not inlined, so that the code of calls without an error stays short.
[[noreturn, gnu::noinline]] void refuse_type(const WantedArray& wanted, PyObject* found) {
  throw UnusableArgument(fmt::format("expected the type {}, found {}", wanted_name(wanted), text_of(found)));
}

bool is_grad_enabled(const TorchApi& api) {
  const nb::object enabled = nb::steal(PyObject_CallNoArgs(api.is_grad_enabled));
  if (!enabled.is_valid()) throw nb::python_error();
  return enabled.ptr() == Py_True;
}

}  // namespace

const TorchApi* torch_api() {
  static const TorchApi* api = nullptr;
  if (api == nullptr) api = find_torch().release();
  return api;
}

const CupyApi* cupy_api() {
  static const CupyApi* api = nullptr;
  if (api == nullptr) api = find_cupy().release();
  return api;
}

ArrayView torch_view(PyObject* tensor, const WantedArray& wanted) {
  const TorchApi& api = *torch_api();
  const TensorNames& names = tensor_names();
  const nb::object type = attribute(tensor, names.dtype);
  if (type.ptr() != api.types[static_cast<std::size_t>(wanted.type)]) refuse_type(wanted, type.ptr());
  const auto device = static_cast<int>(integer_of(call_method(tensor, names.get_device)));
  if (device != wanted.device) check_device(device, wanted.device);
  if (call_method(tensor, names.is_contiguous).ptr() != Py_True) refuse_strides();
  if (attribute(tensor, names.requires_grad).ptr() == Py_True && is_grad_enabled(api)) {
    throw UnusableArgument(
        "the tensor requires a gradient, and the kernel has no backward pass; call it under torch.no_grad()");
  }
  const auto count = static_cast<std::uint64_t>(integer_of(call_method(tensor, names.numel)));
  return {ArrayLibrary::kTorch, address_of(call_method(tensor, names.data_ptr)),
          count * kernel_templates::info(wanted.type).size_bytes};
}

ArrayView cupy_view(PyObject* array, const WantedArray& wanted) {
  const CupyApi& api = *cupy_api();
  const CupyNames& names = cupy_names();
  const nb::object type = attribute(array, names.dtype);
  if (type.ptr() != api.types[static_cast<std::size_t>(wanted.type)])
    check_type_text(text_of(attribute(type.ptr(), Name("str")).ptr()), wanted.type);
  nb::object contiguous = attribute_or_null(array, names.c_contiguous);
  if (!contiguous.is_valid()) contiguous = attribute(array, names.flags).attr("c_contiguous");
  if (PyObject_IsTrue(contiguous.ptr()) != 1) refuse_strides();
  const nb::object memory = attribute(array, names.data);
  const auto device = static_cast<int>(integer_of(attribute(memory.ptr(), names.device_id)));
  if (device != wanted.device) check_device(device, wanted.device);
  const auto count = static_cast<std::uint64_t>(integer_of(attribute(array, names.size)));
  return {ArrayLibrary::kCupy, address_of(attribute(memory.ptr(), names.ptr)),
          count * kernel_templates::info(wanted.type).size_bytes};
}

void* torch_stream(int device) {
  const nb::object ordinal = nb::steal(PyLong_FromLong(device));
  std::array<PyObject*, 1> arguments{ordinal.ptr()};
  PyObject* const stream = PyObject_Vectorcall(torch_api()->current_stream, arguments.data(), 1, nullptr);
  if (stream == nullptr) throw nb::python_error();
  return reinterpret_cast<void*>(address_of(nb::steal(stream)));
}

void* cupy_stream() {
  const CupyApi& api = *cupy_api();
  nb::object stream = nb::steal(PyObject_CallNoArgs(api.current_stream));
  if (!stream.is_valid()) throw nb::python_error();
  if (!api.stream_is_address) stream = attribute(stream.ptr(), cupy_names().ptr);
  return reinterpret_cast<void*>(address_of(stream));
}

}  // namespace warptune::python::native::calls
