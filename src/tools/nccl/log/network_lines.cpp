// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/network_lines.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "tools/nccl/log/communicator_lines.hpp"
#include "tools/nccl/log/connection.hpp"
#include "tools/nccl/log/message_values.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// " [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>"
void take_ib_devices(Log& log, Process& process, std::string_view text) {
  const auto oob = find_word(text, "; OOB ");
  if (oob == std::string_view::npos) return;
  std::string_view devices = trim(text.substr(0, oob));
  if (devices.ends_with("[RO]")) devices.remove_suffix(4);
  // From 2.26 on the line comes without a device, too.
  if (trim(devices).empty()) return;
  add_once(process.ib, id_of_text(log, devices));
  if (const auto own = without_part(text.substr(oob + 6), '>'); !own.empty())
    add_once(process.oob, id_of_text(log, own));
}

/// "NET/IB: Dev 0 Port 1 qpn 137 mtu 5 GID 3 (80FE/...)" and its later forms.
void take_gid(Process& process, std::string_view message) {
  auto device = number_behind(message, "IbDev ");
  if (!device) device = number_behind(message, "Dev ");
  const auto port = number_behind(message, "Port ");
  const auto gid = find_word(message, " GID ");
  if (!device || !port || gid == message.npos || process.gids.size() >= kMostValues) return;
  const auto index = whole_number_behind(message, " GID ");
  if (index) process.gids.insert(cat("device ", *device, " port ", *port, " index ", *index));
}

void take_network(Log& log, Process& process, std::string_view message, bool whole) {
  Cursor at(message);
  if (at.skip("NET/IB : Using")) return take_ib_devices(log, process, at.rest());
  if (at.skip("NET/Socket : Using [")) {
    const auto all = without_part(message.substr(message.find('[')), '>');
    if (!all.empty()) add_once(process.sockets, id_of_text(log, all));
    return;
  }
  const bool is_off =
      message.starts_with("NET/OFI ") && (message.find("disabling GDR") != message.npos ||
                                          message.find("GDR not supported") != message.npos);
  if (is_off || find_word(message, "GPU Direct RDMA") != message.npos) {
    if (whole) add_once(process.gdr, id_of_text(log, message));
    return;
  }
  if (at.skip("NET/IB: ")) return take_gid(process, at.rest());
  // "NET/OFI Tuner init: comm with 8 ranks and 1 nodes." (aws/aws-ofi-nccl)
  if (message.find(" ranks and ") != message.npos)
    if (const auto ranks = number_behind(message, ": comm with ")) {
      add_size(log, *ranks);
      return;
    }
  // Of a connection: google/nccl-fastsocket net_fastsocket.cc.
  if (at.skip("NET/FastSocket : Connected") || at.skip("NET/FastSocket : Accepted data"))
    return add_once(process.networks, log.names.id("FastSocket"));
  if (at.skip("NET/IB : No device found"))
    return add_once(process.reasons, id_of_text(log, "NET/IB : No device found."));
  // aws/aws-ofi-nccl src/nccl_ofi_rdma.cpp: why its plugin is not used.
  if (at.skip("NET/OFI No eligible providers"))
    return add_once(process.reasons, id_of_text(log, "NET/OFI No eligible providers were found"));
  if (whole &&
      (at.skip("NET/IB : Unable to open device") || at.skip("NET/IB : SHARP coll init error") ||
       at.skip("NET/Plugin") || at.skip("NET/OFI Selected")))
    add_once(process.reasons, id_of_text(log, message));
}

/// Another line may have torn it. In "AWS Libfabric" each word begins with a capital letter.
bool may_be_network(std::string_view name) {
  const auto all = words(name);
  const auto is_capital = [](std::string_view word) { return word[0] >= 'A' && word[0] <= 'Z'; };
  if (all.size() == 1) {
    const char begin = all[0][0];
    return is_capital(all[0]) || (begin >= 'a' && begin <= 'z') || is_digit(begin);
  }
  return !all.empty() && name.find(',') == name.npos && std::ranges::all_of(all, is_capital);
}

/// What stands behind "Using network "
void take_used(Log& log, Process& process, std::string_view network, bool whole) {
  ++process.progress;
  network = trim(network);
  if (whole && may_be_network(network)) add_once(process.networks, id_of_text(log, network));
}

}  // namespace

bool take_network_line(Log& log, Process& process, std::string_view message, bool whole) {
  Cursor at(message);
  if (at.skip("NET/")) {
    take_network(log, process, message, whole);
  } else if (at.skip("Using network ")) {
    take_used(log, process, at.rest(), whole);
  } else if (at.skip("Bootstrap : Using") || at.skip("Bootstrap: Using")) {
    ++process.starts;
    if (const auto used = without_part(at.rest(), '>'); !used.empty())
      add_once(process.bootstrap, id_of_text(log, used));
  } else if (at.skip("GPU Direct RDMA")) {
    if (whole) add_once(process.gdr, id_of_text(log, message));
  } else {
    return false;
  }
  return true;
}

bool take_network_reason(Log& log, Process& process, std::string_view message) {
  static constexpr std::string_view kStarts[] = {"Failed to open libibverbs",
                                                 "Count not open",
                                                 "Could not open libib",  // of RCCL
                                                 "Failed to initialize NET plugin",
                                                 "Plugin Path",
                                                 "P2P plugin",
                                                 "Successfully loaded external",
                                                 "Plugin name set by env to ",
                                                 "External network plugin",
                                                 "P2P is disabled between",
                                                 "Could not enable P2P between",
                                                 "SHARP group create",
                                                 "Cannot initialize CollNet",
                                                 "Net/IB: call to devices() returned 0 devices",
                                                 "Disabling external plugins"};
  const bool is_one =
      std::any_of(std::begin(kStarts), std::end(kStarts),
                  [&](std::string_view start) { return message.starts_with(start); });
  if (is_one) add_once(process.reasons, id_of_text(log, message));
  return is_one;
}

bool ends_with_network(std::string_view message) {
  static constexpr std::string_view kNames[] = {"IB", "Socket", "AWS Libfabric", "FastSocket"};
  constexpr std::string_view kUsing = "Using network ";
  message = trim(message);
  if (message.starts_with(kUsing))
    return std::find(std::begin(kNames), std::end(kNames), message.substr(kUsing.size())) !=
           std::end(kNames);
  Connection connection;
  return parse_connection(message, connection) == Parsed::found &&
         connection.transport == Transport::net && connection.detail == "Socket";
}

}  // namespace nettune::tools::nccl::log
