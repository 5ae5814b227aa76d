// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <ctime>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/drift_report.hpp"
#include "cli/print_json.hpp"
#include "cli/signals.hpp"
#include "cli/words.hpp"
#include "kernel/events.hpp"

namespace nettune::cli {

namespace {

/// What is apart, and how; or why that is not known.
struct Seen {
  std::string skipped;
  std::map<Address, std::string> apart;
  bool operator==(const Seen&) const = default;

  bool has(const Address& address, const std::string& how) const {
    const auto found = apart.find(address);
    return found != apart.end() && found->second == how;
  }
};

Seen seen_in(const Checked& checked) {
  Seen seen{checked.skipped, {}};
  if (checked.held)
    for (const PlanItem& item : not_in_sync(*checked.held))
      seen.apart.emplace(item.setting.address,
                         cat(text::now_text(item), ", should be ", text::want_text(item.setting)));
  return seen;
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 16> text{};
  (void)::localtime_r(&now, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &parts)};
}

/// Lines for people: what is new since `before`, and what is in order again.
std::string news(const Seen& before, const Seen& now) {
  const std::string time = clock_text();
  if (!now.skipped.empty()) return cat(time, "  ", text::safe(now.skipped), "\n");
  std::string out;
  for (const auto& [address, how] : now.apart)
    if (!before.has(address, how))
      out += cat(time, "  drift    ", text::safe(address.text), ": ", how, "\n");
  for (const auto& [address, how] : before.apart)
    if (!now.apart.contains(address))
      out += cat(time, "  back     ", text::safe(address.text), "\n");
  if (now.apart.empty()) out += cat(time, "  in sync\n");
  return out;
}

/// True when something is apart that was not, or is so in another way.
bool is_worse(const Seen& before, const Seen& now) {
  for (const auto& [address, how] : now.apart)
    if (!before.has(address, how)) return true;
  return false;
}

Result<Seen> look(const Arguments& arguments, const std::optional<Seen>& before, Output& output) {
  // A context of its own every time: devices and state may have changed.
  Context context(arguments);
  TRY_ASSIGN(const Checked checked, check_node(context));
  Seen now = seen_in(checked);
  if (before == now) return now;
  const Seen nothing;
  const Seen& known = before ? *before : nothing;
  output.print(arguments.json ? json::check_line(checked) : news(known, now));
  output.flush();
  for (const std::string& untold : tell_others(context, checked, is_worse(known, now)))
    output.complain(cat("warning: ", untold, "\n"));
  return now;
}

}  // namespace

Result<Exit> cmd_watch(Context& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(kernel::Events events, kernel::Events::open());
  for (const std::string& sentence : events.missing)
    output.complain(cat("warning: ", sentence, "\n"));
  const DeferredSignals signals;
  std::optional<Seen> seen;
  while (!DeferredSignals::arrived()) {
    TRY_ASSIGN(seen, look(arguments, seen, output));
    TRY(events.wait(static_cast<int>(arguments.every_s * 1000)));
  }
  return Exit::done;
}

}  // namespace nettune::cli
