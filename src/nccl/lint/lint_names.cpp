// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "nccl/lint/lint.hpp"
#include "nccl/lint/words.hpp"

namespace nettune::nccl {
namespace {

/// The name that a line of a file meant: without blanks, "export" and a missing part.
std::string_view stripped(std::string_view name) {
  name = trim(name);
  if (name.starts_with("export ")) name = trim(name.substr(7));
  return name;
}

Judgement unknown(std::string why, std::string instead, Level level = Level::error) {
  return {Verdict::unknown_name, level, std::move(why), std::move(instead), ""};
}

/// What becomes of a name that has "export" or a blank in it.
std::string reading_of(Kind kind, std::string_view name) {
  if (kind == Kind::env_file)
    return "docker and podman refuse the file, systemd and PAM pass the line over";
  return cat("the file is read byte for byte, and nobody asks for \"", printable(name), "\"");
}

Judgement judge_unlisted(const Catalog& catalog, const NearNames& known, Kind kind,
                         std::string_view name) {
  const std::string_view inner = stripped(name);
  if (inner != name && catalog.find(inner))
    return unknown(cat("the name has what no variable's name has (",
                       name == trim(name) ? "export" : "a blank", "): ", reading_of(kind, name)),
                   cat(inner, "=..."));
  // The catalogue's names are in capitals.
  const Variable* const same = catalog.find(upper(inner));
  const auto near = same ? std::optional(same->name) : known.nearest(inner);
  const auto begins = [&](const std::string& prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(catalog.partial_prefixes, begins))
    return {Verdict::unsettled, Level::note,
            "not in the catalogue, which has only the names of this kind that matter to a job",
            near ? cat(*near, "?") : "", ""};
  const bool other_case = same && name.find("NCCL_") == name.npos;
  return unknown("no release of NCCL reads this name, and none says so", near.value_or(""),
                 other_case ? Level::warning : Level::error);
}

std::string first_after(const Catalog& catalog, const Version& until) {
  for (const Version& one : catalog.releases)
    if (until < one) return one.text();
  return {};
}

}  // namespace

void judge_name(const Job& job, const Assignment& set, const NearNames& known, Judgements& out) {
  const Catalog& catalog = *job.catalog;
  if (const Invented* const invented = catalog.find_invented(set.name)) {
    out.push_back(unknown("no program reads this name; it was made up, or its spelling is wrong",
                          invented->instead));
    return;
  }
  const Variable* const variable = catalog.find(set.name);
  if (!variable) {
    out.push_back(judge_unlisted(catalog, known, set.kind, set.name));
    return;
  }
  const std::string now = job.version.text();
  switch (catalog.presence(*variable, job.version)) {
    case Presence::read:
      break;
    case Presence::not_yet:
      out.push_back({Verdict::not_in_version, Level::error,
                     cat("read since ", variable->since->text(), "; ", now, " ignores it"), "",
                     variable->source});
      return;
    case Presence::gone:
      out.push_back({Verdict::not_in_version, Level::error,
                     cat("last read by ", variable->until->text(), "; ignored from ",
                         first_after(catalog, *variable->until), " on"),
                     variable->instead, variable->source});
      return;
    case Presence::unknown:
      out.push_back(
          {Verdict::unsettled, Level::warning,
           cat("the source of ", now, " is not public: whether it reads this is not known"), "",
           variable->source});
      return;
  }
  if (!variable->reader.empty())
    out.push_back({Verdict::advice, Level::note, cat("read by ", variable->reader, ", not by NCCL"),
                   variable->instead, variable->source});
}

}  // namespace nettune::nccl
