// Reads campaign files. Each [[tune]] becomes a class of tasks for each of its GPU predicates, and each
// choice of its sizes becomes a task of each of these classes.
#include "tuner/campaigns/campaign_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/streams/limited_file.h"
#include "fleet/names.h"
#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/campaigns/bundle_signature.h"
#include "tuner/campaigns/definition_bundle.h"
#include "tuner/campaigns/predicate_text.h"
#include "tuner/campaigns/session_request.h"
#include "tuner/campaigns/size_lists.h"

namespace warptune::tuner::campaigns {

namespace fs = std::filesystem;
using kernel_templates::KernelDefinition;
using kernel_templates::definition::kind_of;
using kernel_templates::definition::position_of;
using kernel_templates::definition::TableReader;

namespace {

constexpr const char* kDefaults = "defaults";

// Runs `read`, and adds the position to an error that has none.
template <class Read>
auto at_position(const base::SourcePosition& where, Read read) {
  try {
    return read();
  } catch (const base::InputError& error) {
    if (!error.position().file.empty() && error.position().file != "--objective") throw;
    std::string message = error.message();
    if (message.starts_with("--")) message.erase(0, 2);
    throw base::InputError(message, where);
  }
}

std::vector<std::string> option_keys() {
  std::vector<std::string> keys;
  const fleet::SessionOptions options;
  visit_fields(options, [&](const char* key, const auto&) { keys.emplace_back(key); });
  return keys;
}

// What [defaults] and each [[tune]] may have.
std::vector<std::string> shared_keys() {
  std::vector<std::string> keys = option_keys();
  keys.emplace_back("gpus");
  keys.emplace_back("priority");
  return keys;
}

// Text, or a number that is written without quotes, such as the budget 200.
std::string text_or_number(const TableReader& table, std::string_view key) {
  const toml::node* node = table.node(key);
  if (node->is_integer()) return std::to_string(*table.integer(key));
  return table.required_text(key);
}

// Replaces the options that the table has, of those that `is_wanted` selects.
template <class Select>
void read_options(const TableReader& table, fleet::SessionOptions& options, Select is_wanted) {
  visit_fields(options, [&](const char* key, auto&& option) {
    using Option = std::remove_cvref_t<decltype(option)>;
    if (table.node(key) == nullptr || !is_wanted(key)) return;
    if constexpr (std::is_same_v<Option, model::encoding::LaterText<std::string>>) {
      option.text = table.required_text(key);
    } else if constexpr (std::is_same_v<Option, bool>) {
      option = *table.boolean(key);
    } else if constexpr (std::is_same_v<Option, std::uint64_t>) {
      const std::int64_t number = *table.integer(key);
      if (number < 0) table.fail(key, "an integer, 0 or more");
      option = static_cast<std::uint64_t>(number);
    } else {
      option = text_or_number(table, key);
    }
  });
}

// Replaces the options that the table has. Each is checked alone, so that an error has its place, and then
// all together.
void read_options(const TableReader& table, fleet::SessionOptions& options) {
  for (const std::string& key : option_keys()) {
    fleet::SessionOptions single;
    read_options(table, single, [&](std::string_view other) { return other == key; });
    at_position(table.position(key), [&] { request_of(single); });
  }
  read_options(table, options, [](std::string_view) { return true; });
  std::string_view cause = "metrics";
  for (const std::string_view key : {"objective", "until", "reproducible"})
    if (table.node(key) != nullptr) cause = key;
  at_position(table.position(cause), [&] { request_of(options); });
}

fleet::GpuPredicate predicate_of(const toml::node& node, const TableReader& table) {
  fleet::GpuPredicate predicate;
  const base::SourcePosition where = position_of(node, table.file());
  if (node.is_string()) {
    predicate.name = node.ref<std::string>();
    if (predicate.name.empty()) throw base::InputError("the pattern of a GPU's name is empty", where);
    return predicate;
  }
  if (!node.is_table()) {
    throw base::InputError(
        fmt::format("an entry of {} is {}, expected a name such as '*H100*' or a table such as "
                    "{{ compute_capability = '>=8.0' }}",
                    table.name_of("gpus"), kind_of(node)),
        where);
  }
  const TableReader reader(node.as_table(), table.name_of("gpus"), table.file());
  reader.allow_only({"name", "compute_capability", "memory"});
  predicate.name = reader.text("name").value_or("");
  if (const auto text = reader.text("compute_capability"))
    at_position(reader.position("compute_capability"), [&] { read_capability(*text, predicate); });
  if (const auto text = reader.text("memory"))
    at_position(reader.position("memory"), [&] { read_memory(*text, predicate); });
  if (predicate == fleet::GpuPredicate())
    throw base::InputError("a GPU of this list has no condition; leave `gpus` out for any GPU", where);
  return predicate;
}

// The predicates of a table, or `usual` if it has none.
std::vector<fleet::GpuPredicate> predicates_of(const TableReader& table,
                                               std::vector<fleet::GpuPredicate> usual) {
  const toml::node* node = table.node("gpus");
  if (node == nullptr) return usual;
  const toml::array* list = node->as_array();
  if (list == nullptr) table.fail("gpus", "a list such as ['*H100*', '*A100*']");
  std::vector<fleet::GpuPredicate> predicates;
  for (const toml::node& one : *list) predicates.push_back(predicate_of(one, table));
  if (predicates.empty()) {
    throw base::InputError(fmt::format("{} names no GPU; leave it out for any GPU", table.name_of("gpus")),
                           table.position("gpus"));
  }
  return predicates;
}

class CampaignReader {
 public:
  CampaignReader(const fs::path& file, const std::optional<fs::path>& signing_key)
      : file_(file), signing_key_(signing_key) {}

  CampaignFile read() {
    const toml::table table = kernel_templates::definition::parse_toml(
        base::streams::read_limited_file(file_, kMaxCampaignFileBytes, "a campaign file"), file_.string());
    const TableReader root(&table, "", file_.string());
    root.allow_only({"name", kDefaults, "tune"});
    result_.campaign.name = root.required_text("name");
    at_position(root.position("name"), [&] { fleet::require_campaign_name(result_.campaign.name); });
    const TableReader defaults = root.table(kDefaults);
    defaults.allow_only(shared_keys());
    read_shared(defaults, usual_, usual_gpus_);
    const std::vector<TableReader> tunes = root.tables("tune");
    if (tunes.empty())
      throw base::InputError("the campaign has no tasks: expected at least one table [[tune]]",
                             {file_.string(), 0, 0});
    for (const TableReader& tune : tunes) read_tune(tune);
    return std::move(result_);
  }

 private:
  struct Kernel {
    KernelDefinition definition;
    std::string bundle;
  };

  void read_shared(const TableReader& table, fleet::TaskClass& task_class,
                   std::vector<fleet::GpuPredicate>& gpus) const {
    if (!table.present()) return;
    read_options(table, task_class.options);
    task_class.priority = table.integer("priority").value_or(task_class.priority);
    gpus = predicates_of(table, std::move(gpus));
  }

  void read_tune(const TableReader& table) {
    std::vector<std::string> keys = shared_keys();
    keys.insert(keys.begin(), {"kernel", "sizes"});
    table.allow_only(keys);
    fleet::TaskClass task_class = usual_;
    std::vector<fleet::GpuPredicate> gpus = usual_gpus_;
    read_shared(table, task_class, gpus);
    const Kernel& kernel = kernel_of(table);
    task_class.kernel = kernel.definition.name;
    task_class.kernel_hash = kernel.definition.hash;
    task_class.bundle = kernel.bundle;
    const std::vector<ListedSizes> listed = read_sizes(table, "sizes", kMaxTasks);
    std::vector<ListedSizes> choices;
    choices.reserve(listed.size());
    for (const ListedSizes& one : listed)
      choices.push_back({sizes_for(kernel.definition, one), one.position});
    for (const fleet::GpuPredicate& gpu : gpus) {
      task_class.gpu = gpu;
      add_tasks(task_class, choices, table.position());
    }
  }

  // Loads a kernel once, and makes its bundle if it is a file of the user.
  const Kernel& kernel_of(const TableReader& table) {
    const std::string name = table.required_text("kernel");
    const auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second;
    const bool is_path = kernel_templates::is_kernel_path(name);
    const std::string path = is_path ? (file_.parent_path() / name).string() : name;
    Kernel kernel{at_position(table.position("kernel"), [&] { return kernel_templates::load_kernel(path); }),
                  {}};
    if (is_path) {
      DefinitionBundle bundle =
          at_position(table.position("kernel"), [&] { return bundle_of(kernel.definition); });
      if (signing_key_) sign_bundle(bundle, *signing_key_);
      result_.bundles.push_back(bundle_to_bytes(bundle));
      kernel.bundle = base::hash_hex(result_.bundles.back());
    }
    return kernels_.emplace(name, std::move(kernel)).first->second;
  }

  // The sizes in the types of the definition. Whether they fit a GPU is known when one runs them.
  static model::NamedValues sizes_for(const KernelDefinition& definition, const ListedSizes& listed) {
    model::GpuDescription any = model::fictional_gpu();
    any.memory_bytes = 0;
    const kernel_templates::KernelInstance instance = at_position(
        listed.position, [&] { return kernel_templates::KernelInstance(definition, listed.sizes, any); });
    model::NamedValues sizes;
    for (const auto& [name, value] : listed.sizes)
      sizes.emplace_back(name, *model::find(instance.problem(), name));
    return sizes;
  }

  void add_tasks(const fleet::TaskClass& task_class, const std::vector<ListedSizes>& choices,
                 const base::SourcePosition& where) {
    fleet::Campaign& campaign = result_.campaign;
    if (campaign.tasks.size() + choices.size() > kMaxTasks) {
      throw base::InputError(
          fmt::format("there are more than {} tasks; write several campaigns, or fewer sizes", kMaxTasks),
          where);
    }
    const auto same = std::find(campaign.classes.begin(), campaign.classes.end(), task_class);
    const auto index = static_cast<std::uint64_t>(same - campaign.classes.begin());
    if (same == campaign.classes.end()) campaign.classes.push_back(task_class);
    for (const ListedSizes& one : choices) {
      if (!seen_.emplace(index, model::key_of(one.sizes)).second) {
        throw base::InputError(
            fmt::format("the task {} {} is listed twice", task_class.kernel, model::to_text(one.sizes)),
            one.position);
      }
      campaign.tasks.push_back({index, one.sizes});
    }
  }

  fs::path file_;
  std::optional<fs::path> signing_key_;
  CampaignFile result_;
  fleet::TaskClass usual_;
  std::vector<fleet::GpuPredicate> usual_gpus_ = {{}};
  std::map<std::string, Kernel> kernels_;  // By the text of the key `kernel`.
  std::set<std::pair<std::uint64_t, std::string>> seen_;
};

}  // namespace

CampaignFile read_campaign_file(const fs::path& file, const std::optional<fs::path>& signing_key) {
  return CampaignReader(file, signing_key).read();
}

void add_campaign(fleet::FleetStore& store, const CampaignFile& file,
                  const std::optional<std::string>& role) {
  for (const std::string& bundle : file.bundles) store.put_file(bundle);
  if (role) {
    store.add_restricted_campaign(file.campaign, *role);
  } else {
    store.add_campaign(file.campaign);
  }
}

}  // namespace warptune::tuner::campaigns
