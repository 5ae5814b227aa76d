// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "kernel/dcbnl.hpp"
#include "kinds/dcb/provider.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::test {

/// A card in memory with what dcbnl does around its driver, and the driver's habits, from the
/// functions that kinds/dcb/driver_quirks.cpp and tests/vm/testnic/habits.h name.
class FakeDcbCard {
 public:
  explicit FakeDcbCard(std::string driver) : driver_(std::move(driver)) {
    dcb.ets.emplace();
    dcb.ets->ets_cap = 8;
    dcb.pfc.emplace();
    dcb.pfc->pfc_cap = 8;
    dcb.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
    if (driver_ == "mlx5_core") {
      dcb.pfc->delay = 7;
      std::ranges::fill(dcb.ets->tc_tsa, std::uint8_t{IEEE_8021QAZ_TSA_VENDOR});
      dcb.maxrate.emplace();
      dcb.buffer.emplace();
      dcb.buffer->buffer_size[0] = 130944;
      dcb.buffer->total_size = 262016;
    }
    if (driver_ == "ice") reset_ets(false);
  }

  kernel::Dcb dcb;
  int sets = 0;
  int bounces = 0;
  int trust_changes = 0;

  /// The driver's answer, as dcbnl passes it on.
  int set(const kernel::DcbSet& message) {
    ++sets;
    if (!std::holds_alternative<kernel::SetDcbx>(message) && !may_set()) return -EINVAL;
    return std::visit([this](const auto& one) { return take(one); }, message);
  }

 private:
  bool may_set() const {
    if (driver_ == "bnxt_en") return (*dcb.dcbx & 9) == 9;
    if (driver_ == "ice") return (*dcb.dcbx & 2) == 0 && (*dcb.dcbx & 8) != 0;
    return true;
  }
  int dscps() const { return kinds::dcb::dscp_entries(dcb); }

  void reset_ets(bool dscp_trust) {
    ieee_ets ets{};
    ets.ets_cap = 8;
    ets.tc_tx_bw[0] = 100;
    ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
    for (std::uint8_t i = 0; dscp_trust && i < 8; ++i) {
      ets.tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
      ets.prio_tc[i] = i;
    }
    dcb.ets = ets;
  }

  int take(ieee_ets ets) {
    int sum = 0;
    bool any = false;
    for (int i = 0; i < 8; ++i) {
      any = any || ets.tc_tsa[i] == IEEE_8021QAZ_TSA_ETS;
      if (ets.tc_tsa[i] == IEEE_8021QAZ_TSA_ETS)
        sum += ets.tc_tx_bw[i];
      else if (driver_ == "mlx5_core")
        ets.tc_tx_bw[i] = 0;
    }
    if (driver_ == "mlx5_core" && any && sum != 100) return -EINVAL;
    if (driver_ == "ice" && dscps() > 0) std::ranges::copy(dcb.ets->prio_tc, ets.prio_tc);
    ets_known_ = true;
    dcb.ets = ets;
    return 0;
  }
  int take(const ieee_pfc& pfc) {
    if (driver_ == "bnxt_en" && !ets_known_) return -EINVAL;
    if (driver_ == "mlx5_core" && pfc.pfc_en != dcb.pfc->pfc_en) ++bounces;
    const std::uint16_t old = dcb.pfc->delay;
    dcb.pfc->pfc_en = pfc.pfc_en;
    const bool ignored = driver_ == "mlx5_core" && (pfc.delay == 0 || pfc.delay >= 1000);
    dcb.pfc->delay = ignored || driver_ == "ice" ? old : pfc.delay;
    return 0;
  }
  int take(const ieee_maxrate& rate) {
    if (!dcb.maxrate) return 0;  // skipped, and called a success
    dcb.maxrate = rate;
    for (auto& one : dcb.maxrate->tc_maxrate) one = one / 100000 * 100000;
    return 0;
  }
  int take(const dcbnl_buffer& buffer) {
    if (dcb.buffer) dcb.buffer = buffer;
    return 0;
  }
  int take(const kernel::AddApp& add) {
    const bool is_dscp = add.entry.selector == IEEE_8021QAZ_APP_SEL_DSCP;
    if (driver_ != "bnxt_en" && driver_ != "" && !is_dscp) return -EINVAL;
    const auto same = [&](const dcb_app& one) {
      return one.selector == add.entry.selector && one.protocol == add.entry.protocol;
    };
    const bool mapped = std::ranges::any_of(dcb.apps, same);
    if (driver_ == "ice" && mapped) return -EINVAL;
    if (is_dscp && dscps() == 0) {
      ++trust_changes;
      if (driver_ == "ice") reset_ets(true);
    }
    if (driver_ == "mlx5_core") std::erase_if(dcb.apps, same);
    dcb.apps.push_back(add.entry);
    return 0;
  }
  int take(const kernel::DeleteApp& gone) {
    const auto count = std::erase_if(dcb.apps, [&](const dcb_app& one) {
      return one.selector == gone.entry.selector && one.protocol == gone.entry.protocol &&
             one.priority == gone.entry.priority;
    });
    if (count == 0) return -ENOENT;
    if (gone.entry.selector == IEEE_8021QAZ_APP_SEL_DSCP && dscps() == 0) {
      ++trust_changes;
      if (driver_ == "ice") {
        reset_ets(false);
        dcb.pfc->pfc_en = 0;
      }
    }
    return driver_ == "ice" ? 2 : 0;
  }
  int take(const kernel::SetDcbx& set) {
    if (driver_ == "mlx5_core" && set.mode == 0) {
      *dcb.dcbx &= static_cast<std::uint8_t>(~DCB_CAP_DCBX_HOST);
      return 0;
    }
    if (driver_ == "mlx5_core" && (set.mode & DCB_CAP_DCBX_HOST) == 0) return 1;
    if (driver_ == "ice" && dscps() > 0) return 1;
    dcb.dcbx = set.mode;
    return 0;
  }

  std::string driver_;
  bool ets_known_ = false;
};

/// Interfaces with cards below a sysfs tree of the test's own, and a provider over them.
class DcbTest : public testing::Test {
 protected:
  FakeDcbCard& card(const std::string& interface, const std::string& driver) {
    tree.make("bus/pci/drivers/" + driver);
    tree.make("class/net/" + interface + "/device");
    std::filesystem::create_directory_symlink(tree / ("bus/pci/drivers/" + driver),
                                              tree / ("class/net/" + interface + "/device/driver"));
    return cards.try_emplace(interface, driver).first->second;
  }

  kinds::dcb::DcbCalls calls() {
    kinds::dcb::DcbCalls fake;
    fake.get = [this](std::span<const std::string> names) {
      std::vector<Result<kernel::Dcb>> all;
      for (const std::string& name : names) {
        ++gets;
        const auto found = cards.find(name);
        if (name == "lo")
          all.emplace_back(fail(Errc::unsupported, "Operation not supported", EOPNOTSUPP));
        else if (found == cards.end())
          all.emplace_back(fail(Errc::not_found, "No such device", ENODEV));
        else
          all.emplace_back(found->second.dcb);
      }
      return all;
    };
    fake.set = [this](const std::string& name, const kernel::DcbSet& set) -> Result<int> {
      if (fail_at > 0 && --fail_at == 0) return fail(Errc::io, "Input/output error", EIO);
      if (answer_at > 0 && --answer_at == 0) return 1;
      const int answer = cards.at(name).set(set);
      if (answer < 0) return fail(Errc::invalid, "Invalid argument", -answer);
      if (answer > 0 && std::holds_alternative<kernel::SetDcbx>(set))
        return fail(Errc::denied, "the driver refuses this DCBX mode");
      return answer;
    };
    fake.settle.gone = std::chrono::milliseconds(0);
    fake.settle.back = std::chrono::milliseconds(0);
    return fake;
  }

  std::string canonical(const std::string& address, const Value& want) {
    const auto value = provider.canonical(Address{address}, want);
    if (!value) return "refused";
    return value->value_or("absent");
  }
  std::string now(const std::string& address) {
    const Reading reading = read_one(provider, address);
    if (reading.presence == Presence::present) return reading.text;
    return reading.presence == Presence::absent ? "absent" : reading.why;
  }
  Effects effects(const std::string& address, const Value& after) {
    const Reading reading = read_one(provider, address);
    return provider.effects(Address{address}, reading.value(), after);
  }
  /// Writes, from what is there.
  Result<> write(const std::vector<std::pair<std::string, Value>>& wanted) {
    std::vector<Write> unit;
    for (const auto& [address, value] : wanted)
      unit.push_back({Address{address}, read_one(provider, address).value(), value});
    return provider.write(unit, TestContents(), "0123456789abcdef");
  }

  Scratch tree;
  std::map<std::string, FakeDcbCard> cards;
  int gets = 0;
  int fail_at = 0;    ///< the SET that fails
  int answer_at = 0;  ///< the SET that answers 1
  kinds::dcb::DcbProvider provider{tree.path(), calls()};
};

}  // namespace nettune::test
