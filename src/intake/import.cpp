// SPDX-License-Identifier: Apache-2.0
#include "intake/import.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "intake/account.hpp"

namespace nettune::intake {
namespace {

/// "network-latency" of a directory or of its tuned.conf, "90-x" of 90-x.conf.
std::string name_of_source(const std::string& path) {
  std::string plain = path;
  for (const std::string_view ending : {"/", "/tuned.conf", ".conf"})
    if (plain.ends_with(ending)) plain.resize(plain.size() - ending.size());
  return name_made_of(plain.substr(plain.rfind('/') + 1), "imported");
}

/// The first file, and how many more there are.
std::string named(const std::vector<std::string>& files) {
  const std::size_t more = files.size() - 1;
  return more == 0 ? files.front()
                   : cat(files.front(), " and ", more, more == 1 ? " other" : " others");
}

}  // namespace

std::string ImportedLine::where() const { return cat(file, ':', line); }

std::size_t Import::count(Fate fate) const {
  return static_cast<std::size_t>(std::ranges::count(lines, fate, &ImportedLine::fate));
}

std::string summary_of(const Import& import, std::string_view parent) {
  std::string text = cat(import.lines.size(), import.lines.size() == 1 ? " line: " : " lines: ",
                         import.count(Fate::translated), " translated");
  if (const std::size_t count = import.count(Fate::in_part); count > 0)
    text += cat(", ", count, " in part");
  if (!parent.empty()) text += cat(", ", import.count(Fate::already), " already in ", parent);
  return text + cat(", ", import.count(Fate::untranslated), " not translated");
}

Result<Import> import(node::Context& context, const ImportRequest& request) {
  std::optional<profile::Merged> parent;
  if (!request.extends.empty()) {
    TRY_ASSIGN(parent,
               profile::load_merged(context.disk(), context.profile_sources(), request.extends));
  }
  TRY_ASSIGN(const Providers* const providers, context.providers());
  Account account(*providers, parent ? &*parent : nullptr);
  Import out;
  out.profile.name = request.name.empty() ? name_of_source(request.files.front()) : request.name;
  // It would extend itself.
  if (out.profile.name == request.extends) out.profile.name += "-imported";
  std::string summary;
  switch (request.format) {
    case Format::tuned:
      TRY(read_tuned(context, request, account, summary));
      break;
    case Format::sysctl:
      TRY(read_sysctl_files(context, request, account));
      break;
    case Format::saptune:
      TRY(read_saptune(context, request, account, summary));
      break;
  }
  out.profile.summary =
      summary.empty() ? cat("Imported from ", named(request.files)) : std::move(summary);
  if (!request.extends.empty()) out.profile.extends = {request.extends};
  account.finish(out);
  out.profile.heading = {cat("Imported by nettune import ", kFormats.word(request.format), " from ",
                             join(request.files, ", "), "."),
                         cat(summary_of(out, request.extends), ".")};
  return out;
}

}  // namespace nettune::intake
