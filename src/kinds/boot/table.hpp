// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nettune::kinds::boot {

/// What a value looks like, in the profile and on the command line.
enum class Form {
  word,    ///< one of `choices`
  number,  ///< from `least` to `most`
  size,    ///< 2M, 1G: a page size
  cpus,    ///< a list of CPUs: 2-15,18-31
  list,    ///< several, each an argument of its own, in their order: console
  ports,   ///< PCI devices, joined by ';': disable_acs_redir
  flags,   ///< the same, each with bits for ACS in front: config_acs
  any,     ///< a text, or "" for a name alone: what the table does not have
};

/// How arguments of one name add up.
enum class Repeat {
  last,   ///< the kernel takes the last one
  each,   ///< each counts: console
  group,  ///< follows the argument that names its size: hugepagesz=2M hugepages=512
  part,   ///< one of several parts of an argument that may be repeated: pci=realloc
};

/// What shows that a value is in effect.
enum class Shown {
  nowhere,   ///< only /proc/cmdline shows that the kernel got it
  equal,     ///< the file at `path` is the value
  chosen,    ///< the file at `path` has it in brackets
  at_least,  ///< the number in the file at `path` is not lower
  cpus,      ///< the file at `path` lists the same CPUs
  on_off,    ///< the file at `path` is 0 for disable, and more for enable
  acs,       ///< the ACS control registers of the ports redirect nothing
  identity,  ///< the default domain of IOMMU groups is "identity" for pt and 1
};

/// An argument that a profile may set.
struct Argument {
  std::string_view name;  ///< "hugepages"; of a part: "pci#realloc"
  Form form = Form::word;
  Repeat repeat = Repeat::last;
  std::string_view choices = {};
  std::int64_t least = 0;
  std::int64_t most = 0;
  Shown shown = Shown::nowhere;
  std::string_view path = {};   ///< '*' stands for the size of a page in kB
  std::string_view weak = {};   ///< values that weaken the node: a flag must allow them
  std::string_view opens = {};  ///< what these open
  std::string_view source;
};

std::span<const Argument> arguments();
/// By the name, for a part with its '#'; null for one that is not in the table.
const Argument* find_argument(std::string_view name);
/// The row of all names that only a site allows ([boot] arguments of the site file).
const Argument& other_argument();

}  // namespace nettune::kinds::boot
