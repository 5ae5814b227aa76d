// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "cli/commands/drift_receivers.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "kernel/events.hpp"
#include "node/check/checking.hpp"
#include "node/check/dscp_rows.hpp"
#include "node/check/irq_rows.hpp"
#include "node/display_text.hpp"
#include "node/signals.hpp"
#include "node/summary.hpp"

namespace nettune::cli::commands {

namespace {

struct WatchCommand : GlobalOptions, DriftReceivers {
  bool unattended = false;
  std::int64_t every_s = 60;  ///< interval of checks without an event
  std::string every_text;

  Options options() {
    return joined({{{"--unattended", "",
                     "Run as a service: respect a hold, report drift to the journal", &unattended},
                    {"--every", "TIME", "How often to check for changes that send no event (60s)",
                     &every_text}},
                   receiver_options(*this)});
  }

  Result<> take() {
    TRY(take_duration(every_s, "--every", every_text));
    return take_receivers(*this);
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

/// The result of one check.
struct Seen {
  std::string trouble;                   ///< why drift is unknown: a hold, an error; "" if known
  std::map<Address, std::string> apart;  ///< the settings that drifted, and how
  bool operator==(const Seen&) const = default;

  bool has(const Address& address, const std::string& how) const {
    const auto found = apart.find(address);
    return found != apart.end() && found->second == how;
  }
};

Seen seen_in(const node::check::Checked& checked) {
  Seen seen{checked.skipped, {}};
  // The notes of a change in progress count seconds; `skipped` covers it.
  if (seen.trouble.empty() && checked.state.exit() == node::Exit::unfinished)
    seen.trouble = join(checked.state.notes(), "; ");
  if (checked.held)
    for (const PlanItem& item : node::not_in_sync(*checked.held))
      seen.apart.emplace(item.setting.address,
                         cat(node::now_text(item), ", should be ", node::want_text(item.setting)));
  for (const firewall::RequiredTraffic& passage : checked.passages)
    if (passage.verdict.passage == firewall::walk::Passage::dropped)
      seen.apart.emplace(Address{passage.name},
                         cat("dropped by ", node::safe(passage.verdict.where)));
  return seen;
}

/// Lines for people: what drifted since `before`, and what is in order again.
std::vector<std::string> news(const Seen& before, const Seen& now) {
  std::vector<std::string> lines;
  if (!now.trouble.empty() && now.trouble != before.trouble)
    lines.push_back(node::safe(now.trouble));
  std::vector<node::check::SettingRow> drifted;
  for (const auto& [address, how] : now.apart)
    if (!before.has(address, how)) drifted.push_back({address.text, how, {}, {}, {}});
  for (const node::check::SettingRow& row :
       node::check::fold_interrupts(node::check::fold_dscps(drifted)))
    lines.push_back(cat("drift    ", node::safe(row.setting), ": ", row.now));
  std::vector<node::check::SettingRow> back;
  for (const auto& [address, how] : before.apart)
    if (now.trouble.empty() && !now.apart.contains(address))
      back.push_back({address.text, {}, {}, {}, {}});
  for (const node::check::SettingRow& row :
       node::check::fold_interrupts(node::check::fold_dscps(back)))
    lines.push_back(cat("back     ", node::safe(row.setting)));
  if (now.trouble.empty() && now.apart.empty()) lines.emplace_back("in sync");
  return lines;
}

/// True if a setting drifted anew, or differently.
bool is_worse(const Seen& before, const Seen& now) {
  for (const auto& [address, how] : now.apart)
    if (!before.has(address, how)) return true;
  return false;
}

struct Watch {
  const node::Locations& locations;
  const WatchCommand& options;
  Output& output;
  std::optional<Seen> last = {};

  /// An error of the first check ends the command; a later one is reported and may pass.
  Result<> look() {
    // A new context each time: devices and state may have changed.
    node::Context context(locations);
    const auto checked = node::check::check_node(context, {options.unattended, false, 0});
    if (!checked && !last) return fail(checked.error());
    Seen now = checked ? seen_in(*checked) : Seen{checked.error().text, {}};
    // What was not checked keeps its old state, so that it is not reported again.
    const bool not_looked_at =
        !checked || (!checked->held && checked->state.active && !checked->skipped.empty() &&
                     !node::holds_nothing(*checked->state.active));
    if (not_looked_at && last) now.apart = last->apart;
    const bool is_new = !last || *last != now;
    const Seen before = last.value_or(Seen());
    last = std::move(now);
    if (is_new) tell(before, checked ? &*checked : nullptr);
    if (!checked) return {};
    const bool worse = is_new && is_worse(before, *last);
    (void)node::update_summary(context, &*checked);
    report_drift(options, options.unattended, *checked, worse, output);
    return {};
  }

  void tell(const Seen& before, const node::check::Checked* checked) {
    if (!options.json)
      for (const std::string& line : news(before, *last)) output.print(trace::log_line(line));
    else if (checked)
      output.print(json::check_line(*checked));
    else
      output.complain(cat("error: ", last->trouble, "\n"));
    output.flush();
  }
};

Result<node::Exit> WatchCommand::run(node::Context& context, Output& output) const {
  TRY_ASSIGN(kernel::Events events, kernel::Events::open());
  const node::DeferredSignals signals;
  // Signals arrive only during the wait, so none is lost between a check and the next wait.
  const node::BlockedSignals blocked;
  Watch watch{context.locations(), *this, output};
  while (!node::DeferredSignals::arrived()) {
    TRY(watch.look());
    TRY(events.wait(static_cast<int>(every_s * 1000), blocked.before()));
  }
  return node::Exit::done;
}

}  // namespace

Command watch_command() { return make_command<WatchCommand>(); }

}  // namespace nettune::cli::commands
