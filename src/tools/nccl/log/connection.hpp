// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace nettune::tools::nccl::log {

enum class Transport : std::uint8_t { p2p, shm, net, collnet };
/// NET and CollNet lines are printed by both ends; P2P and SHM lines by the sender alone.
enum class Side : std::uint8_t { sender, send, receive };

/// One line that says by what two ranks are connected, in the words of NCCL's src/transport/*.cc.
struct Connection {
  Transport transport = Transport::p2p;
  Side side = Side::sender;
  bool gdr = false;           ///< "/GDRDMA": GPUDirect RDMA at this end, in this direction
  bool copy_engine = false;   ///< "/CE", "SHM/CE/...": by a copy engine and not by the kernel
  std::uint32_t channel = 0;  ///< the number behind "Channel"
  std::uint32_t index = 0;    ///< 0: ring and tree; 1: mainly send and receive
  std::uint32_t from = 0;     ///< rank that sends; of CollNet the rank itself
  std::uint32_t to = 0;       ///< rank that receives; of CollNet the rank itself
  std::int32_t device = -1;   ///< NCCL's number of the network device; -1 for none
  std::int32_t proxy = -1;    ///< rank whose proxy sends for this one (PXN); -1 for none
  /// "IPC", "CUMEM", "MNNVL", "direct pointer", ...; of NET and CollNet the network's name.
  /// Points into what was parsed.
  std::string_view detail;
  /// What stands behind all that: " comm 0x6e192900 nRanks 02" of RCCL. Points there, too.
  std::string_view behind;

  /// The rank that printed the line.
  std::uint32_t own() const { return side == Side::receive ? to : from; }
  std::uint32_t peer() const { return side == Side::receive ? from : to; }
};

enum class Parsed : std::uint8_t {
  other,    ///< no line about a connection
  found,    ///< all of it was understood
  damaged,  ///< a line about a connection, of which a part is missing
};

/// Reads what follows "NCCL INFO ". NCCL 2.14 to 2.30; lines with the order of a ring
/// ("Channel 00/02 :  0 1 2 3") are another thing. Promises never to take half a line for a whole
/// one where that can be seen.
Parsed parse_connection(std::string_view message, Connection& into);

}  // namespace nettune::tools::nccl::log
