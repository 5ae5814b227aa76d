// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/peer_switch.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/peer_session.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;
using Json = nlohmann::ordered_json;

constexpr double kApply_s = 300;  // an apply that loads modules and waits for links
constexpr double kBack_s = 120;

Json arm_order(const Arm& arm) { return {{"profile", arm.profile}, {"set", arm.set}}; }

}  // namespace

Result<PeerSwitch> PeerSwitch::connect(const std::string& host, const Evidence& evidence,
                                       bool share) {
  TRY_ASSIGN(node::PeerProcess process, start_by_ssh(host, "ab"));
  PeerSwitch out(host, std::move(process));
  out.order({{"protocol", net::wire::kProtocol},
             {"a", arm_order(evidence.a)},
             {"b", arm_order(evidence.b)},
             {"share", share}});
  TRY_ASSIGN(const Json hello, read_hello(out.process_, printable(host)));
  if (const std::string error = net::wire::text(hello, "error"); !error.empty())
    return fail(Errc::io, cat(printable(host), " says: ", printable(error)));
  out.jobs_ = net::wire::texts(hello, "jobs");
  out.digests_ = {net::wire::text(hello, "host"), net::wire::text(hello, "a"),
                  net::wire::text(hello, "b")};
  return out;
}

void PeerSwitch::order(const Json& json) {
  if (!net::write_all(process_.input(), net::wire::line(json), net::in_seconds(5))) lost_ = true;
}

void PeerSwitch::order_to(bool is_b, std::int64_t longest_s) {
  patience_s_ = kApply_s;
  switched_ = true;  // even if it fails or is lost: it may have begun
  findings_.clear();
  order({{"do", "to"}, {"b", is_b}, {"seconds", longest_s}});
}

void PeerSwitch::order_back() {
  patience_s_ = kBack_s;
  order({{"do", "back"}});
}

Switched PeerSwitch::answer() {
  const auto line = lost_ ? Result<std::string>(fail(Errc::io, "the connection ended"))
                          : net::read_line(process_.output(), net::wire::kLongestLine,
                                           net::in_seconds(patience_s_));
  const auto json = line ? net::wire::parse(*line) : std::nullopt;
  if (!json) {
    lost_ = true;
    return {Exit::unfinished,
            cat(printable(host_), " was lost (", line ? "no JSON" : line.error().text,
                "); it reverts when its confirm window ends; see nettune status there")};
  }
  const auto exit = static_cast<Exit>(net::wire::known_int(*json, "exit").value_or(1));
  for (const std::string& one : net::wire::texts(*json, "findings"))
    findings_.push_back(cat(printable(host_), ": ", printable(one)));
  if (net::wire::flag(*json, "home")) switched_ = false;
  if (exit == Exit::done) return {};
  return {exit, cat(printable(host_), ": ", printable(net::wire::text(*json, "why")))};
}

Result<> Nodes::connect(const std::vector<std::string>& hosts, bool share, Evidence& evidence) {
  for (const std::string& host : hosts) {
    TRY_ASSIGN(PeerSwitch peer, PeerSwitch::connect(host, evidence, share));
    evidence.also.push_back(peer.digests());
    others_.push_back(std::move(peer));
  }
  return {};
}

Result<Switched> Nodes::to(const Arm& arm, bool is_b, std::int64_t longest_s) {
  if (!arm.profile.empty())
    for (PeerSwitch& one : others_) one.order_to(is_b, longest_s);
  auto out = here_.to(arm, longest_s);
  if (arm.profile.empty()) return out;
  for (PeerSwitch& one : others_)
    if (const Switched there = one.answer(); out && out->exit == Exit::done) out = there;
  return out;
}

Result<Switched> Nodes::back() {
  for (PeerSwitch& one : others_)
    if (one.is_switched()) one.order_back();
  auto out = here_.back();
  for (PeerSwitch& one : others_)
    if (one.is_switched())
      if (const Switched there = one.answer(); out && out->exit == Exit::done) out = there;
  return out;
}

std::vector<std::string> Nodes::jobs() const {
  std::vector<std::string> out;
  for (const PeerSwitch& one : others_)
    for (const std::string& job : one.jobs())
      out.push_back(cat(printable(one.host()), ": ", printable(job)));
  return out;
}

std::vector<std::string> Nodes::findings() const {
  std::vector<std::string> out;
  for (const PeerSwitch& one : others_)
    out.insert(out.end(), one.findings().begin(), one.findings().end());
  return out;
}

}  // namespace nettune::tools::measure::program
