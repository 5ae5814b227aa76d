// SPDX-License-Identifier: Apache-2.0
#include "intake/capture.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/text.hpp"
#include "conf/files.hpp"
#include "core/plan.hpp"
#include "intake/candidates.hpp"
#include "intake/captured_profile.hpp"
#include "intake/defaults.hpp"
#include "intake/place.hpp"
#include "kinds/sysctl/kind.hpp"
#include "node/devices.hpp"
#include "node/planning.hpp"

namespace nettune::intake {
namespace {

using Readings = std::map<Address, Reading>;

/// Long enough for a value that a daemon or the kernel keeps changing.
constexpr std::chrono::milliseconds kBetweenReadings{250};

/// A value counts even if this process may not write it.
bool has_text(const Reading& reading) {
  return reading.presence == Presence::present ||
         (reading.presence == Presence::not_permitted && !reading.text.empty());
}

std::string in_words(std::string_view value) {
  std::vector<std::string> parts;
  for (const std::string_view word : words(value)) parts.emplace_back(word);
  return join(parts, " ");
}

class Capturer {
 public:
  Capturer(node::Context& context, const CaptureRequest& request)
      : context_(context), request_(request), files_(context.disk(), "") {}

  Result<Capture> run() {
    TRY_ASSIGN(facts_, context_.facts());
    TRY(check_devices());
    TRY(read());
    TRY(find_setters());
    for (const auto& [address, reading] : readings_) judge(address, reading.text);
    write_captured(out_, *facts_, {request_.name, request_.all, context_.recorded(), others_});
    return std::move(out_);
  }

 private:
  Result<> check_devices() const {
    for (const std::string& pattern : request_.devices) {
      const auto fits = [&](const auto& device) { return glob_match(pattern, device.name); };
      if (!std::ranges::any_of(facts_->net, fits) && !std::ranges::any_of(facts_->rdma, fits))
        return fail(Errc::invalid,
                    cat("--devices: no interface or RDMA device is named ", printable(pattern)));
    }
    return {};
  }

  bool is_asked(const Address& address) const {
    if (!request_.kinds.empty() && !request_.kinds.contains(std::string(address.kind())))
      return false;
    const auto place = place_of(address, "0");
    if (!place || place->device.empty() || request_.devices.empty()) return true;
    const std::string name = place->device.substr(0, place->device.find('/'));
    return std::ranges::any_of(
        request_.devices, [&](const std::string& pattern) { return glob_match(pattern, name); });
  }

  Result<> read() {
    std::vector<Address> addresses =
        addresses_to_capture(*facts_, Defaults::shipped(), context_.recorded() ? nullptr : &files_);
    const auto add = [&, known = captured_kinds()](const Address& address) {
      // Elements of a list are not its value.
      const bool is_element = kinds::sysctl::kSysctl.has(address) && !address.element().empty();
      if (!is_element && std::ranges::find(known, address.kind()) != known.end())
        addresses.push_back(address);
    };
    if (context_.recorded()) {
      TRY_ASSIGN(const auto recorded, context_.recorded_values());
      for (const auto& [address, reading] : recorded) add(address);
    } else if (const auto state = context_.look_at_state(); state && state->active) {
      // Without them a plan would restore what was before.
      for (const Setting& setting : state->active->settings) add(setting.address);
    }
    std::ranges::sort(addresses);
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::erase_if(addresses, [&](const Address& address) { return !is_asked(address); });
    TRY_ASSIGN(const Providers* const providers, context_.providers());
    readings_ = read_all(addresses, *providers);
    std::erase_if(readings_, [](const auto& each) { return !has_text(each.second); });
    out_.read = readings_.size();
    if (!context_.recorded()) leave_out_unstable(*providers);
    return {};
  }

  void leave_out_unstable(const Providers& providers) {
    std::this_thread::sleep_for(kBetweenReadings);
    std::vector<Address> addresses;
    for (const auto& [address, reading] : readings_) addresses.push_back(address);
    const Readings again = read_all(std::move(addresses), providers);
    std::erase_if(readings_, [&](const auto& each) {
      const auto found = again.find(each.first);
      if (found != again.end() && found->second.text == each.second.text) return false;
      out_.notes.push_back(cat(each.first.text, " changed while it was read, and is left out"));
      return true;
    });
  }

  /// Who sets each value now: nettune itself, else another manager whose line has this value.
  Result<> find_setters() {
    if (context_.recorded()) return {};
    const auto state = context_.look_at_state();
    if (!state) out_.notes.push_back(cat("what nettune applied is unknown: ", state.error().text));
    Desired desired;
    for (const auto& [address, reading] : readings_) {
      Setting setting;
      setting.address = address;
      setting.want = reading.text;
      desired.settings.push_back(std::move(setting));
    }
    for (const Claim& claim : node::claims_on(context_, desired, *facts_, {})) {
      if (in_words(claim.value) != in_words(readings_[claim.address].text)) {
        others_[claim.address] = where(claim);
        continue;
      }
      setters_[claim.address] = where(claim);
      if (Defaults::shipped().is_of_debian(claim.file))
        vendor_.insert(claim.address);
      else
        vendor_.erase(claim.address);
    }
    for (const auto& [address, reading] : readings_)
      if (address.kind() == "module")
        if (std::string loaded = loads_module(files_, address.rest()); !loaded.empty())
          setters_[address] = cat(loaded, " (modules-load.d)");
    if (state && state->active) add_own(*state->active);
    return {};
  }

  static std::string where(const Claim& claim) {
    std::string place = claim.file;
    if (claim.line > 0) place += cat(':', claim.line);
    return place.empty() ? claim.owner : cat(place, " (", claim.owner, ")");
  }

  void add_own(const Transaction& active) {
    for (const Setting& setting : active.settings)
      if (readings_.contains(setting.address) && own_.insert(setting.address).second)
        setters_[setting.address] =
            cat(setting.origin.text(), " (nettune, profile ", active.profile, ")");
  }

  std::string_view link_layer_of(const Address& address) const {
    const facts::NetDevice* const device = facts_->find_net(node::device_in(address));
    return device == nullptr ? std::string_view() : std::string_view(device->link_layer);
  }

  void judge(const Address& address, const std::string& value) {
    Captured captured{address, value, {}, {}, false, Off::none, {}};
    if (const auto found = setters_.find(address); found != setters_.end())
      captured.set_by = found->second;
    const bool is_set = !captured.set_by.empty() && !vendor_.contains(address);
    const Default* const usual = Defaults::shipped().find(address, link_layer_of(address));
    if (usual != nullptr && usual->made_from.empty()) {
      captured.usual = join(usual->values, " or ");
      captured.is_usual = usual->has(value);
      if (captured.is_usual && !request_.all && !own_.contains(address)) return;
    } else if (usual != nullptr) {
      captured.usual = cat("made from ", usual->made_from);
      // It may be the kernel's value, or one that somebody set by hand.
      if (!is_set) off(captured, Off::memory, "it belongs to this node");
    } else if (is_absent_by_default(address)) {
      captured.usual = "absent";
    } else if (!is_set && !request_.all) {
      return;  // nobody knows whether it is the default
    }
    if (address.text == "sysctl:kernel.hostname" || address.text == "sysctl:kernel.domainname")
      off(captured, Off::this_node, "it is the name of this node");
    if (address.kind() == "nccl.conf" && names_device(value) && !own_.contains(address))
      off(captured, Off::this_node, "it names devices of this node");
    out_.settings.push_back(std::move(captured));
  }

  /// A variable of NCCL, and an entry of the APP table.
  static bool is_absent_by_default(const Address& address) {
    return address.kind() == "nccl.conf" || (address.kind() == "dcb" && !address.element().empty());
  }

  static void off(Captured& captured, Off why, std::string text) {
    captured.off = why;
    captured.why_off = std::move(text);
  }

  /// A list of names as NCCL has it: "=mlx5_0:1,mlx5_1", "^docker", "eth0".
  bool names_device(std::string_view value) const {
    std::string list(value);
    for (char& c : list)
      if (c == ',' || c == ':' || c == '=' || c == '^') c = ' ';
    return std::ranges::any_of(words(list), [&](std::string_view word) {
      return std::ranges::any_of(facts_->net,
                                 [&](const auto& device) { return device.name == word; }) ||
             std::ranges::any_of(facts_->rdma,
                                 [&](const auto& device) { return device.name == word; });
    });
  }

  node::Context& context_;
  const CaptureRequest& request_;
  conf::Files files_;
  const facts::Facts* facts_ = nullptr;
  Readings readings_;
  std::map<Address, std::string> setters_;
  std::map<Address, std::string> others_;
  std::set<Address> own_;     ///< managed: without them a plan would restore what was before
  std::set<Address> vendor_;  ///< set, but only by a file that Debian's own packages ship
  Capture out_;
};

}  // namespace

Result<Capture> capture(node::Context& context, const CaptureRequest& request) {
  return Capturer(context, request).run();
}

}  // namespace nettune::intake
