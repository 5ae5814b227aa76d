// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/nccl/program/env_explain.hpp"

namespace nettune::tools::nccl::program {

namespace {

using scripts::Possibility;
using scripts::VariablePlace;

std::string where(const VariablePlace& place) {
  const std::string file = node::safe(place.set.file);
  return place.set.line > 0 ? cat(file, ":", place.set.line) : file;
}

/// An empty value is a value too: it hides the one of nccl.conf from NCCL.
std::string value_of(const VariablePlace& place) {
  if (place.set.removes) return "(unset)";
  return place.set.value.empty() ? "(empty)" : printable(place.set.value);
}

/// Who reads a place: "login, ssh-command (only where ...)".
std::vector<scripts::Start> readers(const ExplainedVariable& explained,
                                    const VariablePlace& place) {
  std::vector<scripts::Start> found;
  for (const scripts::EffectiveValue& outcome : explained.outcomes)
    if (scripts::reach(outcome.start, place.source)) found.push_back(outcome.start);
  return found;
}

std::string remark(const VariablePlace& place) {
  std::vector<std::string> parts;
  if (!place.unit.empty()) parts.push_back(cat("for ", node::safe(place.unit)));
  if (place.set.if_unset) parts.emplace_back("only where it is unset");
  if (place.set.conditional) parts.emplace_back("maybe: depends on a shell condition");
  if (place.set.computed) parts.emplace_back("maybe: its value is known only when it runs");
  if (!place.set.exported) parts.emplace_back("not exported there");
  return join(parts, "; ");
}

std::string places_table(const ExplainedVariable& explained, const cli::Style& style) {
  if (explained.places.empty()) return cat(style.bold(explained.name), ": not set on this node\n");
  cli::Table table({{"PLACE"},
                    {"VALUE", cli::Table::Give::below, "value"},
                    {"READ BY", cli::Table::Give::first, "read by"},
                    {"NOTE", cli::Table::Give::first, "note"}});
  for (const std::size_t i : explained.places) {
    const VariablePlace& place = explained.all.all[i];
    std::vector<std::string> names;
    for (const scripts::Start start : readers(explained, place))
      names.emplace_back(start_word(start));
    table.add({where(place), value_of(place), join(names, ", "), remark(place)});
  }
  return cat(style.bold(explained.name), " is set here, strongest place first:\n",
             table.text(style));
}

std::string outcome_text(const ExplainedVariable& explained,
                         const scripts::EffectiveValue& outcome) {
  if (outcome.winner) return value_of(explained.all.all[*outcome.winner]);
  if (outcome.open) return "not seen here";
  return outcome.certain() ? "unset" : "unset, not certain";
}

/// The places that would win instead, and under which condition.
std::vector<std::string> doubts(const ExplainedVariable& explained,
                                const scripts::EffectiveValue& outcome) {
  std::vector<std::string> lines;
  for (const Possibility& one : outcome.maybe) {
    const VariablePlace& place = explained.all.all[one.place];
    lines.push_back(cat("maybe ", value_of(place), " (", where(place), "): ", node::safe(one.why)));
  }
  for (const std::string& doubt : outcome.doubts)
    lines.push_back(cat("not certain: ", node::safe(doubt)));
  if (outcome.open && outcome.winner)
    lines.emplace_back("unless the environment at its start has it already");
  return lines;
}

std::string outcomes_table(const ExplainedVariable& explained, const cli::Style& style) {
  cli::Table table({{"STARTED BY"},
                    {"GETS", cli::Table::Give::below, "gets"},
                    {"FROM", cli::Table::Give::first, "from"}});
  for (const scripts::EffectiveValue& outcome : explained.outcomes)
    table.add({start_text(outcome.start), outcome_text(explained, outcome),
               outcome.winner ? where(explained.all.all[*outcome.winner]) : ""},
              doubts(explained, outcome));
  return cat("\nWhat a program gets:\n", table.text(style));
}

std::string judgement_line(const std::string& subject, const nettune::nccl::Judgement& judgement) {
  std::string out =
      cat(node::safe(subject), "  ", nettune::nccl::level_word(judgement.level), " ",
          nettune::nccl::verdict_word(judgement.verdict), ": ", node::safe(judgement.why));
  if (!judgement.instead.empty()) out += cat("; instead: ", node::safe(judgement.instead));
  return out;
}

/// "unset (no output)" says what NCCL does without a value.
std::string default_line(std::string_view text) {
  constexpr std::string_view kUnset = "unset (";
  if (!text.starts_with(kUnset) || !text.ends_with(')')) return cat("default: ", node::safe(text));
  text.remove_prefix(kUnset.size());
  text.remove_suffix(1);
  return cat("where it is not set, NCCL takes: ", node::safe(text));
}

std::string judgements(const ExplainedVariable& explained, const cli::Style& style) {
  std::string out =
      cat("\nNCCL ", explained.nccl.version.text(), " (", node::safe(explained.nccl.from), "):\n");
  std::vector<std::string> lines;
  for (const nettune::nccl::Judgement& one : explained.of_the_name)
    lines.push_back(judgement_line(explained.name, one));
  for (const nettune::nccl::Finding& one : explained.findings)
    lines.push_back(judgement_line(cat(explained.name, "=", one.set.value), one.judgement));
  if (explained.is_known && !explained.default_text.empty())
    lines.push_back(default_line(explained.default_text));
  if (lines.empty()) lines.emplace_back("accepts every value above as intended");
  for (const std::string& line : lines) out += cli::wrap(line, "  ", style.width);
  return out;
}

}  // namespace

std::string text::explained(const ExplainedVariable& explained, const cli::Style& style) {
  std::string out = cat(places_table(explained, style), outcomes_table(explained, style),
                        judgements(explained, style), "\n");
  std::vector<std::string> notes = explained.nccl.notes;
  notes.insert(notes.end(), explained.all.notes.begin(), explained.all.notes.end());
  out += cli::text::notes(notes, style);
  out += nettune::cli::text::labelled("not seen here: ", join(not_seen(explained), "; "), style);
  return out;
}

std::string json::explained(const ExplainedVariable& explained) {
  using OrderedJson = nlohmann::ordered_json;
  const auto text_or_null = [](std::string_view text) {
    return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
  };
  const auto index_of = [&](std::size_t place) {
    return std::ranges::find(explained.places, place) - explained.places.begin();
  };
  OrderedJson places = OrderedJson::array();
  for (const std::size_t i : explained.places) {
    const VariablePlace& place = explained.all.all[i];
    OrderedJson read_by = OrderedJson::array();
    for (const scripts::Start start : readers(explained, place))
      read_by.push_back(start_word(start));
    places.push_back(OrderedJson{{"file", place.set.file},
                                 {"line", place.set.line},
                                 {"as", nettune::nccl::kind_word(place.set.kind)},
                                 {"value", place.set.value},
                                 {"unit", text_or_null(place.unit)},
                                 {"read_by", read_by},
                                 {"if_unset", place.set.if_unset},
                                 {"exported", place.set.exported},
                                 {"removes", place.set.removes},
                                 {"maybe", place.set.conditional || place.set.computed}});
  }
  OrderedJson outcomes = OrderedJson::array();
  for (const scripts::EffectiveValue& outcome : explained.outcomes) {
    OrderedJson maybe = OrderedJson::array();
    for (const Possibility& one : outcome.maybe)
      maybe.push_back(OrderedJson{{"place", index_of(one.place)}, {"why", one.why}});
    outcomes.push_back(OrderedJson{
        {"start", start_word(outcome.start)},
        {"place", outcome.winner ? OrderedJson(index_of(*outcome.winner)) : OrderedJson(nullptr)},
        {"value", outcome.winner ? OrderedJson(explained.all.all[*outcome.winner].set.value)
                                 : OrderedJson(nullptr)},
        {"certain", outcome.certain()},
        {"maybe", maybe},
        {"doubts", outcome.doubts}});
  }
  OrderedJson judged = OrderedJson::array();
  const auto judge = [&](const OrderedJson& value, const nettune::nccl::Judgement& one) {
    judged.push_back(OrderedJson{{"value", value},
                                 {"verdict", nettune::nccl::verdict_word(one.verdict)},
                                 {"level", nettune::nccl::level_word(one.level)},
                                 {"why", text_or_null(one.why)},
                                 {"instead", text_or_null(one.instead)},
                                 {"source", text_or_null(one.source)}});
  };
  for (const nettune::nccl::Judgement& one : explained.of_the_name) judge(nullptr, one);
  for (const nettune::nccl::Finding& one : explained.findings) judge(one.set.value, one.judgement);
  std::vector<std::string> notes = explained.nccl.notes;
  notes.insert(notes.end(), explained.all.notes.begin(), explained.all.notes.end());
  const OrderedJson document = {{"schema", 1},
                                {"kind", "env-explain"},
                                {"nettune", NETTUNE_VERSION},
                                {"build", build_info()},
                                {"variable", explained.name},
                                {"known", explained.is_known},
                                {"version", explained.nccl.version.text()},
                                {"version_from", explained.nccl.from},
                                {"default", text_or_null(explained.default_text)},
                                {"places", places},
                                {"starts", outcomes},
                                {"judgements", judged},
                                {"notes", notes},
                                {"not_seen", not_seen(explained)}};
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::nccl::program
