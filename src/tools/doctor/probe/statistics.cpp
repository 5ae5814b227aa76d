// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <vector>

#include "base/unique_fd.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// No driver has more counters.
constexpr std::uint32_t kMostCounters = 16384;

/// An ethtool ioctl that needs no privilege.
class Ethtool {
 public:
  explicit Ethtool(const std::string& interface)
      : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (interface.size() < sizeof request_.ifr_name)
      std::memcpy(request_.ifr_name, interface.data(), interface.size());
  }
  bool ask(void* what) {
    request_.ifr_data = static_cast<char*>(what);
    return socket_.valid() && ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
  }

 private:
  UniqueFd socket_;
  ifreq request_{};
};

/// The head of a request with space after it. The space consists of words, so all is aligned.
template <class Head>
std::vector<std::uint64_t> with_room(const Head& head, std::size_t bytes) {
  std::vector<std::uint64_t> buffer((sizeof(Head) + bytes) / sizeof(std::uint64_t) + 1);
  std::memcpy(buffer.data(), &head, sizeof(Head));
  return buffer;
}

std::uint32_t count_of(Ethtool& ethtool) {
  ethtool_sset_info head{};
  head.cmd = ETHTOOL_GSSET_INFO;
  head.sset_mask = 1ULL << ETH_SS_STATS;
  auto buffer = with_room(head, sizeof(std::uint32_t));
  if (!ethtool.ask(buffer.data())) return 0;
  std::memcpy(&head, buffer.data(), sizeof head);
  std::uint32_t count = 0;
  std::memcpy(&count, reinterpret_cast<const char*>(buffer.data()) + sizeof head, sizeof count);
  return head.sset_mask != 0 && count <= kMostCounters ? count : 0;
}

}  // namespace

std::map<std::string, std::uint64_t> read_statistics(const std::string& interface) {
  std::map<std::string, std::uint64_t> out;
  Ethtool ethtool(interface);
  const std::uint32_t count = count_of(ethtool);
  if (count == 0) return out;
  ethtool_gstrings names_head{};
  names_head.cmd = ETHTOOL_GSTRINGS;
  names_head.string_set = ETH_SS_STATS;
  names_head.len = count;
  auto names = with_room(names_head, std::size_t{count} * ETH_GSTRING_LEN);
  ethtool_stats values_head{};
  values_head.cmd = ETHTOOL_GSTATS;
  values_head.n_stats = count;
  auto values = with_room(values_head, std::size_t{count} * sizeof(std::uint64_t));
  if (!ethtool.ask(names.data()) || !ethtool.ask(values.data())) return out;
  // If the counters changed in between, their number differs.
  std::memcpy(&names_head, names.data(), sizeof names_head);
  std::memcpy(&values_head, values.data(), sizeof values_head);
  if (names_head.len != count || values_head.n_stats != count) return out;
  const char* const texts = reinterpret_cast<const char*>(names.data()) + sizeof names_head;
  const char* const numbers = reinterpret_cast<const char*>(values.data()) + sizeof values_head;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const text = texts + i * ETH_GSTRING_LEN;
    std::uint64_t value = 0;
    std::memcpy(&value, numbers + i * sizeof value, sizeof value);
    out[std::string(text, ::strnlen(text, ETH_GSTRING_LEN))] = value;
  }
  return out;
}

}  // namespace nettune::tools::doctor::probe
