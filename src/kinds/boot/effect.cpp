// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/effect.hpp"

#include <algorithm>
#include <optional>

#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "kernel/pci.hpp"
#include "kinds/boot/argument.hpp"

namespace nettune::kinds::boot {

namespace {

constexpr std::uint64_t kMostShownBytes = 65536;
/// Of the memory, huge pages may take so much: the rest is for the kernel and everything else.
constexpr std::int64_t kMostPercent = 75;
constexpr std::int64_t kKiB = 1024;
constexpr std::string_view kGroups = "/sys/kernel/iommu_groups";

std::optional<std::string> text_at(Disk& disk, const std::string& path) {
  const auto text = disk.read(path, kMostShownBytes);
  return text && *text ? std::optional<std::string>(trim(**text)) : std::nullopt;
}

/// '*' is the size of the pages in kB.
std::string path_of(const Argument& row, std::string_view name) {
  std::string path(row.path);
  const std::size_t size = name.find('#');
  const auto bytes = size == name.npos ? std::nullopt : page_bytes(name.substr(size + 1));
  if (const std::size_t at = path.find('*'); at != path.npos && bytes)
    path.replace(at, 1, cat(*bytes / kKiB));
  return path;
}

/// It is in /proc/cmdline: the caller has looked.
InEffect unseen(std::string why) { return {InEffect::State::unseen, std::move(why), false, true}; }

/// `is` of what the file at `path` has.
template <class Judge>
InEffect judged(Disk& disk, const std::string& path, Judge is) {
  const auto now = text_at(disk, path);
  if (!now) return {InEffect::State::no, cat("there is no ", path)};
  return {is(*now) ? InEffect::State::yes : InEffect::State::no,
          cat(path, " is ", printable(*now))};
}

/// iommu_get_default_domain_type(), drivers/iommu/iommu.c: with pt, groups have "identity".
InEffect shown_by_groups(Disk& disk, const std::string& value) {
  if (value != "pt" && value != "nopt" && value != "1" && value != "0")
    return unseen("it is in /proc/cmdline, and nothing shows what the kernel made of it");
  const bool wants_identity = value == "pt" || value == "1";
  const auto groups = disk.list(std::string(kGroups));
  if (!groups || groups->empty()) return unseen(cat("no IOMMU is on: ", kGroups, " is empty"));
  for (const std::string& group : *groups) {
    const std::string path = cat(kGroups, "/", group, "/type");
    const auto type = text_at(disk, path);
    if (!type) continue;
    const bool is = (*type == "identity") == wants_identity;
    return {is ? InEffect::State::yes : InEffect::State::no, cat(path, " is ", printable(*type))};
  }
  return unseen("no IOMMU group shows its type");
}

/// By the registers, as setpci shows them.
InEffect shown_by_ports(const std::string& value) {
  const auto root = kernel::Directory::open_node("/");
  if (!root) return unseen("sysfs cannot be read");
  for (const std::string_view port : words(value)) {
    if (port.starts_with("pci:")) return unseen(cat(port, " names no single port"));
    const auto address = kernel::find_by_pci_path(*root, port);
    if (!address) return {InEffect::State::no, cat("there is no PCI device ", port, " now")};
    const kernel::PortAcs acs = kernel::read_port_acs(*root, *address);
    if (!acs.redirects) return unseen("the registers of the ports are not readable; run as root");
    if (*acs.redirects)
      return {InEffect::State::no, cat("the ACS control register of ", *address, " redirects")};
  }
  return {InEffect::State::yes, "the ACS control registers of these ports"};
}

std::string no_memory(Disk& disk, std::string_view name, const std::string& value) {
  const auto meminfo = text_at(disk, "/proc/meminfo");
  const auto bytes = page_bytes(name.substr(name.find('#') + 1));
  const auto pages = parse_int(value);
  if (!meminfo || !bytes || !pages) return {};
  for (const std::string_view line : split(*meminfo, '\n')) {
    const auto parts = words(line);
    if (parts.size() < 2 || parts[0] != "MemTotal:") continue;
    const std::int64_t most_kib = parse_int(parts[1]).value_or(0) / 100 * kMostPercent;
    const std::int64_t wanted_kib = *bytes / kKiB * *pages;
    if (wanted_kib <= most_kib) return {};
    return cat(value, " pages of ", name.substr(name.find('#') + 1), " are ", wanted_kib / kKiB,
               " MiB, and this node can give ", most_kib / kKiB, " MiB at most (", kMostPercent,
               " % of its memory)");
  }
  return {};
}

}  // namespace

InEffect shown(Disk& disk, const Argument& row, std::string_view name, const std::string& value) {
  const std::string path = path_of(row, name);
  switch (row.shown) {
    case Shown::nowhere:
      return unseen("it is in /proc/cmdline, and nothing shows what the kernel made of it");
    case Shown::equal:
      return judged(disk, path, [&](const std::string& now) { return now == value; });
    case Shown::chosen:
      return judged(disk, path, [&](const std::string& now) {
        return now.find(cat('[', value, ']')) != now.npos;
      });
    case Shown::at_least:
      if (!text_at(disk, path) && row.repeat == Repeat::group)
        return {InEffect::State::no, "this kernel has no pages of that size"};
      return judged(disk, path, [&](const std::string& now) {
        return parse_int(now).value_or(-1) >= parse_int(value).value_or(0);
      });
    case Shown::cpus:
      return judged(disk, path, [&](const std::string& now) {
        return parse_cpu_list(now) == parse_cpu_list(value);
      });
    case Shown::on_off:
      return judged(disk, path, [&](const std::string& now) {
        const bool off = now == "0" || now == "N";
        return off == (value == "0" || value == "disable");
      });
    case Shown::acs:
      return shown_by_ports(value);
    case Shown::identity:
      return shown_by_groups(disk, value);
  }
  return {};
}

std::string why_impossible(Disk& disk, const Argument& row, std::string_view name,
                           const std::string& value) {
  if (row.repeat == Repeat::group) return no_memory(disk, name, value);
  if (row.form != Form::cpus) return {};
  const auto present = text_at(disk, "/sys/devices/system/cpu/present");
  const auto all = present ? parse_cpu_list(*present) : std::nullopt;
  const auto taken = parse_cpu_list(value);
  if (!all || !taken) return {};
  bool leaves_one = false;
  for (std::size_t cpu = 0; cpu < std::max(all->size(), taken->size()); ++cpu) {
    const bool is_here = cpu < all->size() && (*all)[cpu];
    const bool is_taken = cpu < taken->size() && (*taken)[cpu];
    if (is_taken && !is_here) return cat("this node has the CPUs ", *present, " only");
    leaves_one = leaves_one || (is_here && !is_taken);
  }
  return leaves_one ? std::string() : std::string("it leaves no CPU for everything else");
}

}  // namespace nettune::kinds::boot
