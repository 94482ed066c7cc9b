#include "tuner/watching/campaign_page.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "tuner/text_output/campaigns/campaign_report.h"
#include "tuner/text_output/style.h"
#include "tuner/watching/secret_address.h"

namespace warptune::tuner::watching {

namespace {

constexpr int kReloadSeconds = 5;

// A text as the content of an HTML element.
std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : base::printable(text)) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

// A bar whose parts are as wide as the shares of the states.
std::string bar_html(const fleet::CampaignStatus& status) {
  constexpr std::array<std::pair<fleet::TaskState, const char*>, 6> kColours{
      {{fleet::TaskState::kDone, "#2a7d3f"},
       {fleet::TaskState::kLeased, "#3a78c2"},
       {fleet::TaskState::kOpen, "#d0d0d0"},
       {fleet::TaskState::kFailed, "#b3261e"},
       {fleet::TaskState::kQuarantined, "#8a5a00"},
       {fleet::TaskState::kCancelled, "#707070"}}};
  std::string html = "<div class=\"bar\">";
  for (const auto& [state, colour] : kColours) {
    const auto found = status.tasks.find(state);
    if (found == status.tasks.end() || found->second == 0) continue;
    html += fmt::format("<span title=\"{} {}\" style=\"flex:{};background:{}\"></span>", found->second,
                        fleet::to_string(state), found->second, colour);
  }
  return html + "</div>";
}

}  // namespace

std::string campaign_page_html(const fleet::CampaignStatus& status, const fleet::Campaign& campaign,
                               const std::string& trouble) {
  const std::string reload =
      status.is_over() ? "" : fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", kReloadSeconds);
  const std::string text =
      text_output::with_marks_replaced(text_output::campaigns::campaign_status_text(status, campaign), false);
  return fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">{}<title>{}</title><style>"
      "body{{font:15px system-ui,sans-serif;margin:2em}}pre{{font:14px monospace;white-space:pre-wrap}}"
      ".bar{{display:flex;height:1.5em}}.trouble{{color:#b3261e}}"
      "@media(prefers-color-scheme:dark){{body{{background:#181818;color:#e0e0e0}}}}"
      "</style></head><body><h1>{}</h1>{}{}<pre>{}</pre></body></html>\n",
      reload, escaped(status.name), escaped(status.name),
      trouble.empty() ? "" : fmt::format("<p class=\"trouble\">{}</p>", escaped(trouble)), bar_html(status),
      escaped(text));
}

CampaignPage::CampaignPage(std::optional<std::uint16_t> port)
    : token_(random_token()),
      html_("<!doctype html><title>campaign</title><p>The campaign is read.</p>"),
      server_(port, [this](const HttpRequest& request) { return answer(request); }) {}

std::string CampaignPage::address() const { return secret_address(server_.port(), token_); }

void CampaignPage::show(const fleet::CampaignStatus& status, const fleet::Campaign& campaign,
                        const std::string& trouble) {
  std::string html = campaign_page_html(status, campaign, trouble);
  const std::lock_guard lock(mutex_);
  html_ = std::move(html);
  is_loaded_ = false;
}

bool CampaignPage::is_awaited() const {
  const std::lock_guard lock(mutex_);
  return was_loaded_ && !is_loaded_;
}

std::optional<HttpAnswer> CampaignPage::answer(const HttpRequest& request) const {
  std::string name;
  if (std::optional<HttpAnswer> refusal = refused(request, token_, name)) return refusal;
  if (!name.empty()) return HttpAnswer{404, kPlainText, {}, "there is only the page\n"};
  const std::lock_guard lock(mutex_);
  was_loaded_ = is_loaded_ = true;
  return HttpAnswer{200, "text/html; charset=utf-8", {{"Cache-Control", "no-store"}}, html_};
}

}  // namespace warptune::tuner::watching
