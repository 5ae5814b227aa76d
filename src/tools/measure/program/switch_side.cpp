// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.hpp"
#include "node/signals.hpp"
#include "profile/profile.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/guard_reading.hpp"
#include "tools/measure/program/peer_switch.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;
using Json = nlohmann::ordered_json;

constexpr double kOrders_s = 60;
constexpr double kSignal_s = 1;

Result<Arm> arm_from(const Json& json, const char* key) {
  Arm arm;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object())
    return fail(Errc::invalid,
                "standard input did not begin with a comparison; --peer-stdio is internal: nettune "
                "starts it over ssh");
  arm.profile = net::wire::text(*found, "profile");
  if (!arm.profile.empty()) TRY(profile::check_name(arm.profile));
  if (const auto set = found->find("set"); set != found->end() && set->is_object())
    for (const auto& [name, value] : set->items())
      if (value.is_string()) arm.set[name] = value.get<std::string>();
  return arm;
}

void say(const Json& json) {
  (void)net::write_all(STDOUT_FILENO, net::wire::line(json), net::in_seconds(5));
}

class SwitchOrders {
 public:
  SwitchOrders(node::Context& context, ArmSwitch& change, Arm a, Arm b, bool share)
      : context_(context), change_(change), a_(std::move(a)), b_(std::move(b)), share_(share) {}

  Result<> greet() {
    std::map<std::string, std::string> variables;
    TRY(change_.prepare(a_, variables));
    TRY(change_.prepare(b_, variables));
    if (!share_) {
      TRY_ASSIGN(first_.jobs, read_jobs(context_));
    }
    TRY_ASSIGN(const facts::Facts* const facts, context_.facts());
    say({{"protocol", net::wire::kProtocol},
         {"nettune", NETTUNE_VERSION},
         {"host", facts->node.hostname},
         {"a", a_.digest},
         {"b", b_.digest},
         {"jobs", first_.jobs}});
    return {};
  }

  void carry_out(const Json& order) {
    const std::string what = net::wire::text(order, "do");
    if (what == "to") {
      const int longest_s = net::wire::known_int(order, "seconds").value_or(0);
      const auto there = change_.to(net::wire::flag(order, "b") ? b_ : a_, std::max(longest_s, 60));
      before_ = read_guards();
      answer(there, {}, false);
    } else if (what == "back") {
      auto findings = guard_findings(before_, read_guards());
      const auto home = change_.back();
      GuardReading now;
      if (auto jobs = read_jobs(context_); jobs && !share_) now.jobs = *std::move(jobs);
      for (const std::string& one : foreign_jobs(first_, now)) findings.push_back(one);
      answer(home, findings, home && home->exit != Exit::unfinished);
    } else {
      say({{"exit", 2}, {"why", "this nettune does not know that order"}});
    }
  }

 private:
  static void answer(const Result<Switched>& done, const std::vector<std::string>& findings,
                     bool home) {
    say({{"exit", static_cast<int>(done ? done->exit : Exit::failed)},
         {"why", done ? done->why : done.error().text},
         {"findings", findings},
         {"home", home}});
  }

  node::Context& context_;
  ArmSwitch& change_;
  Arm a_;
  Arm b_;
  bool share_;
  GuardReading first_;
  GuardReading before_;
};

}  // namespace

Result<Exit> switch_on_stdio(node::Context& context, const cli::GlobalOptions& options) {
  const node::DeferredSignals signals;
  const auto line =
      net::read_line(STDIN_FILENO, net::wire::kLongestLine, net::in_seconds(kOrders_s));
  const Json hello = line ? net::wire::parse(*line).value_or(Json::object()) : Json::object();
  TRY_ASSIGN(Arm a, arm_from(hello, "a"));
  TRY_ASSIGN(Arm b, arm_from(hello, "b"));
  if (net::wire::known_int(hello, "protocol") != net::wire::kProtocol) {
    say({{"protocol", net::wire::kProtocol}, {"nettune", NETTUNE_VERSION}});
    return Exit::refused;
  }
  Watcher watcher(context.locations());
  ArmSwitch change(context, options, watcher.watched());
  SwitchOrders orders(context, change, std::move(a), std::move(b), net::wire::flag(hello, "share"));
  if (const auto greeted = orders.greet(); !greeted) {
    say({{"protocol", net::wire::kProtocol}, {"error", greeted.error().text}});
    return fail(greeted.error());
  }
  while (!node::DeferredSignals::arrived()) {
    const auto ready = net::wait_readable(STDIN_FILENO, net::in_seconds(kSignal_s));
    if (ready && !*ready) continue;
    const auto text =
        ready ? net::read_line(STDIN_FILENO, net::wire::kLongestLine, net::in_seconds(5))
              : Result<std::string>(fail(ready.error()));
    const auto order = text ? net::wire::parse(*text) : std::nullopt;
    if (!order) break;  // the other side has ended
    orders.carry_out(*order);
  }
  const auto home = change.back();
  if (!home) return fail(home.error());
  return home->exit;
}

}  // namespace nettune::tools::measure::program
