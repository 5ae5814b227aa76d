// SPDX-License-Identifier: Apache-2.0
#include "kinds/rdma/provider.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/attribute_file.hpp"

namespace nettune::kinds::rdma {
namespace {

constexpr std::string_view kDevices = "class/infiniband/";
constexpr std::string_view kCma = "kernel/config/rdma_cm";
constexpr std::size_t kMaxAttributeBytes = 65536;

/// gid_type_str in drivers/infiniband/core/cache.c (6.1).
constexpr std::array<std::string_view, 2> kModes = {"RoCE v2", "IB/RoCE v1"};
/// traffic_class_show() of OFED's mlx5_ib; rules for single addresses may follow on other lines.
constexpr std::string_view kGlobalClass = "Global tclass=";

std::string group_path(std::string_view device) { return cat(kCma, '/', device); }

Reading not_applicable(std::string why) {
  return {Presence::not_applicable, "", std::move(why), {}};
}

/// Why rdma_cm's group cannot be there; present if it can.
Reading without_cma(const kernel::Directory& root) {
  if (root.exists(std::string(kCma))) return {Presence::present, "", "", {}};
  if (!root.exists("module/rdma_cm")) return {Presence::not_yet, "", "module:rdma_cm", {}};
  if (root.exists("kernel/config") && root.list("kernel/config").empty())
    return not_applicable(
        "configfs is not mounted at /sys/kernel/config; run systemctl start "
        "sys-kernel-config.mount");
  return not_applicable("this kernel's rdma_cm has no files in /sys/kernel/config");
}

/// The interface of a port; "" if its GID table has none.
std::string interface_of(const kernel::Directory& root, const RdmaTarget& target) {
  const std::string owners =
      cat(kDevices, target.device, "/ports/", target.port, "/gid_attrs/ndevs");
  for (const std::string& index : root.list(owners))
    if (auto name = root.line(cat(owners, '/', index)); name && !name->empty()) return *name;
  return {};
}

Reading unreadable(const std::string& path, int error) {
  if (error == EPERM)
    return {Presence::not_permitted,
            "",
            cat(path, " is not accessible: kernel lockdown (Secure Boot) closes debugfs"),
            {}};
  if (error == EACCES)
    return {Presence::not_permitted, "", cat("reading ", path, " needs root"), {}};
  return {Presence::not_permitted, "", cat(path, " cannot be read: ", std::strerror(error)), {}};
}

std::string number_text(std::string_view line) {
  const auto number = parse_int(trim(line));
  return number ? std::to_string(*number) : std::string();
}

Reading reading_of(const RdmaTarget& target, const std::string& path, std::string_view content) {
  const std::string_view line = trim(content.substr(0, content.find('\n')));
  if (target.property == RdmaProperty::cma_roce_mode)
    return {Presence::present, std::string(line), "", {}};
  if (target.property == RdmaProperty::traffic_class) {
    if (!line.starts_with(kGlobalClass)) return {Presence::absent, "", "", {}};
    return {Presence::present, number_text(line.substr(kGlobalClass.size())), "", {}};
  }
  std::string number = number_text(line);
  if (number.empty())
    return not_applicable(cat(path, " has \"", printable(line.substr(0, 80)), "\", not a number"));
  return {Presence::present, std::move(number), "", {}};
}

Result<std::string> in_range(const Address& address, const std::string& want, std::int64_t max) {
  const auto number = parse_int(trim(want));
  if (number && *number >= 0 && *number <= max) return std::to_string(*number);
  return fail(Errc::invalid, cat(address.text, ": \"", printable(want.substr(0, 80)),
                                 "\" is not a number from 0 to ", max));
}

}  // namespace

RdmaCalls::RdmaCalls()
    : make_directory([](const std::string& path) {
        return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST ? 0 : errno;
      }),
      remove_directory([](const std::string& path) {
        return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
      }) {}

Result<Value> RdmaProvider::canonical(const Address& address, const Value& want) const {
  const auto target = rdma_target(address);
  if (!target)
    return fail(Errc::invalid,
                cat(printable(address.text.substr(0, 120)),
                    " is not an RDMA setting; write rdma:DEV:cma or, for a port, "
                    "rdma:DEV/PORT:cma-roce-mode, cma-roce-tos, traffic-class or cc-NAME"));
  const bool removable = target->property == RdmaProperty::cma_group ||
                         target->property == RdmaProperty::traffic_class;
  if (!want && removable) return want;
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  switch (target->property) {
    case RdmaProperty::cma_group:
      if (*want == "present") return want;
      return fail(Errc::invalid, cat("the value of ", address.text, " must be \"present\", not \"",
                                     printable(want->substr(0, 80)), "\""));
    case RdmaProperty::cma_roce_mode:
      if (std::ranges::find(kModes, trim(*want)) != kModes.end())
        return Value(std::string(trim(*want)));
      return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                     "\" is not \"RoCE v2\" or \"IB/RoCE v1\""));
    case RdmaProperty::cma_roce_tos:
    case RdmaProperty::traffic_class:
      return in_range(address, *want, std::numeric_limits<std::uint8_t>::max());
    case RdmaProperty::congestion:
      return in_range(address, *want, std::numeric_limits<std::uint32_t>::max());
  }
  return want;
}

RdmaProvider::File RdmaProvider::file_of(const kernel::Directory& root, const RdmaTarget& target) {
  const std::string port = cat(kDevices, target.device, "/ports/", target.port);
  if (target.property == RdmaProperty::traffic_class) {
    std::string path = cat(kDevices, target.device, "/tc/", target.port, "/traffic_class");
    if (root.exists(path)) return {std::move(path), {}};
    return {"", not_applicable("only NVIDIA's OFED driver has a traffic class for a port")};
  }
  if (root.line(port + "/link_layer") == "InfiniBand")
    return {"", not_applicable(cat("port ", target.port, " of ", target.device,
                                   " is InfiniBand; the setting is for RoCE"))};
  if (target.property != RdmaProperty::congestion) {
    if (Reading reason = without_cma(root); reason.presence != Presence::present)
      return {"", std::move(reason)};
    const std::string group = group_path(target.device);
    if (!root.exists(group))
      return {"", {Presence::not_yet, "", rdma_group_address(target.device).text, {}}};
    const bool mode = target.property == RdmaProperty::cma_roce_mode;
    return {cat(group, "/ports/", target.port, mode ? "/default_roce_mode" : "/default_roce_tos"),
            {}};
  }
  // OFED's files stay open under lockdown, so they are tried first.
  const std::string interface = interface_of(root, target);
  const std::string net = cat("class/net/", interface);
  if (!interface.empty() && !target.parameter->ofed.empty()) {
    std::string path = cat(net, "/ecn/", target.parameter->ofed);
    if (root.exists(path)) return {std::move(path), {}};
  }
  // Ports of one device can be on different PCI functions (mlx5_ib_get_native_port_mdev, 6.1), and
  // a bond on none.
  auto card = interface.empty() ? std::nullopt : root.link_name(net + "/device");
  if (!card) card = root.link_name(cat(kDevices, target.device, "/device"));
  if (!card)
    return {"", not_applicable(cat(target.device, " is not on a card that supports DCQCN"))};
  return {cat("kernel/debug/mlx5/", *card, "/cc_params/", target.parameter->name), {}};
}

Reading RdmaProvider::read_one(const kernel::Directory& root, const Address& address) const {
  const auto target = rdma_target(address);
  if (!target) return not_applicable("there is no such RDMA setting");
  if (!root.exists(cat(kDevices, target->device)))
    return {Presence::missing, "", cat("there is no RDMA device ", target->device), {}};
  if (target->property == RdmaProperty::cma_group) {
    Reading cma = without_cma(root);
    if (cma.presence != Presence::present) return cma;
    const bool there = root.exists(group_path(target->device));
    return there ? Reading{Presence::present, "present", "", {}}
                 : Reading{Presence::absent, "", "", {}};
  }
  if (!root.exists(cat(kDevices, target->device, "/ports/", target->port)))
    return {Presence::missing, "", cat(target->device, " has no port ", target->port), {}};
  File file = file_of(root, *target);
  if (file.path.empty()) return std::move(file.why_not);
  const auto content = root.read(file.path, kMaxAttributeBytes);
  if (content) return reading_of(*target, cat(sys_, '/', file.path), *content);
  const int error = content.error().sys;
  if (error != ENOENT && error != ENODEV) return unreadable(cat(sys_, '/', file.path), error);
  if (target->property == RdmaProperty::congestion && root.list("kernel/debug").empty())
    return not_applicable("debugfs is not mounted at /sys/kernel/debug");
  return not_applicable(cat("there is no ", sys_, '/', file.path, ": ", target->device,
                            target->property == RdmaProperty::congestion
                                ? "'s driver has no DCQCN parameters"
                                : " is not known to rdma_cm"));
}

std::vector<Reading> RdmaProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  const auto root = kernel::Directory::open(sys_);
  for (const Address& address : addresses)
    readings.push_back(root ? read_one(*root, address) : not_applicable(cat("there is no ", sys_)));
  return readings;
}

/// The group comes before the values in it. If it is there, it can only be removed: the values are
/// restored before that, since they stay with the device and not with the group.
std::vector<Address> RdmaProvider::needs(const Address& address) const {
  const auto target = rdma_target(address);
  const auto root = kernel::Directory::open(sys_);
  if (!target || !root) return {};
  const std::string group = group_path(target->device);
  const bool there = root->exists(group);
  std::vector<Address> first;
  if (target->property == RdmaProperty::cma_group && there) {
    for (const std::string& entry : root->list(group + "/ports")) {
      const auto port = static_cast<int>(parse_int(entry).value_or(0));
      first.push_back(rdma_address(target->device, port, "cma-roce-mode"));
      first.push_back(rdma_address(target->device, port, "cma-roce-tos"));
    }
  }
  const bool in_group = target->property == RdmaProperty::cma_roce_mode ||
                        target->property == RdmaProperty::cma_roce_tos;
  if (in_group && !there) first.push_back(rdma_group_address(target->device));
  return first;
}

/// mlx5_ib_set_cc_param_mask_val() in drivers/infiniband/hw/mlx5/cong.c (6.1, 6.12): two pairs of
/// parameters share one message each, whose other field is zero unless filled in.
void RdmaProvider::add_congestion_effects(const kernel::Directory& root, const RdmaTarget& target,
                                          Effects& effects) const {
  struct Pair {
    std::string_view written;
    std::string_view along;
    std::optional<std::string> becomes;
  };
  static const std::array<Pair, 4> kPairs = {
      {{"np_cnp_prio", "np_cnp_prio_mode", "0"},
       {"np_cnp_prio_mode", "np_cnp_prio", std::nullopt},
       {"rtt_resp_dscp", "rtt_resp_dscp_valid", "1"},
       {"rtt_resp_dscp_valid", "rtt_resp_dscp", std::nullopt}}};
  const auto* const pair = std::ranges::find(kPairs, target.parameter->name, &Pair::written);
  if (pair == kPairs.end()) return;
  const Address along = rdma_address(target.device, target.port, cat("cc-", pair->along));
  const Reading now = read_one(root, along);
  if (now.presence != Presence::present) return;
  effects.touches.push_back({along, "", pair->becomes,
                             "mlx5_ib_set_cc_param_mask_val, drivers/infiniband/hw/mlx5/cong.c"});
  if (pair->becomes && now.text != *pair->becomes) {
    effects.undo = Undo::residue;
    effects.residue = cat(pair->along, " is restored by a message that has ", pair->written,
                          " as 0, and the firmware may apply both");
  }
}

Effects RdmaProvider::effects(const Address& address, const Value& before, const Value&) {
  Effects effects;
  const auto target = rdma_target(address);
  const auto root = kernel::Directory::open(sys_);
  if (!target || !root) return effects;
  if (target->property == RdmaProperty::cma_group) {
    if (root->exists(std::string(kCma)))
      effects.not_permitted = kernel::write_barrier(cat(sys_, '/', kCma));
    return effects;
  }
  const File file = file_of(*root, *target);
  if (!file.path.empty() && root->exists(file.path))
    effects.not_permitted = kernel::write_barrier(cat(sys_, '/', file.path));
  if (target->property == RdmaProperty::congestion) {
    add_congestion_effects(*root, *target, effects);
  } else if (target->property == RdmaProperty::traffic_class) {
    effects.note = "all queue pairs, including those with a class of their own";
  } else {
    effects.note = "new rdma_cm connections";
  }
  check_way_back(effects, *this, address, before);
  return effects;
}

/// The firmware's values survive a reboot of the host and are compared then.
Lifetime RdmaProvider::lifetime(const Address& address) const {
  const auto target = rdma_target(address);
  const bool congestion = target && target->property == RdmaProperty::congestion;
  return congestion ? Lifetime::firmware : Lifetime::runtime;
}

Result<> RdmaProvider::write_one(const Write& write) {
  const auto target = rdma_target(write.address);
  if (!target)
    return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
  const std::string doing = cat("setting ", write.address.text, " to ",
                                write.after ? printable(*write.after) : std::string("absent"));
  if (target->property == RdmaProperty::cma_group) {
    const std::string path = cat(sys_, '/', group_path(target->device));
    const int error = write.after ? calls_.make_directory(path) : calls_.remove_directory(path);
    if (error == 0) return {};
    const std::string why =
        error == ENODEV ? cat("rdma_cm does not know ", target->device)
                        : cat(write.after ? "mkdir " : "rmdir ", path, ": ", std::strerror(error));
    return fail(error == EACCES || error == EPERM ? Errc::denied : Errc::io, cat(doing, ": ", why),
                error);
  }
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open(sys_));
  const File file = file_of(root, *target);
  if (file.path.empty())
    return fail(
        Errc::not_found,
        cat(doing, ": ", file.why_not.presence == Presence::not_yet ? "it exists only after " : "",
            file.why_not.why));
  // traffic_class_store() of OFED's mlx5_ib: a negative number removes the class.
  const std::string text = write.after.value_or("-1");
  if (auto written = kernel::write_attribute(cat(sys_, '/', file.path), text); !written)
    return fail_in(doing, std::move(written).error());
  return {};
}

Result<> RdmaProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) TRY(write_one(write));
  return {};
}

}  // namespace nettune::kinds::rdma
