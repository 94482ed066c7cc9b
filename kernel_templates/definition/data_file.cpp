#include "kernel_templates/definition/data_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace warptune::kernel_templates::definition {

namespace {

// The value of `key` in the header, which is the text of a Python dict. It ends at the next comma outside of
// parentheses, or at the end of the dict.
std::string header_value(const std::string& header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string::npos) return "";
  std::size_t start = at + key.size() + 3;
  int depth = 0;
  std::size_t end = start;
  for (; end < header.size(); ++end) {
    const char c = header[end];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == ',' || c == '}')) break;
  }
  while (start < end && header[start] == ' ') ++start;
  return header.substr(start, end - start);
}

// The texts that NumPy uses for a data type. NumPy has no bf16, so its elements come as integers of 16 bits
// or as two bytes without a type.
std::vector<std::string> type_texts(DataType type) {
  const DataTypeInfo& row = info(type);
  if (type == DataType::kBf16) return {"'<u2'", "'|V2'", "'<V2'"};
  const char kind = row.floating ? 'f' : row.is_signed ? 'i' : 'u';
  return {fmt::format("'<{}{}'", kind, row.size_bytes), fmt::format("'|{}{}'", kind, row.size_bytes)};
}

// Checks the header of a `.npy` file, with which `bytes` begins, and returns the offset of its data (NumPy
// enhancement proposal 1).
std::size_t npy_data_offset(const std::string& bytes, const ResolvedArgument& argument,
                            const base::SourcePosition& where) {
  const bool magic = bytes.size() >= 12 && bytes.compare(0, 6, "\x93NUMPY") == 0;
  if (!magic) throw base::InputError("not a .npy file: it does not begin as NumPy's files do", where);
  const bool version1 = bytes[6] == 1;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t length =
      version1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::size_t start = version1 ? 10 : 12;
  if (start + length > bytes.size()) throw base::InputError("the .npy header is cut off", where);
  const std::string header = bytes.substr(start, length);
  const std::string type = header_value(header, "descr");
  const std::vector<std::string> expected = type_texts(argument.type);
  if (std::find(expected.begin(), expected.end(), type) == expected.end()) {
    throw base::InputError(fmt::format("the file has elements of type {}, but argument '{}' expects {}", type,
                                       argument.name, expected.front()),
                           where);
  }
  if (header_value(header, "fortran_order") == "True")
    throw base::InputError("the file is in Fortran order, expected C order", where);
  return start + length;
}

// The offset of the elements in a file that begins with `head` and has `size` bytes.
std::size_t checked_offset(const std::string& head, std::uintmax_t size, const ResolvedArgument& argument) {
  const base::SourcePosition where{argument.init.path.string(), 0, 0};
  const std::size_t offset =
      argument.init.path.extension() == ".npy" ? npy_data_offset(head, argument, where) : 0;
  const std::uintmax_t found = size - offset;
  if (found != static_cast<std::uintmax_t>(argument.bytes())) {
    throw base::InputError(
        fmt::format("the file has {} bytes of data, but argument '{}' expects {} ({} x {})", found,
                    argument.name, argument.bytes(), argument.count, info(argument.type).name),
        where);
  }
  return offset;
}

}  // namespace

std::vector<std::byte> read_data_file(const ResolvedArgument& argument) {
  const std::string bytes = base::read_file(argument.init.path);
  const std::size_t offset = checked_offset(bytes, bytes.size(), argument);
  std::vector<std::byte> data(bytes.size() - offset);
  std::memcpy(data.data(), bytes.data() + offset, data.size());
  return data;
}

void require_data_file_fits(const ResolvedArgument& argument) {
  constexpr std::size_t kMaxHead = 1U << 16U;  // The longest header of format 1.0 has as many bytes.
  const std::filesystem::path& path = argument.init.path;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file)
    throw base::InputError(fmt::format("the data of argument '{}' cannot be read: {}", argument.name,
                                       error ? error.message() : "the file cannot be opened"),
                           {path.string(), 0, 0});
  std::string head(static_cast<std::size_t>(std::min<std::uintmax_t>(size, kMaxHead)), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  checked_offset(head, size, argument);
}

std::string npy_text(DataType type, std::string_view elements) {
  constexpr std::size_t kBegin = 10;      // The magic string, the version and the length of the header.
  constexpr std::size_t kAlignment = 64;  // The elements begin at a multiple of it.
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({},), }}",
                                   type_texts(type).front(), elements.size() / info(type).size_bytes);
  const std::size_t unpadded = kBegin + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xFFU);
  text += static_cast<char>(header.size() >> 8U);
  text += header;
  text += elements;
  return text;
}

}  // namespace warptune::kernel_templates::definition
