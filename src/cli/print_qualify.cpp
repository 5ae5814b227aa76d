// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

std::string result_of(const TriedSetting& tried) {
  switch (tried.result) {
    case TrialResult::held:
      return "held";
    case TrialResult::clamped:
      return cat("clamped to ", node::value_text(tried.read_back));
    case TrialResult::not_held:
      return "not held";
    case TrialResult::refused:
      return "refused";
    case TrialResult::unsupported:
      return "unsupported";
    case TrialResult::already:
      return "has this value already";
    case TrialResult::left_out:
      return "not tried";
    case TrialResult::not_undone:
      return "not undone";
  }
  return {};
}

std::string seconds_text(double seconds) { return cat(decimals(seconds, 2), " s"); }

std::string link_text(const std::optional<kernel::LinkLoss>& loss) {
  if (!loss || !loss->lost) return {};
  return loss->back ? cat("lost ", seconds_text(loss->seconds))
                    : cat("lost, not back in ", seconds_text(loss->seconds));
}

std::vector<std::string> details_of(const node::qualify::EvidenceSetting& setting) {
  const TriedSetting& tried = setting.tried;
  std::vector<std::string> details;
  if (!tried.why.empty() && tried.result != TrialResult::already)
    details.push_back(node::safe(tried.why));
  if (!tried.residue.empty())
    details.push_back(cat("undo leaves behind: ", node::safe(tried.residue)));
  if (const std::string undo = link_text(setting.undo_link); tried.written && !undo.empty())
    details.push_back(cat("link during undo: ", undo));
  return details;
}

}  // namespace

std::string qualified(const node::qualify::Qualified& qualified, const Style& style) {
  const node::qualify::Evidence& evidence = qualified.evidence;
  Table table({{"SETTING"},
               {"BEFORE", Table::Give::first, "before"},
               {"WANTED", Table::Give::first, "wanted"},
               {"RESULT"},
               {"LINK"}});
  for (const node::qualify::EvidenceSetting& setting : evidence.settings)
    table.add(
        {node::safe(setting.tried.address.text),
         setting.tried.result == TrialResult::unsupported ? ""
                                                          : node::value_text(setting.tried.before),
         node::value_text(setting.tried.wanted), result_of(setting.tried),
         setting.tried.written ? link_text(setting.write_link) : ""},
        details_of(setting));
  std::string out =
      cat(style.bold(node::safe(evidence.device)), " (",
          node::qualify::combination_text(evidence.hardware), ") with ",
          node::safe(evidence.profile), ":\n", table.text(style), notes(qualified.notes, style));
  if (!evidence.cut_short.empty())
    out += cat("ended early: ",
               node::safe(qualified.error ? qualified.error->text : evidence.cut_short), "\n");
  if (evidence.moved.empty())
    return out + cat("Everything read from ", node::safe(evidence.device), " is as before.\n");
  out += style.red(cat("NOT as before:\n"));
  for (const Moved& moved : evidence.moved)
    out += cat("  ", node::safe(moved.address.text), ": was ", node::safe(moved.before), ", is ",
               node::safe(moved.now), "\n");
  return out;
}

}  // namespace nettune::cli::text
