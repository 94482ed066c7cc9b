#include "tuner/json_output/campaigns/node_lines.h"

#include <optional>
#include <string_view>

#include "fleet/task_record.h"
#include "tuner/json_output/json_form.h"

namespace warptune::tuner::json_output::campaigns {

using nlohmann::ordered_json;

namespace {

ordered_json named(std::string_view name) {
  ordered_json line = json_head("node-progress");
  line["event"] = name;
  return line;
}

// How an attempt has ended, in the words of `campaign status`.
fleet::AttemptEnd end_of(const nodes::NodeEvent& event) {
  if (!event.report->outcome) return event.report->end;
  if (!event.closed) return fleet::AttemptEnd::kSuperseded;
  return event.report->outcome->failed ? fleet::AttemptEnd::kFailed : fleet::AttemptEnd::kDone;
}

}  // namespace

ordered_json node_event_json(const nodes::NodeEvent& event) {
  using Kind = nodes::NodeEvent::Kind;
  ordered_json line = named(nodes::to_string(event.kind));
  line["campaign"] = text_or_null(event.campaign);
  line["task"] = value_or_null(event.task);
  line["device"] = value_or_null(event.gpu);
  line["message"] = event.text;
  if (event.kind == Kind::kPublished || event.kind == Kind::kDelivered || event.kind == Kind::kTaskEnded) {
    line["batch_count"] = event.batches;
    line["byte_count"] = event.bytes;
  }
  if (event.report) {
    const std::optional<fleet::TaskOutcome>& outcome = event.report->outcome;
    // While the store is away, nobody knows yet whether the report closes the task.
    line["end"] = event.reported ? ordered_json(fleet::to_string(end_of(event))) : ordered_json(nullptr);
    line["reported"] = event.reported;
    line["evaluated"] = outcome ? ordered_json(outcome->evaluated) : ordered_json(nullptr);
    line["best_ns"] = outcome ? finite_or_null(outcome->best_ns) : ordered_json(nullptr);
  }
  return line;
}

ordered_json node_end_json(const nodes::NodeEnd& end) {
  ordered_json line = named("node_ended");
  line["done_count"] = end.done;
  line["failed_count"] = end.failed;
  line["other_count"] = end.other;
  line["undelivered_count"] = end.undelivered;
  line["interrupted"] = end.interrupted;
  return line;
}

}  // namespace warptune::tuner::json_output::campaigns
