// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "nccl/lint.hpp"
#include "nccl/word_values.hpp"

namespace nettune::nccl {
namespace {

/// The name that a line of a file meant: without blanks, "export" and a missing part.
std::string_view stripped(std::string_view name) {
  name = trim(name);
  if (name.starts_with("export ")) name = trim(name.substr(7));
  return name;
}

Judgement unknown(std::string why, std::string instead, Level level) {
  return {Verdict::unknown_name, level, std::move(why), std::move(instead), ""};
}

/// What becomes of a name that has "export" or a blank in it.
std::string reading_of(Kind kind, std::string_view name) {
  if (kind == Kind::env_file)
    return "docker and podman reject the file, systemd and PAM skip the line";
  return cat("the file is read byte for byte, and nothing looks up \"", printable(name), "\"");
}

/// UCX_, FI_ and their like, of which the catalogue has only the names that matter to a job.
bool is_partly_known(const Catalog& catalog, std::string_view name) {
  const auto begins = [&](const std::string& prefix) { return name.starts_with(prefix); };
  return std::ranges::any_of(catalog.partial_prefixes, begins);
}

/// nccl_debug, NCLL_DEBUG: one of the catalogue's names with a typo at its start or its case. By
/// one edit RCCL_DEBUG and HCCL_BUFFSIZE would be, which others read.
bool is_slip(const Catalog& catalog, std::string_view name) {
  static constexpr std::array<std::string_view, 6> kSlips = {"NCLL_", "NNCL_",  "NCL_",
                                                             "NCC_",  "NCCLL_", "NCCL-"};
  const std::string capitals = upper(name);
  if (capitals.starts_with("NCCL_") && catalog.find(capitals)) return true;
  return std::ranges::any_of(kSlips, [&](std::string_view slip) {
    return capitals.starts_with(slip) && catalog.find(cat("NCCL_", capitals.substr(slip.size())));
  });
}

/// A name that this release or another program reads, and that was surely meant.
const Variable* meant_by(const Catalog& catalog, std::string_view name, const Version& version) {
  const std::string capitals = upper(name);
  const auto is_meant = [&](const Variable& one) {
    return is_one_edit(capitals, one.name) && catalog.presence(one, version) == Presence::read;
  };
  const auto found = std::ranges::find_if(catalog.variables, is_meant);
  return found == catalog.variables.end() ? nullptr : &*found;
}

Judgement judge_unlisted(const Catalog& catalog, Kind kind, std::string_view name,
                         const Version& version) {
  const std::string_view inner = stripped(name);
  if (inner != name && catalog.find(inner))
    return unknown(cat("the name contains what no variable name can (",
                       name == trim(name) ? "export" : "a blank", "): ", reading_of(kind, name)),
                   cat(inner, "=..."), Level::error);
  if (const NamesOfOthers* const others = catalog.find_others(inner))
    return {Verdict::advice, Level::note, cat("a name of ", others->who, "; NCCL does not read it"),
            "", ""};
  const Variable* const meant = meant_by(catalog, inner, version);
  if (is_partly_known(catalog, inner))
    return {Verdict::unsettled, Level::note,
            "not in the catalogue, which lists only the names of this kind that matter to a job",
            meant ? cat(meant->name, "?") : "", ""};
  const Invented* const invented = catalog.find_invented(name);
  const std::string instead = invented ? invented->instead : meant ? meant->name : "";
  // NCCL_DEBUG in other letters may be a variable of the script.
  const bool other_case = meant && name != meant->name && upper(name) == meant->name;
  return unknown(meant ? cat("nothing reads this name: it is ", meant->name, " with a typo")
                       : "no NCCL release reads this name, and no other program is known to",
                 instead,
                 !meant       ? Level::note
                 : other_case ? Level::warning
                              : Level::error);
}

/// The name that replaces it, if this release reads that.
std::string replacement(const Catalog& catalog, const Variable& variable, const Version& version) {
  const Variable* const other = catalog.find(variable.instead);
  const bool is_read = !other || catalog.presence(*other, version) == Presence::read;
  return is_read ? variable.instead : std::string();
}

std::string first_after(const Catalog& catalog, const Version& until) {
  for (const Version& one : catalog.releases)
    if (until < one) return one.text();
  return {};
}

}  // namespace

bool concerns_nccl(const Catalog& catalog, std::string_view name) {
  if (name == "HOME" || name == "CUDA_LAUNCH_BLOCKING") return false;
  name = stripped(name);
  if (name.starts_with("NCCL_") || catalog.find(name) || is_slip(catalog, name)) return true;
  return is_partly_known(catalog, name) && meant_by(catalog, name, catalog.releases.back());
}

void judge_name(const Job& job, const Assignment& set, Judgements& out) {
  const Catalog& catalog = *job.catalog;
  const Variable* const variable = catalog.find(set.name);
  if (!variable) {
    out.push_back(judge_unlisted(catalog, set.kind, set.name, job.version));
    return;
  }
  const std::string now = job.version.text();
  switch (catalog.presence(*variable, job.version)) {
    case Presence::read:
      break;
    case Presence::not_yet:
      out.push_back({Verdict::not_in_version, Level::warning,
                     cat("read since ", variable->since->text(), "; ", now, " ignores it"), "",
                     variable->source});
      return;
    case Presence::gone:
      out.push_back({Verdict::not_in_version, Level::warning,
                     cat("last read by ", variable->until->text(), "; ignored from ",
                         first_after(catalog, *variable->until), " on"),
                     replacement(catalog, *variable, job.version), variable->source});
      return;
    case Presence::unknown:
      out.push_back(
          {Verdict::unsettled, Level::warning,
           cat("the source of ", now, " is not public, so it is not known whether it reads this"),
           "", variable->source});
      return;
  }
  if (!variable->reader.empty())
    out.push_back({Verdict::advice, Level::note, cat("read by ", variable->reader, ", not by NCCL"),
                   variable->instead, variable->source});
}

}  // namespace nettune::nccl
