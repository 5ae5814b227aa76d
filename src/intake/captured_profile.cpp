// SPDX-License-Identifier: Apache-2.0
#include "intake/captured_profile.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "intake/candidates.hpp"
#include "intake/place.hpp"
#include "intake/sets.hpp"

namespace nettune::intake {
namespace {

class CaptureWriter {
 public:
  CaptureWriter(Capture& out, const facts::Facts& facts, const CapturedFrom& from)
      : out_(out), facts_(facts), from_(from) {}

  void run() {
    std::map<std::pair<bool, std::string>, Mine> by_device;
    for (Captured& captured : out_.settings) {
      auto place = place_of(captured.address, captured.value);
      if (!place) {
        leave_out(captured, place.error().text);
        continue;
      }
      const bool is_off = captured.off != Off::none;
      const std::string text = toml::toml_text(place->value);
      if (!place->device.empty()) {
        const std::pair key{place->of_rdma, place->device};
        by_device[key].push_back(
            {std::move(*place), text, comment_of(captured), is_off, &captured});
        continue;
      }
      add_of_host({place->section, place->key, place->value, {comment_of(captured)}, is_off});
    }
    add_of_devices(by_device);
    order_and_head();
  }

 private:
  std::string comment_of(const Captured& captured) const {
    if (captured.off == Off::memory) return cat("off: ", captured.usual, " of this node");
    std::string text = !captured.set_by.empty() ? cat("set by: ", captured.set_by)
                       : from_.recorded         ? std::string("set by: not known, a recorded node")
                       : captured.is_usual || captured.usual.empty()
                           ? std::string("nothing that nettune knows sets it")
                           : std::string("set by: unknown");
    if (captured.set_by.empty())
      if (const auto other = from_.others.find(captured.address); other != from_.others.end())
        text += cat("; another value is in ", other->second);
    if (captured.is_usual)
      text += "; the default";
    else
      text += cat("; default: ", captured.usual.empty() ? "unknown" : captured.usual);
    if (captured.off != Off::none) text += cat("; off: ", captured.why_off);
    return text;
  }

  void leave_out(Captured& captured, const std::string& why) {
    captured.off = Off::unwritable;
    captured.why_off = why;
    out_.profile.closing.push_back(cat(captured.address.text, " = ", captured.value));
    out_.profile.closing.push_back(cat("  ", comment_of(captured)));
  }

  /// A setting of devices, with the devices that have this value in common.
  struct OfDevices {
    Place place;
    std::string text;  ///< the value as TOML
    std::string comment;
    bool off = false;
    Captured* captured = nullptr;
    auto id() const { return std::tuple(place.section, place.key, text, off); }
  };
  using Mine = std::vector<OfDevices>;

  /// A list of modules is one key.
  void add_of_host(Entry entry) {
    std::vector<Entry>& entries = out_.profile.entries;
    const auto same = entry.section != "modules"
                          ? entries.end()
                          : std::ranges::find(entries, "modules", &Entry::section);
    if (same == entries.end()) {
      entries.push_back(std::move(entry));
      return;
    }
    same->comments.push_back(entry.comments[0]);
    same->value.items.push_back(entry.value.items[0]);
  }

  void add_of_devices(const std::map<std::pair<bool, std::string>, Mine>& by_device) {
    struct Group {
      bool of_rdma;
      std::vector<std::string> devices;
      const Mine* settings;
      std::vector<const Mine*> all;  ///< of each device
    };
    std::vector<Group> groups;
    const auto same = [](const Mine& left, const Mine& right) {
      return std::ranges::equal(left, right, {}, &OfDevices::id, &OfDevices::id);
    };
    for (const auto& each : by_device) {
      const auto& key = each.first;
      const Mine& settings = each.second;
      const auto found = std::ranges::find_if(groups, [&](const Group& group) {
        return group.of_rdma == key.first && same(*group.settings, settings);
      });
      if (found == groups.end()) {
        groups.push_back({key.first, {key.second}, &settings, {&settings}});
      } else {
        found->devices.push_back(key.second);
        found->all.push_back(&settings);
      }
    }
    for (const Group& group : groups) {
      const auto added = add_group(group.of_rdma, group.devices, *group.settings);
      if (added) continue;
      for (const Mine* const settings : group.all)
        for (const OfDevices& each : *settings) leave_out(*each.captured, added.error().text);
    }
  }

  Result<> add_group(bool of_rdma, const std::vector<std::string>& devices, const Mine& settings) {
    TRY_ASSIGN(SetText set, set_of(devices, of_rdma, facts_, taken_));
    const std::string name = set.name;
    out_.profile.sets.push_back(std::move(set));
    for (const OfDevices& each : settings) {
      Entry entry{cat(each.place.section, '.', name),
                  each.place.key,
                  each.place.value,
                  {each.comment},
                  each.off};
      if (each.place.section == "sysctl") {
        entry.section = "sysctl";
        entry.key[0].replace(entry.key[0].find(kDeviceOfKey), kDeviceOfKey.size(), each_of(name));
      }
      out_.profile.entries.push_back(std::move(entry));
    }
    return {};
  }

  void order_and_head() {
    const std::vector<std::string> kinds = captured_kinds();
    const auto rank = [&](const Entry& entry) {
      std::string kind = entry.section.substr(0, entry.section.find('.'));
      if (kind == "env") kind = "nccl.conf";
      if (kind == "modules") kind = "module";
      return std::ranges::find(kinds, kind) - kinds.begin();
    };
    std::vector<Entry>& entries = out_.profile.entries;
    std::ranges::stable_sort(entries, {}, rank);
    const auto first_env = std::ranges::find(entries, "env", &Entry::section);
    if (first_env != entries.end()) {
      toml::Node outputs;
      outputs.kind = toml::Node::Kind::array;
      outputs.items.push_back(toml::Node::string("nccl.conf", {}));
      const bool off = std::ranges::all_of(
          entries, [](const Entry& each) { return each.section != "env" || each.off; });
      entries.insert(first_env, {"env", {"outputs"}, outputs, {"where they are now"}, off});
    }
    ProfileText& profile = out_.profile;
    profile.name = from_.name;
    profile.summary = cat("What ", facts_.node.hostname, " has now",
                          from_.all ? "" : ", as far as it differs from the defaults");
    profile.heading = {
        cat("Captured by nettune capture on ", facts_.node.hostname, " (Debian ",
            facts_.node.os_version, ", Linux ", facts_.node.kernel, ")."),
        from_.all
            ? "Every value that nettune has a kind for."
            : "Defaults are left out, and what the driver or the kernel chose; --all has them."};
    if (!profile.closing.empty())
      profile.closing.insert(profile.closing.begin(), "Not in this profile:");
  }

  Capture& out_;
  const facts::Facts& facts_;
  const CapturedFrom& from_;
  std::set<std::string> taken_;
};

}  // namespace

void write_captured(Capture& capture, const facts::Facts& facts, const CapturedFrom& from) {
  CaptureWriter(capture, facts, from).run();
}

}  // namespace nettune::intake
