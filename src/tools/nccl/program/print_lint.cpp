// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/nccl/program/nccl_lint.hpp"

namespace nettune::tools::nccl::program {

namespace {

using nettune::nccl::Finding;
using nettune::nccl::Level;

std::string place(const Finding& finding) {
  const std::string file = node::safe(finding.set.file);
  return finding.set.line > 0 ? cat(file, ":", finding.set.line) : file;
}

std::string shown_value(const std::string& value) {
  constexpr std::size_t kWidth = 60;
  return value.size() > kWidth ? cat(printable(std::string_view(value).substr(0, kWidth)), "...")
                               : printable(value);
}

std::string painted(const Finding& finding, const cli::Style& style) {
  const std::string word(nettune::nccl::verdict_word(finding.judgement.verdict));
  const std::string level(nettune::nccl::level_word(finding.judgement.level));
  if (finding.judgement.level == Level::error) return style.red(cat(level, " ", word));
  if (finding.judgement.level == Level::warning) return style.yellow(cat(level, " ", word));
  return cat(level, " ", word);
}

/// What may set variables and was not read; many lines may be of one kind.
std::string told_unread(const std::vector<scripts::UnreadLine>& unread) {
  constexpr std::size_t kMost = 20;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, unread.size()); ++i)
    out += cat(node::safe(unread[i].file), ":", unread[i].line,
               ": not understood: ", printable(unread[i].text), "  (", unread[i].why, ")\n");
  if (unread.size() > kMost) out += cat("... and ", unread.size() - kMost, " more such lines\n");
  return out;
}

/// "3 errors, 1 warning"; "" for none at all.
std::string counts(const std::vector<Finding>& findings) {
  std::string out;
  for (const Level level : {Level::error, Level::warning, Level::note}) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        findings, [&](const Finding& finding) { return finding.judgement.level == level; }));
    if (count != 0)
      out += cat(out.empty() ? "" : ", ", node::counted(count, nettune::nccl::level_word(level)));
  }
  return out.empty() ? "no problems found" : out;
}

}  // namespace

std::string text::lint(const Linted& linted, const cli::Style& style) {
  std::string out =
      cat("NCCL ", linted.version.text(), " (", node::safe(linted.version_from), ")\n");
  for (const std::string& note : linted.notes) out += cat("note: ", node::safe(note), "\n");
  std::string good;
  for (const Finding& finding : linted.findings) {
    const nettune::nccl::Judgement& judgement = finding.judgement;
    if (judgement.level == Level::ok) {
      good += cat(good.empty() ? "" : ", ", node::safe(finding.set.name));
      continue;
    }
    out += cat(place(finding), ": ",
               style.bold(cat(node::safe(finding.set.name), "=", shown_value(finding.set.value))),
               "  ", painted(finding, style), ": ", node::safe(judgement.why));
    if (!judgement.instead.empty()) out += cat("; instead: ", node::safe(judgement.instead));
    out += "\n";
  }
  if (!good.empty()) out += cli::wrap(cat("as intended: ", good), "", style.width);
  out += told_unread(linted.unread);
  out += linted.findings.empty() ? "no variable of NCCL or its companions was found there"
                                 : counts(linted.findings);
  if (!linted.unread.empty())
    out += cat("; ", node::counted(linted.unread.size(), "line"), " not understood");
  return out + "\n";
}

std::string json::lint(const Linted& linted) {
  using Document = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Document(nullptr) : Document(text);
  };
  Document findings = Document::array();
  for (const Finding& finding : linted.findings) {
    const nettune::nccl::Judgement& judgement = finding.judgement;
    findings.push_back(Document{{"file", finding.set.file},
                                {"line", finding.set.line},
                                {"as", nettune::nccl::kind_word(finding.set.kind)},
                                {"variable", finding.set.name},
                                {"value", finding.set.value},
                                {"verdict", nettune::nccl::verdict_word(judgement.verdict)},
                                {"level", nettune::nccl::level_word(judgement.level)},
                                {"why", text_or_null(judgement.why)},
                                {"instead", text_or_null(judgement.instead)},
                                {"source", text_or_null(judgement.source)}});
  }
  Document unread = Document::array();
  for (const scripts::UnreadLine& one : linted.unread)
    unread.push_back(
        Document{{"file", one.file}, {"line", one.line}, {"text", one.text}, {"why", one.why}});
  const Document document = {{"schema", 1},
                             {"kind", "nccl-lint"},
                             {"nettune", NETTUNE_VERSION},
                             {"build", build_info()},
                             {"version", linted.version.text()},
                             {"version_from", linted.version_from},
                             {"notes", linted.notes},
                             {"findings", findings},
                             {"not_understood", unread}};
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::nccl::program
