#include "survey/captures/capture_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/zstd_text.h"

namespace warptune::survey::captures {

using nlohmann::ordered_json;
using profiling::captures::CapturedBuffer;
using profiling::captures::CapturedLaunch;

namespace {

constexpr std::string_view kFormat = "warptune capture";
constexpr int kVersion = 1;
constexpr int kLevel = 3;
constexpr std::size_t kMib = std::size_t{1} << 20;
constexpr std::size_t kMaxHead = 16 * kMib;
constexpr std::uint64_t kMaxParameterBytes = 32764;  // All parameters of a kernel, from CUDA 12.1 on.
constexpr std::uint64_t kMaxThreads = 1024;          // In a block.
constexpr std::uint64_t kMaxBlocks = std::uint64_t{1}
                                     << 48U;  // So that the number of threads fits into 64 bits.

// The members that are in the head as they are.
template <class Launch, class Visit>
void visit_members(Launch& launch, const Visit& visit) {
  visit("kernel", launch.kernel);
  visit("name", launch.name);
  visit("grid", launch.grid);
  visit("block", launch.block);
  visit("cluster", launch.cluster);
  visit("dynamic_shared_bytes", launch.dynamic_shared_bytes);
  visit("cooperative", launch.cooperative);
  visit("carveout", launch.carveout);
  visit("notes", launch.notes);
  visit("launch", launch.launch);
  visit("command", launch.command);
  visit("gpu_name", launch.gpu_name);
  visit("compute_major", launch.compute_major);
  visit("compute_minor", launch.compute_minor);
  visit("driver_version", launch.driver_version);
  visit("cupti_version", launch.cupti_version);
  visit("warptune_version", launch.warptune_version);
  visit("captured_ms", launch.captured_ms);
  visit("application_launches", launch.application_launches);
}

ordered_json head_of(const CapturedLaunch& launch) {
  ordered_json head = {{"format", kFormat}, {"version", kVersion}};
  visit_members(launch, [&](const char* name, const auto& member) { head[name] = member; });
  if (launch.application_ns) head["application_ns"] = *launch.application_ns;
  head["image_bytes"] = launch.image.size();
  head["block_bytes"] = launch.parameter_bytes.size();
  head["parameters"] = ordered_json::array();
  for (const auto& parameter : launch.parameters)
    head["parameters"].push_back({{"offset", parameter.offset}, {"bytes", parameter.bytes}});
  head["buffers"] = ordered_json::array();
  for (const CapturedBuffer& buffer : launch.buffers)
    head["buffers"].push_back({{"address", buffer.address},
                               {"bytes", buffer.before.size()},
                               {"variable", buffer.variable},
                               {"changed", buffer.after.has_value()}});
  return head;
}

// Takes the next bytes of the text.
std::string take(std::string_view& rest, std::uint64_t bytes) {
  if (bytes > rest.size()) throw base::InputError("expected a whole capture, found one that is cut off");
  std::string taken(rest.substr(0, bytes));
  rest.remove_prefix(bytes);
  return taken;
}

void take_buffers(const ordered_json& head, std::string_view& rest, CapturedLaunch& launch) {
  for (const ordered_json& row : head.at("buffers")) {
    CapturedBuffer buffer;
    row.at("address").get_to(buffer.address);
    row.at("variable").get_to(buffer.variable);
    const auto bytes = row.at("bytes").get<std::uint64_t>();
    buffer.before = take(rest, bytes);
    if (row.at("changed").get<bool>()) buffer.after = take(rest, bytes);
    launch.buffers.push_back(std::move(buffer));
  }
}

// nlohmann's conversion accepts fractions, negative numbers and ones that are too large without a word.
void check_numbers(const ordered_json& row, std::initializer_list<std::uint64_t> limits) {
  std::size_t i = 0;
  for (const std::uint64_t limit : limits) {
    const ordered_json& number = row.at(i++);
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > limit)
      throw base::InputError(fmt::format(
          "expected a capture, found {} where a whole number of at most {} belongs", number.dump(), limit));
  }
}

std::uint64_t product_of(const ordered_json& row) {
  std::uint64_t product = 1;  // At most 2^63 with the limits of `check_geometry`.
  for (const ordered_json& number : row) product *= number.get<std::uint64_t>();
  return product;
}

// The limits of the CUDA programming guide for all compute capabilities.
void check_geometry(const ordered_json& head) {
  check_numbers(head.at("grid"), {0x7FFF'FFFF, 65535, 65535});
  check_numbers(head.at("block"), {1024, 1024, 64});
  check_numbers(head.at("cluster"), {16, 16, 16});
  for (const ordered_json& row : head.at("parameters"))
    check_numbers(ordered_json::array({row.at("offset"), row.at("bytes")}),
                  {kMaxParameterBytes, kMaxParameterBytes});
  check_numbers(ordered_json::array({head.at("compute_major"), head.at("compute_minor")}), {1000, 1000});
  if (product_of(head.at("block")) > kMaxThreads || product_of(head.at("grid")) > kMaxBlocks)
    throw base::InputError("expected a capture, found more threads than a launch can have");
}

void check_parameters(const CapturedLaunch& launch) {
  for (const auto& parameter : launch.parameters) {
    if (parameter.offset > launch.parameter_bytes.size() ||
        parameter.bytes > launch.parameter_bytes.size() - parameter.offset)
      throw base::InputError("expected a capture, found a parameter outside of the block of parameters");
  }
}

CapturedLaunch capture_of(std::string_view text) {
  const std::size_t end = text.substr(0, kMaxHead).find('\n');
  const ordered_json head = end == std::string_view::npos
                                ? ordered_json()
                                : ordered_json::parse(text.substr(0, end), nullptr, false);
  if (!head.is_object() || head.value("format", "") != kFormat)
    throw base::InputError("expected a capture of a launch, found another file");
  if (const int version = head.at("version").get<int>(); version > kVersion || version < 1)
    throw base::InputError(
        fmt::format("expected a capture of version 1 to {}, found version {}", kVersion, version));
  check_geometry(head);
  CapturedLaunch launch;
  visit_members(launch, [&](const char* name, auto& member) { head.at(name).get_to(member); });
  if (head.contains("application_ns")) launch.application_ns = head.at("application_ns").get<double>();
  std::string_view rest = text.substr(end + 1);
  launch.image = take(rest, head.at("image_bytes").get<std::uint64_t>());
  launch.parameter_bytes = take(rest, head.at("block_bytes").get<std::uint64_t>());
  for (const ordered_json& row : head.at("parameters"))
    launch.parameters.push_back(
        {row.at("offset").get<std::uint32_t>(), row.at("bytes").get<std::uint32_t>()});
  take_buffers(head, rest, launch);
  if (!rest.empty()) throw base::InputError("expected a capture, found bytes after its end");
  check_parameters(launch);
  return launch;
}

}  // namespace

void write_capture(const CapturedLaunch& launch, const std::filesystem::path& path) {
  std::string text = head_of(launch).dump(-1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
  text += launch.image;
  text += launch.parameter_bytes;
  for (const CapturedBuffer& buffer : launch.buffers) {
    text += buffer.before;
    if (buffer.after) text += *buffer.after;
  }
  base::write_file_atomically(path, base::streams::zstd_compress(text, kLevel));
}

CapturedLaunch read_capture(const std::filesystem::path& path, std::size_t max_text) {
  std::string text;
  base::streams::zstd_decompress(base::read_file(path), path, "capture", [&](std::string_view piece) {
    if (text.size() + piece.size() > max_text)
      throw base::InputError(
          fmt::format("expected a capture of at most {} MiB once it is unpacked, found more",
                      max_text / kMib),
          {path.string(), 0, 0});
    text += piece;
  });
  try {
    return capture_of(text);
  } catch (const base::InputError& error) {
    throw base::InputError(error.what(), {path.string(), 0, 0});
  } catch (const nlohmann::json::exception&) {
    throw base::InputError("expected a capture, found a member that is missing or of another type",
                           {path.string(), 0, 0});
  }
}

}  // namespace warptune::survey::captures
