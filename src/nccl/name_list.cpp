// SPDX-License-Identifier: Apache-2.0
#include "nccl/name_list.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

#include "base/text.hpp"
#include "nccl/word_values.hpp"

namespace nettune::nccl {
namespace {

constexpr Version kMoreHcas{2, 18, 5};
constexpr Version kExactNames{2, 5, 6};

/// 10.0.0.1, fe80::1, 10.0.0.0/24.
bool is_address(std::string_view text) {
  const std::string address(text.substr(0, text.find('/')));
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

/// matchIfList() compares letter by letter (src/misc/utils.cc).
Judgement judge_wildcard(const NameList& list, std::string_view name) {
  const std::string_view begin = name.substr(0, name.find_first_of("*?"));
  const bool prefix = name.substr(begin.size()) == "*";
  std::string instead = "names, or the letters that they begin with";
  if (prefix)
    instead = begin.empty() ? "nothing, for all of them"
                            : cat(printable(begin), list.exact ? " without '='" : "",
                                  ": a name without '=' is a prefix");
  return misread(
      cat("NCCL knows no wildcards: \"", printable(name), "\" is a name, and matches nothing"),
      std::move(instead));
}

/// NCCL takes the name before ':', and ignores what follows up to the next comma (parseStringList()
/// in src/misc/utils.cc). A number is a port or the label of an alias; a name gets lost.
Judgement judge_behind_colon(std::string_view text) {
  Judgement numbered;
  for (const std::string_view part : split(text.substr(text.find_first_not_of("^=")), ',')) {
    const std::size_t colon = part.find(':');
    if (colon == part.npos || colon == 0) continue;
    const std::string why = cat("what follows ':' is ignored up to the next comma: the name is ",
                                printable(part.substr(0, colon)));
    if (part.find_first_not_of("0123456789", colon + 1) != part.npos)
      return misread(why, "a comma between names");
    if (numbered.level != Level::ok) continue;
    numbered = misread(why, "the name without ':' and what follows");
    numbered.level = Level::warning;
  }
  return numbered;
}

/// "ib0": the kernel's name of an interface; RDMA devices are called ibp1s0, or ib7s400p0.
bool is_ipoib(std::string_view name) {
  return name.starts_with("ib") && name.size() > 2 &&
         name.find_first_not_of("0123456789", 2) == name.npos;
}

/// "mx5_0": one letter from the driver's mlx5_0.
bool is_slip_of_mlx5(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return stem.size() < name.size() && is_one_edit(stem, "mlx5_") && stem != "mlx5_" &&
         stem != "mlx4_" && !std::string_view("mlx5_").starts_with(stem);
}

/// The kernel and systemd name interfaces so, and no driver names an RDMA device so (rdma-core,
/// kernel-boot/rdma_rename.c: mlx5_0, rocep1s0, ibp1s0).
Judgement judge_kind_of_names(const NameList& list) {
  static constexpr std::array<std::string_view, 7> kInterfaces = {"eth",  "ens",    "enp",  "eno",
                                                                  "bond", "docker", "virbr"};
  for (const NameList::Entry& entry : list.entries)
    if (is_slip_of_mlx5(entry.name))
      return {Verdict::misread, Level::warning,
              cat(printable(entry.name),
                  " is one letter away from the names of mlx5 devices, and "
                  "matches none of them"),
              "mlx5_...", "src/misc/utils.cc matchIf"};
  for (const NameList::Entry& entry : list.entries)
    for (const std::string_view begin : kInterfaces)
      if (entry.name.starts_with(begin) || is_ipoib(entry.name))
        return {Verdict::misread, Level::warning,
                cat("names of RDMA devices are compared (mlx5_0, rocep1s0): ",
                    printable(entry.name), " looks like the name of an interface"),
                list.exclude ? "names of RDMA devices, or nothing" : "names of RDMA devices",
                "src/misc/utils.cc matchIf"};
  return {};
}

}  // namespace

NameList read_names(std::string_view text) {
  NameList list;
  list.exclude = text.starts_with('^');
  if (list.exclude) text.remove_prefix(1);
  list.exact = text.starts_with('=');
  if (list.exact) text.remove_prefix(1);
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    if (colon == 0) continue;
    NameList::Entry entry{std::string(part.substr(0, colon)), {}};
    if (colon < part.size()) {
      const std::string_view port = part.substr(colon + 1);
      entry.port = static_cast<int>(
          parse_int(port.substr(0, std::min(port.find(':'), port.size()))).value_or(0));
    }
    list.entries.push_back(std::move(entry));
  }
  return list;
}

const NameList::Entry* NameList::match(std::string_view name, std::optional<int> port) const {
  const auto fits = [&](const Entry& entry) {
    const bool named = exact ? name == entry.name : name.starts_with(entry.name);
    return named && (!port || !entry.port || *port == *entry.port);
  };
  const auto found = std::ranges::find_if(entries, fits);
  return found == entries.end() ? nullptr : &*found;
}

bool NameList::takes(std::string_view name, std::optional<int> port) const {
  if (entries.empty()) return !exclude;
  return (match(name, port) != nullptr) != exclude;
}

Judgement judge_names(const Variable& variable, std::string_view text, const Version& version) {
  const bool hcas = variable.type == Type::hcas;
  if (variable.type == Type::interfaces && text.size() == 1)
    return misread("a value of one character counts as unset");
  for (const std::string_view name :
       split(text.substr(std::min(text.find_first_not_of("^="), text.size())), ','))
    if (!hcas && is_address(name))
      return misread(cat("names of interfaces are compared: ", printable(name),
                         " is an address, and matches none"),
                     "the name of the interface that has that address");
  const NameList list = read_names(text);
  if (list.exact && version < kExactNames)
    return misread(cat("this release does not know '=' (since ", kExactNames.text(),
                       ") and takes it as part of the name"));
  if (list.entries.empty()) return misread("it contains no name, so nothing matches");
  const std::size_t most = hcas && version >= kMoreHcas ? 32 : 16;
  if (list.entries.size() > most)
    return {Verdict::out_of_range,
            Level::warning,
            cat("only the first ", most, " names are read"),
            {},
            {}};
  for (const NameList::Entry& entry : list.entries) {
    if (entry.name.starts_with('^') || entry.name.starts_with('='))
      return misread(cat("'", entry.name.substr(0, 1),
                         "' applies to the whole list and is written once, at its start; \"",
                         printable(entry.name), "\" matches nothing"),
                     "one '^' or '=' in front of all names");
    const bool comment = entry.name.find('#') != std::string::npos;
    if (comment || entry.name.find_first_of(" \t\r\n") != std::string::npos)
      return misread(
          cat(comment ? "the '#'" : "the blank", " in \"", printable(entry.name),
              "\" is part of the name: it matches nothing"),
          comment ? "only names, with the comment on its own line" : "names without blanks");
    if (variable.reader.empty() && entry.name.find_first_of("*?") != std::string::npos)
      return judge_wildcard(list, entry.name);
  }
  if (variable.reader.empty() && variable.type == Type::interfaces) {
    Judgement judgement = judge_behind_colon(text);
    if (judgement.level != Level::ok) return judgement;
  }
  if (hcas)
    if (Judgement judgement = judge_kind_of_names(list); judgement.level != Level::ok)
      return judgement;
  if (hcas && !list.exact)
    return {Verdict::advice, Level::note,
            list.exclude ? "names are prefixes: ^mlx5_1 also leaves mlx5_10 out"
                         : "names are prefixes: mlx5_1 also matches mlx5_10; if none matches, NCCL "
                           "continues over sockets",
            "", "src/misc/utils.cc matchIf"};
  return {};
}

}  // namespace nettune::nccl
