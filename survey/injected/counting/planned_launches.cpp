#include "survey/injected/counting/planned_launches.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::injected::counting {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

struct Bytes {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

Bytes read_whole(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  Bytes bytes;
  if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0 &&
      static_cast<std::size_t>(status.st_size) <= kMaxBytes)
    bytes.data = static_cast<std::uint8_t*>(std::malloc(static_cast<std::size_t>(status.st_size)));
  while (bytes.data != nullptr && bytes.size < static_cast<std::size_t>(status.st_size)) {
    const ssize_t more =
        ::read(file, bytes.data + bytes.size, static_cast<std::size_t>(status.st_size) - bytes.size);
    if (more > 0) bytes.size += static_cast<std::size_t>(more);
    if (more == 0 || (more < 0 && errno != EINTR)) break;
  }
  if (file >= 0) ::close(file);
  return bytes;
}

// The next part of a plan, or null if there are not so many bytes.
const std::uint8_t* take(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t bytes) {
  const std::uint64_t padded = collecting::raw_padded(bytes);
  if (padded < bytes || padded > static_cast<std::uint64_t>(end - at)) return nullptr;
  const std::uint8_t* part = at;
  at += padded;
  return part;
}

bool is_identifier(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

// A word that the mangled form of a demangled name has unchanged, or an empty text. It is `scale` of
// `void app::scale<float>(float*)`. Operators and some names of the standard library are abbreviated.
std::string_view mangled_word(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  while (const std::size_t at = name.find(kAnonymous) + 1) name.remove_prefix(at - 1 + kAnonymous.size());
  name = name.substr(0, name.find_first_of("<("));
  const std::size_t before = name.find_last_of(" :");
  if (before != std::string_view::npos) name.remove_prefix(before + 1);
  const bool is_short =
      name == "operator" || name == "decltype" || name == "allocator" || name.substr(0, 6) == "basic_";
  return is_identifier(name) && !is_short ? name : std::string_view();
}

}  // namespace

std::uint64_t name_hash(const char* name) {
  constexpr std::uint64_t kBasis = 0xCBF2'9CE4'8422'2325U;
  constexpr std::uint64_t kPrime = 0x100'0000'01B3U;
  std::uint64_t hash = kBasis;
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<std::uint8_t>(*name)) * kPrime;
  return std::max<std::uint64_t>(hash, 1);
}

bool PlannedLaunches::take_kernels(const std::uint8_t*& at, const std::uint8_t* end) {
  for (std::uint32_t i = 0; i < plan_.kernels; ++i) {
    const auto* form = reinterpret_cast<const collecting::counting::RawPlannedKernel*>(
        take(at, end, sizeof(collecting::counting::RawPlannedKernel)));
    if (form == nullptr) return false;
    const auto* name = reinterpret_cast<const char*>(take(at, end, std::uint64_t{form->length} + 1));
    if (name == nullptr || name[form->length] != '\0') return false;
    kernels_[i] = {form, name, mangled_word(name)};
  }
  return true;
}

bool PlannedLaunches::take_configs(const std::uint8_t*& at, const std::uint8_t* end) {
  for (std::uint32_t i = 0; i < plan_.configs; ++i) {
    const auto* form = reinterpret_cast<const collecting::counting::RawPlannedConfig*>(
        take(at, end, sizeof(collecting::counting::RawPlannedConfig)));
    if (form == nullptr || form->chip.back() != '\0') return false;
    const auto* names = reinterpret_cast<const char*>(take(at, end, form->names_length));
    if (names == nullptr || form->names_length == 0 || names[form->names_length - 1] != '\0') return false;
    PlannedConfig& config = configs_[i];
    config.chip = form->chip.data();
    for (const char* name = names; name < names + form->names_length; name += std::strlen(name) + 1) {
      if (config.metric_count == config.metrics.size()) return false;
      config.metrics[config.metric_count++] = name;
    }
    if (config.metric_count != form->metrics) return false;
    config.image = take(at, end, form->image_bytes);
    config.image_bytes = form->image_bytes;
    if (config.image == nullptr) return false;
  }
  return true;
}

PlannedLaunches::~PlannedLaunches() { std::free(bytes_); }

bool PlannedLaunches::read(const char* path) {
  const Bytes bytes = read_whole(path);
  bytes_ = bytes.data;
  if (bytes.size < sizeof(plan_)) return false;
  collecting::counting::RawPlan head;
  std::memcpy(&head, bytes.data, sizeof(head));
  if (head.magic != collecting::counting::kPlanMagic || head.kernels > kernels_.size() ||
      head.configs > configs_.size())
    return false;
  plan_ = head;
  const std::uint8_t* at = bytes.data + sizeof(plan_);
  const std::uint8_t* const end = bytes.data + bytes.size;
  return take_kernels(at, end) && take_configs(at, end);
}

std::uint32_t PlannedLaunches::config_of(const char* chip) const {
  for (std::uint32_t i = 0; i < plan_.configs; ++i) {
    if (std::strcmp(configs_[i].chip, chip) == 0) return i;
  }
  return kNotPlanned;
}

std::uint32_t PlannedLaunches::find(const char* mangled) const {
  const std::string_view whole = mangled;
  if (std::none_of(kernels_.begin(), kernels_.begin() + plan_.kernels,
                   [&](const Kernel& kernel) { return whole.find(kernel.word) != std::string_view::npos; }))
    return kNotPlanned;
  int status = 0;
  char* const text =
      std::strncmp(mangled, "_Z", 2) == 0 ? abi::__cxa_demangle(mangled, nullptr, nullptr, &status) : nullptr;
  const char* const name = text != nullptr ? text : mangled;
  std::uint32_t found = kNotPlanned;
  for (std::uint32_t i = 0; i < plan_.kernels && found == kNotPlanned; ++i) {
    if (std::strcmp(kernels_[i].name, name) == 0) found = i;
  }
  std::free(text);
  return found;
}

std::uint32_t PlannedLaunches::kernel_of(const char* mangled) {
  const std::uint64_t hash = name_hash(mangled);
  ::pthread_mutex_lock(&names_lock_);
  std::size_t place = hash % names_.size();
  while (names_[place].hash != 0 && names_[place].hash != hash) place = (place + 1) % names_.size();
  KnownName& known = names_[place];
  if (known.hash == 0 && name_count_ < names_.size() / 2) {
    known = {hash, find(mangled)};
    ++name_count_;
  }
  const std::uint32_t kernel = known.hash != 0 ? known.kernel : find(mangled);
  ::pthread_mutex_unlock(&names_lock_);
  return kernel;
}

}  // namespace warptune::survey::injected::counting
