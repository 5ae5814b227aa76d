// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "intents/intents.hpp"
#include "profile/compose.hpp"

namespace nettune::intents {

namespace {

using facts::Facts;
using facts::PeerPort;

/// A GPU, or the RDMA devices of a card, by its PCI address.
std::string end_text(const Facts& facts, const std::string& address) {
  for (const facts::RdmaDevice& device : facts.rdma)
    if (device.pci_address == address) return device.name;
  return cat("GPU ", address);
}

bool is_gpu(const Facts& facts, const std::string& address) {
  return std::ranges::find(facts.gpus, address, &facts::Gpu::pci_address) != facts.gpus.end();
}

/// The root bus of a path: root ports on one are ports of one root complex.
std::string_view root_bus(const PeerPort& port) {
  return std::string_view(port.path).substr(0, port.path.rfind(':', port.path.find('/')));
}

/// From the root port down.
std::vector<const PeerPort*> chain_to(const Facts& facts, const std::string& end) {
  std::vector<const PeerPort*> chain;
  for (const PeerPort& port : facts.peer_ports)
    if (std::ranges::find(port.ends, end) != port.ends.end()) chain.push_back(&port);
  std::ranges::sort(chain, {}, [](const PeerPort* port) { return port->path.size(); });
  return chain;
}

/// The ports that traffic between two devices turns at, by what they share.
struct Turn {
  std::string at;  ///< "the switch 0000:3b:00.0", "the root complex 0000:3a"
  std::vector<const PeerPort*> ports;
};
Turn turn_between(const Facts& facts, const std::string& one, const std::string& other,
                  bool of_root) {
  const auto left = chain_to(facts, one);
  const auto right = chain_to(facts, other);
  if (left.empty() || right.empty()) return {};
  std::size_t shared = 0;
  while (shared < left.size() && shared < right.size() && left[shared] == right[shared]) ++shared;
  Turn turn;
  if (shared > 0) {
    turn.at = cat("the switch ", left[shared - 1]->pci_address);
    for (const auto& chain : {left, right})
      turn.ports.insert(turn.ports.end(), chain.begin() + static_cast<std::ptrdiff_t>(shared),
                        chain.end());
  } else if (of_root && root_bus(*left.front()) == root_bus(*right.front())) {
    turn.at = cat("the root complex ", root_bus(*left.front()));
    turn.ports = {left.front(), right.front()};
  }
  return turn;
}

std::string listed(const std::set<std::string>& all, std::string_view between) {
  return join(std::vector<std::string>(all.begin(), all.end()), between);
}

class AcsIntent {
 public:
  AcsIntent(profile::Composer& composer, const profile::Item& item, bool of_root)
      : composer_(composer), facts_(composer.facts()), item_(item), of_root_(of_root) {}

  Result<> compose() {
    std::set<std::string> ends;
    for (const PeerPort& port : facts_.peer_ports) ends.insert(port.ends.begin(), port.ends.end());
    for (auto one = ends.begin(); one != ends.end(); ++one)
      for (auto other = std::next(one); other != ends.end(); ++other)
        if (is_gpu(facts_, *one) || is_gpu(facts_, *other))
          take(turn_between(facts_, *one, *other, of_root_));
    for (const std::string& text : left_out_) composer_.note(text);
    if (paths_.empty()) {
      composer_.skip(
          "[acs]: no GPU shares a switch or a root complex with another or with an "
          "RDMA card, so there is nothing to redirect");
      return {};
    }
    for (const auto& [at, ports] : picture_)
      composer_.note(cat("acs: at ", at, ": ", listed(ports, " <-> "),
                         " reach each other's memory without the IOMMU in between"));
    Setting setting;
    setting.address = {"boot:pci#disable_acs_redir"};
    setting.want = listed(paths_, " ");
    setting.origin = item_.value.origin;
    return composer_.add(std::move(setting));
  }

 private:
  void take(const Turn& turn) {
    for (const PeerPort* const port : turn.ports) {
      if (port->has_acs == false) continue;
      if (!port->others.empty()) {
        left_out_.insert(cat("acs: the port ", port->path, " keeps ACS redirect: behind it are ",
                             join(port->others, ", "), ", too"));
        continue;
      }
      paths_.insert(port->path);
      std::vector<std::string> texts;
      for (const std::string& end : port->ends) texts.push_back(end_text(facts_, end));
      picture_[turn.at].insert(cat(port->path, " (", join(texts, ", "), ")"));
    }
  }

  profile::Composer& composer_;
  const Facts& facts_;
  const profile::Item& item_;
  bool of_root_;
  std::set<std::string> paths_;
  std::map<std::string, std::set<std::string>> picture_;
  std::set<std::string> left_out_;
};

Result<> compose_acs(profile::Composer& composer) {
  const profile::Item* const redirect = composer.merged().find("acs:redirect");
  if (redirect == nullptr) return {};
  composer.show(*redirect, "off");
  const profile::Item* const reach = composer.merged().find("acs:reach");
  if (reach != nullptr) composer.show(*reach, reach->value.text);
  if (const auto& guests = composer.facts().guests;
      !guests.empty() && !composer.boot().acs_with_guests) {
    composer.misfit(
        cat("[acs] takes isolation away that guests of this node need: ", join(guests, ", "),
            "; if it may, set [boot] acs_with_guests = true in "
            "/etc/nettune/site.toml"),
        redirect->value.origin);
    return {};
  }
  return AcsIntent(composer, *redirect, reach == nullptr || reach->value.text == "root").compose();
}

constexpr auto kAcsRules = std::to_array<profile::Rule>({
    {"profile/acs", profile::kTable, "PCIe ACS between GPUs and RDMA cards, from the next boot on"},
    {"profile/acs/redirect", profile::kString,
     "off: the ports between them send their traffic straight, not through the root complex", "off",
     true},
    {"profile/acs/reach", profile::kString,
     "Ports of switches alone, or of the root complex, too (the default)", "switch root"},
});

}  // namespace

constinit const profile::Section kAcs = {
    .name = "acs", .rules = kAcsRules, .collect = profile::collect_plain, .compose = compose_acs};

}  // namespace nettune::intents
