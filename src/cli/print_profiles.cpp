// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

std::string show(const profile::Resolved& resolved, bool with_origin, const Style& style) {
  std::string out = style.bold(node::safe(resolved.desired.profile)) + "\n";
  for (const std::string& misfit : resolved.misfits)
    out += style.red("does not match this node: ") + node::safe(misfit) + "\n";
  for (const std::string& caution : resolved.cautions)
    out += labelled(style.yellow("caution:"), node::safe(caution), style);
  for (const auto& [name, devices] : resolved.sets)
    out += cat("devices ", name, ": ", devices.empty() ? "none" : join(devices, " "), "\n");
  std::string section;
  Table table({{"KEY"}, {"VALUE", Table::Give::first}, {"FROM", Table::Give::below, "from"}});
  const auto flush = [&] {
    if (!section.empty()) out += cat("\n[", node::safe(section), "]\n", table.text(style));
    table = Table({{"KEY"}, {"VALUE", Table::Give::first}, {"FROM", Table::Give::below, "from"}});
  };
  for (std::size_t i = 0; i < resolved.shown.size(); ++i) {
    const profile::Shown& shown = resolved.shown[i];
    if (shown.section != section) flush();
    section = shown.section;
    // A reason for several values is printed after the last of them.
    const bool goes_on = i + 1 < resolved.shown.size() &&
                         resolved.shown[i + 1].section == section &&
                         resolved.shown[i + 1].why == shown.why;
    std::vector<std::string> details;
    if (!shown.why.empty() && !goes_on) details.push_back(node::safe(shown.why));
    table.add({node::safe(shown.key), node::safe(shown.value),
               with_origin ? node::safe(shown.origin.text()) : std::string()},
              std::move(details));
  }
  flush();
  out += resolved.desired.notes.empty() ? "" : "\n" + notes(resolved.desired.notes, style);
  return out;
}

}  // namespace nettune::cli::text
