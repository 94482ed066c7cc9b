#include "db/formats/cpp_header/header_text.h"

namespace warptune::db::formats::cpp_header {

const std::array<std::string, 9> kDeviceAttributes = {
    "compute_capability",    "sm_count",           "l2_bytes",         "memory_bandwidth_bytes_per_s",
    "max_threads_per_block", "max_threads_per_sm", "registers_per_sm", "shared_bytes_per_block_optin",
    "shared_bytes_per_sm"};

const std::string_view kHeaderRow =
    R"header(/// The fastest known configuration of a problem on a GPU, with its times and resources.
struct Row {
  Device device;
  Problem problem;
  Config config;
  double median_ns;
  double default_ns;  // 0 if the default was not measured
  int threads_per_block;
  int registers_per_thread;
  long long shared_bytes;
};

)header";

const std::string_view kHeaderRowSelection =
    R"header(/// A selected configuration, and how well its row fits the given device and problem.
struct Selection {
  Config config;
  Match match;
  double size_ratio;  // the distance of the given problem and the row's: 1 if equal; 0 if nothing was measured
  int row;            // index in `table`; row_count for the default, more for what is recommended
};

/// Makes no demands. `select_from` always tests a row's constraints and resources.
struct NoDemands {
  WARPTUNE_HD constexpr bool operator()(int, const Config&, const Problem&, const Device&) const {
    return true;
  }
};

/// Selects among the measured rows for which `demands(i, config, problem, device)` is true. `i` is the index of
/// a row.
template <class Demands>
WARPTUNE_HD constexpr Selection select_row(const Table& rows, const Device& device, const Problem& problem,
                                           const Demands& demands) {
  Selection best{rows.rows[row_count].config, Match::fallback_default, 0.0, row_count};
  for (int i = 0; i < row_count; ++i) {
    const Row& row = rows.rows[i];
    const double ratio = size_ratio(problem, row.problem);
    if (!(ratio > 0.0)) continue;
    if (!is_valid(row.config, problem, device)) continue;
    if (!warptune_detail::fits(row.threads_per_block, row.registers_per_thread, row.shared_bytes, device))
      continue;
    if (!demands(i, row.config, problem, device)) continue;
    const Match match = warptune_detail::match_of(row.device, device, !(ratio > 1.0));
    if (match > best.match) continue;
    if (match == best.match && ratio > best.size_ratio) continue;
    const bool tie = match == best.match && !(ratio < best.size_ratio);
    if (tie && !(row.median_ns < rows.rows[best.row].median_ns)) continue;
    best = Selection{row.config, match, ratio, i};
  }
  return best;
}

)header";

const std::string_view kHeaderFirstRecommendation =
    R"header(/// The first recommendation, from number `first` on, that holds for a problem on a device and is valid there.
/// It is recommended_count if there is none.
WARPTUNE_HD constexpr int recommendation_for(const Table& rows, const Device& device, const Problem& problem,
                                             int first = 0) {
  for (int i = first; i < recommended_count; ++i) {
    if (is_recommended(i, problem, device) && is_valid(rows.rows[row_count + 1 + i].config, problem, device))
      return i;
  }
  return recommended_count;
}

)header";

const std::string_view kHeaderCheapestRecommendation =
    R"header(/// Whether recommendation `a` is preferred to `b` of the same group: it is cheaper, or earlier at the same cost.
WARPTUNE_HD constexpr bool is_preferred(int a, int b, const Problem& problem, const Device& device) {
  const double left = warptune_detail::number_of(recommended_cost(a, problem, device));
  const double right = warptune_detail::number_of(recommended_cost(b, problem, device));
  return left < right || (a < b && !(right < left));
}

/// The most preferred recommendation that holds for a problem on a device and is valid there, after number
/// `first - 1` in the order of preference; of all if `first` is 0. Groups are preferred in their order, and in a
/// group the lowest cost, then the earlier one. It is recommended_count if there is none.
WARPTUNE_HD constexpr int recommendation_for(const Table& rows, const Device& device, const Problem& problem,
                                             int first = 0) {
  const int last = first - 1;
  int best = recommended_count;
  for (int i = last < 0 ? 0 : recommended_group(last); i < recommended_count; ++i) {
    if (best < recommended_count && recommended_group(i) != recommended_group(best)) break;
    if (last >= 0 && recommended_group(i) == recommended_group(last) && !is_preferred(last, i, problem, device))
      continue;
    if (!is_recommended(i, problem, device) ||
        !is_valid(rows.rows[row_count + 1 + i].config, problem, device))
      continue;
    if (best == recommended_count || is_preferred(i, best, problem, device)) best = i;
  }
  return best;
}

)header";

const std::string_view kHeaderSelection =
    R"header(/// Selects a row as `select_row` does. A row of another problem or device does not answer if the definition
/// recommends something for the given ones that it does not recommend for the row's. Nor does it if something is
/// recommended and its problem is far away (`max_ratio_beside_recommended`). What is recommended answers then,
/// and before the default.
template <class Demands>
WARPTUNE_HD constexpr Selection select_from(const Table& rows, const Device& device, const Problem& problem,
                                            const Demands& demands) {
  const Selection best = select_row(rows, device, problem, demands);
  if (best.match == Match::exact) return best;
  const Row& from = rows.rows[best.row];
  const int here = recommendation_for(rows, device, problem);
  const bool is_measured = best.match != Match::fallback_default;
  const bool is_near = here == recommended_count || best.size_ratio <= max_ratio_beside_recommended;
  if (is_measured && is_near && recommendation_for(rows, from.device, from.problem) == here) return best;
  for (int i = here; i < recommended_count; i = recommendation_for(rows, device, problem, i + 1)) {
    const int row = row_count + 1 + i;
    const Config& config = rows.rows[row].config;
    if (can_launch(config, problem, device) && demands(row, config, problem, device))
      return Selection{config, Match::recommended, 0.0, row};
  }
  return best;
}

/// Selects the configuration to use. The first of these groups with a valid row is used: same GPU and
/// problem; same GPU; same compute capability; same major version of it; any GPU. Within a group the
/// nearest problem wins, then the faster row. What the definition recommends replaces a row of another problem
/// that is far away, or for which it does not recommend the same. If no row is valid and nothing is recommended,
/// the default is used.
WARPTUNE_HD constexpr Selection select(const Device& device, const Problem& problem) {
#if defined(__CUDA_ARCH__)
  return select_from(make_table(), device, problem, NoDemands{});
#else
  return select_from(table, device, problem, NoDemands{});
#endif
}

/// Selects at compile time: `Tuned<90, 132, 4096, 4096>::config`. The entries have the order of
/// `Problem`. A missing entry has the default value that it has there.
template <int ComputeCapability, int SmCount, auto... Entries>
struct Tuned {
  static constexpr Selection selection = select(Device{ComputeCapability, SmCount}, Problem{Entries...});
  static constexpr Config config = selection.config;
};

template <class Constraint>
WARPTUNE_HD constexpr bool every_row_meets(const Table& rows, Constraint constraint) {
  for (int i = 0; i < row_count; ++i) {
    if (!constraint(rows.rows[i].config, rows.rows[i].problem, rows.rows[i].device)) return false;
  }
  return true;
}
WARPTUNE_HD constexpr bool same_key(const Row& a, const Row& b) {
  return !(size_ratio(a.problem, b.problem) < 1.0) && !(size_ratio(a.problem, b.problem) > 1.0) &&
         warptune_detail::same_values(a.device, b.device);
}
WARPTUNE_HD constexpr bool rows_are_unique(const Table& rows) {
  for (int i = 0; i < row_count; ++i) {
    for (int j = i + 1; j < row_count; ++j) {
      if (same_key(rows.rows[i], rows.rows[j])) return false;
    }
  }
  return true;
}
)header";

const std::string_view kHeaderDispatchComment = R"header(
/// Calls `function` with the Choice that equals `config`. The members of a Choice are constants, so they
/// can be template arguments. Returns false if no Choice equals `config`.
)header";

}  // namespace warptune::db::formats::cpp_header
