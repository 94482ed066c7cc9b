#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "fleet/campaign_status.h"
#include "fleet/fleet_store.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/campaigns/campaign_options.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/campaign_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/campaigns/campaign_report.h"
#include "tuner/text_output/terminal.h"
#include "tuner/watching/campaign_page.h"

namespace warptune::tuner::commands::campaigns {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kPause = 3s;
constexpr std::chrono::milliseconds kStep = 100ms;
constexpr std::chrono::milliseconds kLastLoad = 10s;  // Two intervals at which a browser loads the page.

struct WatchOptions {
  CampaignOptions common;
  bool page = false;
  std::optional<std::uint16_t> port;  ///< No value: any free port.
};

Options declare_watch() {
  Options options = declare_action("watch", "NAME",
                                   "Shows how far a campaign is until it is over, and reads the store again "
                                   "every few seconds. With --format json, each change is a line.");
  options.optional_value("page", "PORT",
                         "serve a page that shows the same, to browsers on this machine only");
  return std::move(
      options.example("campaign watch nightly", "Shows it until it is over, or until Ctrl-C.")
          .example("campaign watch nightly --page", "Also prints the address of a page for a browser."));
}

std::optional<WatchOptions> parse_watch(const std::vector<std::string>& arguments) {
  Options options = declare_watch();
  if (!options.parse(arguments)) return std::nullopt;
  return WatchOptions{read_action(options, "NAME"), options.is_set("page"), read_port(options, "page")};
}

// Shows each state of a campaign on standard output and, if there is one, on a page.
class Watcher {
 public:
  Watcher(const WatchOptions& options, watching::CampaignPage* page)
      : json_(options.common.json), is_screen_(!json_ && ::isatty(STDOUT_FILENO) != 0), page_(page) {}

  /// Reads the store and shows the state. Returns whether the campaign is over.
  bool show(fleet::FleetStore& store, const std::string& name) {
    fleet::CampaignFacts facts = fleet::read_campaign(store, name);
    campaign_ = std::move(facts.campaign);
    facts.campaign = campaign_;
    status_ = fleet::campaign_status(facts);
    print(store.address(), "");
    return status_->is_over();
  }

  /// Says why the last state may be old.
  void show_trouble(const std::string& store, const std::string& trouble) { print(store, trouble); }

 private:
  void print(const std::string& store, const std::string& trouble) {
    if (!status_) return;
    if (page_ != nullptr) page_->show(*status_, campaign_, trouble);
    if (is_screen_) {
      text_output::clear_screen(stdout);
      if (page_ != nullptr) text_output::print_text("{}\n", page_->address());
      text_output::print_text("{}{}", trouble.empty() ? "" : trouble + "\n",
                              text_output::campaigns::campaign_status_text(*status_, campaign_));
    } else {
      print_change(store, trouble);
    }
    std::fflush(stdout);
  }

  // For files and pipes: one line for each change.
  void print_change(const std::string& store, const std::string& trouble) {
    std::string state = trouble.empty() ? text_output::campaigns::progress_text(*status_) : trouble;
    if (state == last_) return;
    if (json_ && trouble.empty())
      text_output::print_out("{}\n", json_output::to_line(json_output::campaigns::campaign_status_json(
                                         store, *status_, campaign_)));
    else if (json_)
      text_output::print_error("{}\n", trouble);
    else
      text_output::print_out("{}: {}\n", status_->name, state);
    last_ = std::move(state);
  }

  bool json_;
  bool is_screen_;
  watching::CampaignPage* page_;
  fleet::Campaign campaign_;
  std::optional<fleet::CampaignStatus> status_{};
  std::string last_;
};

// Waits until the next look at the store. Returns false if a person has interrupted it.
bool pause(const base::Cancellation& cancellation) {
  for (std::chrono::milliseconds waited = 0ms; waited < kPause; waited += kStep) {
    if (cancellation.is_cancelled()) return false;
    std::this_thread::sleep_for(kStep);
  }
  return !cancellation.is_cancelled();
}

// A browser keeps the last state of the page if it can load it before this program ends.
void wait_for_browser(const watching::CampaignPage& page, const base::Cancellation& cancellation) {
  for (std::chrono::milliseconds waited = 0ms; waited < kLastLoad && page.is_awaited(); waited += kStep) {
    if (cancellation.is_cancelled()) return;
    std::this_thread::sleep_for(kStep);
  }
}

// The store may be away for a while: the last state stays, and the store is opened again.
int watch(const WatchOptions& options) {
  const base::InterruptGuard guard;
  std::unique_ptr<fleet::FleetStore> store = open_for_reading(options.common);
  const std::string address = store->address();
  std::optional<watching::CampaignPage> page;
  if (options.page) {
    page.emplace(options.port);
    text_output::print_error("{}\n", page->address());
  }
  Watcher watcher(options, page ? &*page : nullptr);
  bool is_over = watcher.show(*store, options.common.name);  // Throws if the campaign is unknown.
  while (!is_over && pause(guard.cancellation())) {
    try {
      if (!store) store = open_for_reading(options.common);
      is_over = watcher.show(*store, options.common.name);
    } catch (const base::MachineError& error) {
      store.reset();
      watcher.show_trouble(address, fmt::format("{}; trying again", error.message()));
    }
  }
  if (is_over && page) wait_for_browser(*page, guard.cancellation());
  return is_over ? 0 : static_cast<int>(base::ExitCode::kInterrupted);
}

int run_watch(const std::vector<std::string>& arguments) {
  const std::optional<WatchOptions> options = parse_watch(arguments);
  return options ? watch(*options) : 0;
}

}  // namespace

Command watch_action() {
  return {"watch", "show how far a campaign is until it is over", run_watch,
          [] { return declare_watch().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
