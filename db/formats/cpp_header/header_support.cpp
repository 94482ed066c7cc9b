#include "db/formats/cpp_header/header_support.h"

namespace warptune::db::formats::cpp_header {

const std::string_view kHeaderSupport =
    R"header(#ifndef WARPTUNE_HEADER_SUPPORT
#define WARPTUNE_HEADER_SUPPORT 1

#if defined(__CUDACC__)
#define WARPTUNE_HD __host__ __device__
#else
#define WARPTUNE_HD
#endif

namespace warptune_detail {

/// The GPU to select for, or the GPU that a row was measured on. 0 (-1 for ecc and mig) means unknown
/// and matches any value.
struct Device {
  int compute_capability = 0;  // 90 means 9.0
  int sm_count = 0;
  long long l2_bytes = 0;
  long long memory_bandwidth_bytes_per_s = 0;
  long long max_clock_khz = 0;
  int ecc = -1;
  int mig = -1;
  long long max_threads_per_block = 0;
  long long max_threads_per_sm = 0;
  long long registers_per_sm = 0;
  long long shared_bytes_per_block_optin = 0;
  long long shared_bytes_per_sm = 0;
};

/// Makes a Device from a `cudaDeviceProp` or a type with the same members. Clock and bandwidth stay
/// unknown.
template <class Properties>
WARPTUNE_HD constexpr Device device_of(const Properties& properties) {
  Device device;
  device.compute_capability = properties.major * 10 + properties.minor;
  device.sm_count = properties.multiProcessorCount;
  device.l2_bytes = static_cast<long long>(properties.l2CacheSize);
  device.ecc = properties.ECCEnabled != 0 ? 1 : 0;
  device.max_threads_per_block = static_cast<long long>(properties.maxThreadsPerBlock);
  device.max_threads_per_sm = static_cast<long long>(properties.maxThreadsPerMultiProcessor);
  device.registers_per_sm = static_cast<long long>(properties.regsPerMultiprocessor);
  device.shared_bytes_per_block_optin = static_cast<long long>(properties.sharedMemPerBlockOptin);
  device.shared_bytes_per_sm = static_cast<long long>(properties.sharedMemPerMultiprocessor);
  return device;
}

/// How well the selected row fits the question, best first.
enum class Match { exact, near_problem, same_cc, same_major, portable, recommended, fallback_default };

WARPTUNE_HD constexpr int compare_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  const int left = static_cast<unsigned char>(*a);
  const int right = static_cast<unsigned char>(*b);
  return left < right ? -1 : (left > right ? 1 : 0);
}
WARPTUNE_HD constexpr bool same_text(const char* a, const char* b) { return compare_text(a, b) == 0; }

WARPTUNE_HD constexpr bool matches(long long row, long long asked, long long unknown) {
  return row == asked || row == unknown || asked == unknown;
}
WARPTUNE_HD constexpr bool same_gpu(const Device& row, const Device& asked) {
  return row.compute_capability == asked.compute_capability &&
         matches(row.sm_count, asked.sm_count, 0) && matches(row.l2_bytes, asked.l2_bytes, 0) &&
         matches(row.memory_bandwidth_bytes_per_s, asked.memory_bandwidth_bytes_per_s, 0) &&
         matches(row.max_clock_khz, asked.max_clock_khz, 0) && matches(row.ecc, asked.ecc, -1) &&
         matches(row.mig, asked.mig, -1);
}
/// The same also in what is unknown of a device.
WARPTUNE_HD constexpr bool same_values(const Device& a, const Device& b) {
  return a.compute_capability == b.compute_capability && a.sm_count == b.sm_count && a.l2_bytes == b.l2_bytes &&
         a.memory_bandwidth_bytes_per_s == b.memory_bandwidth_bytes_per_s && a.max_clock_khz == b.max_clock_khz &&
         a.ecc == b.ecc && a.mig == b.mig;
}
WARPTUNE_HD constexpr Match match_of(const Device& row, const Device& asked, bool same_problem) {
  if (same_gpu(row, asked)) return same_problem ? Match::exact : Match::near_problem;
  if (row.compute_capability == asked.compute_capability) return Match::same_cc;
  return row.compute_capability / 10 == asked.compute_capability / 10 ? Match::same_major : Match::portable;
}

/// The larger size divided by the smaller one; 0 if they cannot be compared.
WARPTUNE_HD constexpr double ratio_of(double asked, double stored) {
  if (asked == stored) return 1.0;
  if (!(asked > 0.0) || !(stored > 0.0)) return 0.0;
  return asked > stored ? asked / stored : stored / asked;
}

/// A value within a constraint. A failure (division by zero, overflow, text in arithmetic) is a value,
/// too. A constraint that fails does not hold.
struct Cell {
  enum Kind { boolean, integer, real, text, failure };
  Kind kind = failure;
  long long whole = 0;
  double number = 0.0;
  const char* words = "";
};
WARPTUNE_HD constexpr Cell cell(bool value) { return {Cell::boolean, value ? 1 : 0, 0.0, ""}; }
WARPTUNE_HD constexpr Cell cell(long long value) { return {Cell::integer, value, 0.0, ""}; }
WARPTUNE_HD constexpr Cell cell(int value) { return {Cell::integer, value, 0.0, ""}; }
WARPTUNE_HD constexpr Cell cell(const char* value) { return {Cell::text, 0, 0.0, value}; }
WARPTUNE_HD constexpr Cell failed() { return {Cell::failure, 0, 0.0, ""}; }
WARPTUNE_HD constexpr Cell cell(double value) {
  constexpr double largest = 1.7976931348623157e308;
  if (!(value <= largest && value >= -largest)) return failed();
  return {Cell::real, 0, value, ""};
}
WARPTUNE_HD constexpr bool is_failure(const Cell& a) { return a.kind == Cell::failure; }
WARPTUNE_HD constexpr bool is_integral(const Cell& a) {
  return a.kind == Cell::integer || a.kind == Cell::boolean;
}
WARPTUNE_HD constexpr bool both_integral(const Cell& a, const Cell& b) {
  return is_integral(a) && is_integral(b);
}
WARPTUNE_HD constexpr bool is_number(const Cell& a) { return is_integral(a) || a.kind == Cell::real; }
WARPTUNE_HD constexpr bool both_numbers(const Cell& a, const Cell& b) { return is_number(a) && is_number(b); }
WARPTUNE_HD constexpr double number_of(const Cell& a) {
  return a.kind == Cell::real ? a.number : static_cast<double>(a.whole);
}
WARPTUNE_HD constexpr bool is_true(const Cell& a) {
  return a.kind == Cell::real ? (a.number < 0.0 || a.number > 0.0) : (is_integral(a) && a.whole != 0);
}
WARPTUNE_HD constexpr Cell truth(const Cell& a) { return is_number(a) ? cell(is_true(a)) : failed(); }
/// Whether a constraint with this value holds.
WARPTUNE_HD constexpr bool holds(const Cell& a) { return is_true(a); }

constexpr long long most = 9223372036854775807LL;
constexpr long long least = -most - 1;

WARPTUNE_HD constexpr bool product_overflows(long long a, long long b) {
  if (a == 0 || b == 0) return false;
  if (a > 0) return b > 0 ? a > most / b : b < least / a;
  return b > 0 ? a < least / b : b < most / a;
}
WARPTUNE_HD constexpr Cell operator+(const Cell& a, const Cell& b) {
  if (!both_integral(a, b)) return both_numbers(a, b) ? cell(number_of(a) + number_of(b)) : failed();
  const bool overflows = b.whole > 0 ? a.whole > most - b.whole : a.whole < least - b.whole;
  return overflows ? failed() : cell(a.whole + b.whole);
}
WARPTUNE_HD constexpr Cell operator-(const Cell& a, const Cell& b) {
  if (!both_integral(a, b)) return both_numbers(a, b) ? cell(number_of(a) - number_of(b)) : failed();
  const bool overflows = b.whole < 0 ? a.whole > most + b.whole : a.whole < least + b.whole;
  return overflows ? failed() : cell(a.whole - b.whole);
}
WARPTUNE_HD constexpr Cell operator*(const Cell& a, const Cell& b) {
  if (!both_integral(a, b)) return both_numbers(a, b) ? cell(number_of(a) * number_of(b)) : failed();
  return product_overflows(a.whole, b.whole) ? failed() : cell(a.whole * b.whole);
}
WARPTUNE_HD constexpr Cell quotient(const Cell& a, const Cell& b) {
  if (!both_integral(a, b) || b.whole == 0) return failed();
  if (b.whole == -1) return a.whole == least ? failed() : cell(-a.whole);
  return cell(a.whole / b.whole);
}
WARPTUNE_HD constexpr Cell operator/(const Cell& a, const Cell& b) {
  if (both_integral(a, b)) return quotient(a, b);
  if (!both_numbers(a, b) || !(number_of(b) < 0.0 || number_of(b) > 0.0)) return failed();
  return cell(number_of(a) / number_of(b));
}
WARPTUNE_HD constexpr Cell operator%(const Cell& a, const Cell& b) {
  if (!both_integral(a, b) || b.whole == 0) return failed();
  return cell(b.whole == -1 ? 0 : a.whole % b.whole);
}
WARPTUNE_HD constexpr Cell operator-(const Cell& a) {
  return a.kind == Cell::real ? cell(-a.number) : cell(0) - a;
}
WARPTUNE_HD constexpr Cell operator!(const Cell& a) { return is_number(a) ? cell(!is_true(a)) : failed(); }
WARPTUNE_HD constexpr Cell operator&&(const Cell& a, const Cell& b) {
  return is_number(a) && is_true(a) ? truth(b) : truth(a);
}
WARPTUNE_HD constexpr Cell operator||(const Cell& a, const Cell& b) {
  return is_number(a) && !is_true(a) ? truth(b) : truth(a);
}
WARPTUNE_HD constexpr Cell select(const Cell& condition, const Cell& yes, const Cell& no) {
  return !is_number(condition) ? failed() : (is_true(condition) ? yes : no);
}

WARPTUNE_HD constexpr bool comparable(const Cell& a, const Cell& b) {
  return both_numbers(a, b) || (a.kind == Cell::text && b.kind == Cell::text);
}
/// -1, 0 or 1 if a is less than, equal to or greater than b.
WARPTUNE_HD constexpr int compare(const Cell& a, const Cell& b) {
  if (a.kind == Cell::text) return compare_text(a.words, b.words);
  if (both_integral(a, b)) return a.whole < b.whole ? -1 : (a.whole > b.whole ? 1 : 0);
  return number_of(a) < number_of(b) ? -1 : (number_of(a) > number_of(b) ? 1 : 0);
}
WARPTUNE_HD constexpr Cell operator<(const Cell& a, const Cell& b) {
  return comparable(a, b) ? cell(compare(a, b) < 0) : failed();
}
WARPTUNE_HD constexpr Cell operator<=(const Cell& a, const Cell& b) {
  return comparable(a, b) ? cell(compare(a, b) <= 0) : failed();
}
WARPTUNE_HD constexpr Cell operator>(const Cell& a, const Cell& b) { return b < a; }
WARPTUNE_HD constexpr Cell operator>=(const Cell& a, const Cell& b) { return b <= a; }
WARPTUNE_HD constexpr Cell operator==(const Cell& a, const Cell& b) {
  return comparable(a, b) ? cell(compare(a, b) == 0) : failed();
}
WARPTUNE_HD constexpr Cell operator!=(const Cell& a, const Cell& b) { return !(a == b); }

WARPTUNE_HD constexpr Cell min(const Cell& a, const Cell& b) {
  if (!both_numbers(a, b)) return failed();
  if (both_integral(a, b)) return cell(b.whole < a.whole ? b.whole : a.whole);
  return cell(number_of(b) < number_of(a) ? number_of(b) : number_of(a));
}
WARPTUNE_HD constexpr Cell max(const Cell& a, const Cell& b) {
  if (!both_numbers(a, b)) return failed();
  if (both_integral(a, b)) return cell(a.whole < b.whole ? b.whole : a.whole);
  return cell(number_of(a) < number_of(b) ? number_of(b) : number_of(a));
}
WARPTUNE_HD constexpr Cell abs(const Cell& a) {
  if (!is_number(a)) return failed();
  if (is_integral(a)) return a.whole < 0 ? -a : cell(a.whole);
  return cell(a.number < 0.0 ? -a.number : a.number);
}
WARPTUNE_HD constexpr Cell ceil_div(const Cell& a, const Cell& b) {
  const Cell whole = quotient(a, b);
  if (is_failure(whole) || b.whole == -1 || a.whole % b.whole == 0 || (a.whole < 0) != (b.whole < 0))
    return whole;
  return cell(whole.whole + 1);
}
WARPTUNE_HD constexpr Cell round_up(const Cell& a, const Cell& multiple) {
  if (!both_integral(a, multiple) || multiple.whole <= 0) return failed();
  return ceil_div(a, multiple) * cell(multiple.whole);
}
/// The largest integer that is not above a.
WARPTUNE_HD constexpr Cell floor(const Cell& a) {
  if (is_integral(a)) return cell(a.whole);
  if (a.kind != Cell::real || !(a.number >= -9223372036854775808.0 && a.number < 9223372036854775808.0))
    return failed();
  const long long truncated = static_cast<long long>(a.number);
  return cell(static_cast<double>(truncated) > a.number ? truncated - 1 : truncated);
}
WARPTUNE_HD constexpr Cell is_pow2(const Cell& a) {
  return is_integral(a) ? cell(a.whole > 0 && (a.whole & (a.whole - 1)) == 0) : failed();
}
/// Binary logarithm. Halving or doubling gives the whole part. Then each squaring gives a bit of the
/// fraction.
WARPTUNE_HD constexpr double binary_logarithm(double value) {
  double result = 0.0;
  for (; value >= 2.0; value /= 2.0) result += 1.0;
  for (; value < 1.0; value *= 2.0) result -= 1.0;
  for (double bit = 0.5; bit > 1e-17; bit /= 2.0) {
    value *= value;
    if (value >= 2.0) {
      value /= 2.0;
      result += bit;
    }
  }
  return result;
}
WARPTUNE_HD constexpr Cell log2(const Cell& a) {
  if (!is_number(a) || !(number_of(a) > 0.0)) return failed();
  if (!is_true(is_integral(a) ? is_pow2(a) : cell(false))) return cell(binary_logarithm(number_of(a)));
  long long exponent = 0;
  for (long long rest = a.whole; rest > 1; rest /= 2) ++exponent;
  return cell(exponent);
}
WARPTUNE_HD constexpr Cell size_of(const Cell& type) {
  if (type.kind != Cell::text) return failed();
  const char* name = type.words;
  if (same_text(name, "i8") || same_text(name, "u8")) return cell(1);
  if (same_text(name, "f16") || same_text(name, "bf16") || same_text(name, "i16") || same_text(name, "u16")) {
    return cell(2);
  }
  if (same_text(name, "f32") || same_text(name, "i32") || same_text(name, "u32")) return cell(4);
  if (same_text(name, "f64") || same_text(name, "i64") || same_text(name, "u64")) return cell(8);
  return failed();
}

/// Whether a block with these resources can run on the device. An unknown attribute is not checked.
WARPTUNE_HD constexpr bool fits(int threads_per_block, int registers_per_thread,
                                long long shared_bytes, const Device& device) {
  const long long registers = static_cast<long long>(threads_per_block) * registers_per_thread;
  return (device.max_threads_per_block == 0 || threads_per_block <= device.max_threads_per_block) &&
         (device.registers_per_sm == 0 || registers <= device.registers_per_sm) &&
         (device.shared_bytes_per_block_optin == 0 ||
          shared_bytes <= device.shared_bytes_per_block_optin);
}

}  // namespace warptune_detail

#endif  // WARPTUNE_HEADER_SUPPORT
)header";

}  // namespace warptune::db::formats::cpp_header
