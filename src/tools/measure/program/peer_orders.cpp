// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/peer_orders.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <netdb.h>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/peer_side.hpp"

namespace nettune::tools::measure::program {

std::vector<std::string> resolve_here(const std::string& name) {
  std::vector<std::string> out;
  addrinfo hints{};
  hints.ai_protocol = IPPROTO_TCP;
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return out;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    net::SocketAddress address;
    address.size = std::min<socklen_t>(one->ai_addrlen, sizeof address.storage);
    std::memcpy(&address.storage, one->ai_addr, address.size);
    const std::string text = address.host();
    if (std::ranges::find(out, text) == out.end()) out.push_back(text);
  }
  ::freeaddrinfo(found);
  return out;
}

Reach reach(const std::string& address, int port) {
  constexpr double kPatience_s = 2;
  const auto to = net::numeric_address(address, static_cast<std::uint16_t>(port));
  if (!to) return {"failed", to.error().text};
  const auto connected = net::connect_tcp(*to, std::nullopt, net::in_seconds(kPatience_s));
  if (connected) return {"reachable", cat(address, " port ", port, " answers")};
  const int error = connected.error().sys;
  const bool no_route = error == EHOSTUNREACH || error == ENETUNREACH;
  return {error == ECONNREFUSED ? "refused"
          : error == ETIMEDOUT  ? "dropped"
          : no_route            ? "no route"
                                : "failed",
          connected.error().text};
}

std::map<std::string, int> gid_indices() {
  constexpr int kLooked = 32;
  std::map<std::string, int> out;
  const auto root = kernel::Directory::open("/");
  if (!root) return out;
  for (const std::string& device : root->list("sys/class/infiniband"))
    for (const std::string& port : root->list(cat("sys/class/infiniband/", device, "/ports"))) {
      const std::string at = cat("sys/class/infiniband/", device, "/ports/", port);
      for (int i = 0; i < kLooked; ++i) {
        if (root->line(cat(at, "/gid_attrs/types/", i)).value_or("") != "RoCE v2") continue;
        const std::string gid = root->line(cat(at, "/gids/", i)).value_or("");
        if (!gid.starts_with("0000:0000:0000:0000:0000:ffff:")) continue;
        out[cat(device, "/", port)] = i;
        break;
      }
    }
  return out;
}

std::string Holder::hold(int port) {
  const std::lock_guard lock(mutex_);
  const net::PortRange one{static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(port)};
  auto socket = net::listen_tcp(one);
  if (socket) {
    socket_ = std::move(*socket);
    return "listening";
  }
  return socket.error().sys == EADDRINUSE || socket.error().code == Errc::busy
             ? "held"
             : socket.error().text;
}

void Holder::release() {
  const std::lock_guard lock(mutex_);
  socket_ = UniqueFd();
}

net::DataServer::Answer answers_of_peer(std::vector<End> ends) {
  const auto holder = std::make_shared<Holder>();
  return [holder, others = answers(std::move(ends))](const std::string& query) -> std::string {
    const auto order = net::wire::parse(query);
    const std::string what = order ? net::wire::text(*order, "do") : "";
    const double number = order ? net::wire::number(*order, "port") : 0;
    const bool is_port = number >= 1 && number <= 65535;
    const int port = is_port ? static_cast<int>(number) : 0;
    if (what == "resolve")
      return net::wire::line({{"addresses", resolve_here(net::wire::text(*order, "name"))}});
    if (what == "hold" && is_port) return net::wire::line({{"state", holder->hold(port)}});
    if (what == "release") {
      holder->release();
      return net::wire::line({{"state", "released"}});
    }
    if (what == "reach" && is_port) {
      const Reach found = reach(net::wire::text(*order, "address"), port);
      return net::wire::line({{"state", found.state}, {"text", found.text}});
    }
    if (what == "gids") return net::wire::line({{"gids", gid_indices()}});
    return others(query);
  };
}

}  // namespace nettune::tools::measure::program
