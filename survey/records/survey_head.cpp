#include "survey/records/survey_head.h"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "base/error.h"
#include "model/fields.h"
#include "survey/records/survey_columns.h"

namespace warptune::survey::records {

namespace {

using Json = nlohmann::ordered_json;

// Visits the members of each type with their names in a file. `visit(name, member)` writes or reads them.
template <class AnyRun, class Visit>
void visit_run(AnyRun& run, const Visit& visit) {
  visit("command", run.command);
  visit("duration_ns", run.duration);
  visit("exit_code", run.exit_code);
  visit("signal", run.signal);
  visit("window", run.window);
  visit("range", run.range);
  visit("host_system", run.host_system);
  visit("started_ms", run.started_ms);
  visit("warptune_version", run.warptune_version);
  visit("problem", run.problem);
  visit("counting_problem", run.counting_problem);
}

template <class AnyDevice, class Visit>
void visit_device(AnyDevice& device, const Visit& visit) {
  visit("uuid", device.uuid);
  model::visit_fields(device.gpu, visit);
}

template <class AnyProcess, class Visit>
void visit_process(AnyProcess& process, const Visit& visit) {
  visit("pid", process.pid);
  visit("command", process.command);
  visit("time", process.time);
  visit("end", process.end);
  visit("driver_version", process.driver_version);
  visit("cupti_version", process.cupti_version);
  visit("dropped", process.dropped);
  visit("left_out", process.left_out);
  visit("unnamed", process.unnamed);
  visit("problem", process.problem);
}

template <class AnyCounted, class Visit>
void visit_counted(AnyCounted& counted, const Visit& visit) {
  visit("shape", counted.shape);
  visit("device", counted.device);
  visit("launches", counted.launches);
}

template <class AnyGraph, class Visit>
void visit_counted_graph(AnyGraph& graph, const Visit& visit) {
  visit("device", graph.device);
  visit("kernel_nodes", graph.kernel_nodes);
  visit("other_nodes", graph.other_nodes);
  visit("parts", graph.parts);
  visit("launches", graph.launches);
}

constexpr std::string_view kEnds[] = {"exited", "killed", "still running"};  // In the order of `ProcessEnd`.

struct Writer {
  Json& out;

  template <class Member>
  void operator()(const char* name, const Member& member) const {
    out[name] = member;
  }
  template <class Member>
  void operator()(const char* name, const std::optional<Member>& member) const {
    if (member) out[name] = *member;
  }
  void operator()(const char* name, const Interval& time) const { out[name] = {time.start, time.end}; }
  void operator()(const char* name, const ProcessEnd& end) const {
    out[name] = kEnds[static_cast<std::size_t>(end)];
  }
  void operator()(const char* name, const std::vector<GraphPart>& parts) const {
    Json& list = out[name] = Json::array();
    for (const GraphPart& part : parts) list.push_back({part.shape, part.nodes});
  }
};

[[noreturn]] void refuse(const char* name, const std::string& expected) {
  throw base::InputError(fmt::format("{}: expected {}", name, expected));
}

// Numbers are checked, because the JSON library narrows them silently.
template <class Number>
Number number_of(const char* name, const nlohmann::json& value) {
  if (!value.is_number_integer()) refuse(name, "an integer");
  const bool is_large =
      value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto number = is_large ? 0 : value.get<std::int64_t>();
  if (is_large || number < std::int64_t{std::numeric_limits<Number>::min()} ||
      number > std::int64_t{std::numeric_limits<Number>::max()})
    refuse(name, fmt::format("a number of at most {}", std::numeric_limits<Number>::max()));
  return static_cast<Number>(number);
}

struct Reader {
  const nlohmann::json& in;

  const nlohmann::json* find(const char* name) const {
    const auto found = in.find(name);
    return found == in.end() ? nullptr : &*found;
  }
  template <class Member>
  void operator()(const char* name, Member& member) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>)
      member = number_of<Member>(name, *value);
    else
      value->get_to(member);
  }
  void operator()(const char* name, std::optional<int>& member) const {
    if (const nlohmann::json* value = find(name)) member = number_of<int>(name, *value);
  }
  void operator()(const char* name, Interval& time) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_array() || value->size() != 2) refuse(name, "the start and the end of a time");
    time = {number_of<std::int64_t>(name, (*value)[0]), number_of<std::int64_t>(name, (*value)[1])};
    if (time.start < -kLatestTime || time.end > kLatestTime || time.end < time.start)
      refuse(name, "a time that ends after its start");
  }
  void operator()(const char* name, ProcessEnd& end) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    for (std::size_t i = 0; i < std::size(kEnds); ++i) {
      if (*value == kEnds[i]) {
        end = static_cast<ProcessEnd>(i);
        return;
      }
    }
    refuse(name, fmt::format("one of {}", fmt::join(kEnds, ", ")));
  }
  void operator()(const char* name, std::vector<GraphPart>& parts) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_array()) refuse(name, "a list");
    for (const nlohmann::json& part : *value) {
      if (!part.is_array() || part.size() != 2) refuse(name, "a shape and its number of nodes");
      parts.push_back({number_of<Index>(name, part[0]), number_of<std::int64_t>(name, part[1])});
      if (parts.back().nodes < 1) refuse(name, "at least one node");
    }
  }
};

template <class Row, class VisitRow>
Json rows_to_json(const std::vector<Row>& rows, VisitRow visit_row) {
  Json all = Json::array();
  for (const Row& row : rows) {
    Json one = Json::object();
    visit_row(row, Writer{one});
    all.push_back(std::move(one));
  }
  return all;
}

template <class Row, class VisitRow>
void rows_from_json(const nlohmann::json& head, const char* name, std::vector<Row>& rows,
                    VisitRow visit_row) {
  const nlohmann::json& all = head.at(name);
  if (!all.is_array()) refuse(name, "a list");
  for (const nlohmann::json& one : all) {
    if (!one.is_object()) refuse(name, "a list of objects");
    visit_row(rows.emplace_back(), Reader{one});
  }
}

}  // namespace

nlohmann::ordered_json head_to_json(const Survey& survey) {
  Json head;
  Json& run = head["run"] = Json::object();
  visit_run(survey.run, Writer{run});
  head["names"] = survey.names;
  head["devices"] = rows_to_json(
      survey.devices, [](const Device& device, const Writer& write) { visit_device(device, write); });
  head["processes"] = rows_to_json(
      survey.processes, [](const Process& process, const Writer& write) { visit_process(process, write); });
  if (!survey.counted.empty()) {
    head["counted"] = rows_to_json(survey.counted, [](const CountedShape& counted, const Writer& write) {
      visit_counted(counted, write);
    });
  }
  if (!survey.counted_graphs.empty()) {
    head["counted_graphs"] = rows_to_json(
        survey.counted_graphs,
        [](const CountedGraph& graph, const Writer& write) { visit_counted_graph(graph, write); });
  }
  return head;
}

void head_from_json(const nlohmann::json& head, Survey& survey) {
  if (!head.at("run").is_object()) refuse("run", "an object");
  visit_run(survey.run, Reader{head["run"]});
  if (survey.run.duration < 0 || survey.run.duration > kLatestTime) refuse("duration", "at most 36 years");
  head.at("names").get_to(survey.names);
  rows_from_json(head, "devices", survey.devices,
                 [](Device& device, const Reader& read) { visit_device(device, read); });
  rows_from_json(head, "processes", survey.processes,
                 [](Process& process, const Reader& read) { visit_process(process, read); });
  if (head.contains("counted")) {
    rows_from_json(head, "counted", survey.counted,
                   [](CountedShape& counted, const Reader& read) { visit_counted(counted, read); });
  }
  if (head.contains("counted_graphs")) {
    rows_from_json(head, "counted_graphs", survey.counted_graphs,
                   [](CountedGraph& graph, const Reader& read) { visit_counted_graph(graph, read); });
  }
}

}  // namespace warptune::survey::records
