#include "kernel_templates/compiling/compiled_form.h"

#include <cstring>
#include <string_view>

#include "base/hash.h"

namespace warptune::kernel_templates::compiling {

namespace {

constexpr std::string_view kMagic = "wtkeyed";
constexpr std::size_t kDigestDigits = 64;
constexpr std::string_view kEarlierMagic = "wtcompiled";  // The XXH3 hash of the rest follows.
constexpr std::size_t kEarlierDigits = 32;

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(sizeof(Number) == 8);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes += value;
  }
  std::string bytes;
};

// Reads numbers and texts. After the end of the bytes it returns zeros and empty texts, and `whole` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class Number>
  void number(Number& value) {
    static_assert(sizeof(Number) == 8);
    value = {};
    if (bytes_.size() < sizeof(value)) return fail();
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_.remove_prefix(sizeof(value));
  }
  void text(std::string& value) {
    std::uint64_t size = 0;
    number(size);
    if (bytes_.size() < size) return fail();
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  bool whole() const { return whole_ && bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

 private:
  void fail() {
    whole_ = false;
    bytes_ = {};
  }
  std::string_view bytes_;
  bool whole_ = true;
};

// The one list of an entry's fields, for writing and reading.
template <class Form, class Entry>
void visit_entry(Form& form, Entry& entry) {
  form.text(entry.entry);
  form.text(entry.lowered_name);
  form.number(entry.registers_per_thread);
  form.number(entry.static_shared_bytes);
  form.number(entry.local_bytes);
  form.number(entry.spill_bytes);
}

template <class Form, class Variable>
void visit_variable(Form& form, Variable& variable) {
  form.text(variable.variable);
  form.text(variable.lowered_name);
}

std::optional<model::Outcome<CompiledKernel>> read_body(const std::string& key, std::string_view body) {
  Reader form(body);
  std::string stored_key;
  std::uint64_t compiled = 0;
  form.text(stored_key);
  form.number(compiled);
  if (stored_key != key) return std::nullopt;
  if (compiled == 0) {
    std::string status;
    model::Rejection rejection;
    form.text(status);
    form.text(rejection.reason);
    const std::optional<model::Status> parsed = model::parse_status(status);
    if (!form.whole() || !parsed) return std::nullopt;
    rejection.status = *parsed;
    return model::Outcome<CompiledKernel>(base::failure(rejection));
  }
  CompiledKernel kernel;
  std::uint64_t entries = 0;
  form.text(kernel.cubin);
  form.text(kernel.log);
  form.number(kernel.compile_ms);
  form.number(entries);
  if (entries > form.left()) return std::nullopt;
  kernel.entries.resize(entries);
  for (EntryCode& entry : kernel.entries) visit_entry(form, entry);
  while (form.left() > 0) visit_variable(form, kernel.variables.emplace_back());
  if (!form.whole()) return std::nullopt;
  return model::Outcome<CompiledKernel>(std::move(kernel));
}

}  // namespace

std::string write_compiled(const std::string& key, const model::Outcome<CompiledKernel>& outcome,
                           const std::string& secret) {
  Writer form;
  form.text(key);
  form.number(static_cast<std::uint64_t>(outcome.has_value()));
  if (outcome) {
    form.text(outcome->cubin);
    form.text(outcome->log);
    form.number(outcome->compile_ms);
    form.number(static_cast<std::uint64_t>(outcome->entries.size()));
    for (const EntryCode& entry : outcome->entries) visit_entry(form, entry);
    for (const VariableCode& variable : outcome->variables) visit_variable(form, variable);
  } else {
    form.text(model::to_string(outcome.error().status));
    form.text(outcome.error().reason);
  }
  return std::string(kMagic) + base::keyed_hash_hex(form.bytes, secret) + form.bytes;
}

bool is_unkeyed_file(std::string_view bytes) { return bytes.starts_with(kEarlierMagic); }

std::optional<model::Outcome<CompiledKernel>> read_compiled(const std::string& key, std::string_view bytes,
                                                            const std::string& secret) {
  const bool earlier = is_unkeyed_file(bytes);
  if (!earlier && !bytes.starts_with(kMagic)) return std::nullopt;
  bytes.remove_prefix(earlier ? kEarlierMagic.size() : kMagic.size());
  const std::size_t digits = earlier ? kEarlierDigits : kDigestDigits;
  if (bytes.size() < digits) return std::nullopt;
  const std::string_view body = bytes.substr(digits);
  const std::string digest = earlier ? base::hash_hex(body) : base::keyed_hash_hex(body, secret);
  if (digest != bytes.substr(0, digits)) return std::nullopt;
  return read_body(key, body);
}

}  // namespace warptune::kernel_templates::compiling
