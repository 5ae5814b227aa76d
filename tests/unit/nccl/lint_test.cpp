// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "nccl/name_list.hpp"
#include "nccl/values.hpp"
#include "unit/nccl/fixture.hpp"
#include "unit/support/growth.hpp"

namespace nettune::nccl {
namespace {

using namespace test;

/// What blog posts and public scripts set, with the verdict that NCCL's source gives. The source is
/// the catalogue's entry, or stands behind the row.
struct Row {
  std::string set;
  std::string release;
  Verdict verdict;
  Level level;
  std::string why;           ///< part of the sentence
  std::string instead = {};  ///< part of what to write
};

const std::vector<Row> kMyths = {
    // Channels. No tag has the quoted name NCHANNELS.
    {"NCCL_NCHANNELS=4", "2.21.5", Verdict::unknown_name, Level::note, "no other program is known",
     "NCCL_MIN_CTAS"},
    {"NCCL_MIN_NCHANNELS=4", "2.5.6", Verdict::ok, Level::ok, ""},
    {"NCCL_MIN_NCHANNELS=4", "2.30.7", Verdict::ok, Level::ok, ""},
    {"NCCL_MIN_NCHANNELS=4", "2.4.8", Verdict::not_in_version, Level::warning, "since 2.5.6"},
    {"NCCL_MAX_NCHANNELS=33", "2.24.3", Verdict::out_of_range, Level::warning,
     "lowered to the limit, without a message"},  // MAXCHANNELS
    // ncclMinNchannels() in src/graph/connect.cc.
    {"NCCL_MIN_NCHANNELS=-5", "2.28.9", Verdict::out_of_range, Level::warning,
     "less is ignored, without"},
    {"NCCL_MAX_NCHANNELS=33", "2.25.1", Verdict::ok, Level::ok, ""},
    {"NCCL_MAX_NCHANNELS=0", "2.25.1", Verdict::out_of_range, Level::warning, "not in 1"},
    {"NCCL_MIN_CTAS=0", "2.25.1", Verdict::out_of_range, Level::warning, "ignored"},
    {"NCCL_MIN_NCHANNELS_BEFORE_SWITCH=4", "2.30.7", Verdict::unknown_name, Level::note,
     "no other program is known", "nothing"},
    {"NCCL_CHUNKSIZE=524288", "2.30.7", Verdict::unknown_name, Level::error,
     "it is NCCL_CHUNK_SIZE with", "NCCL_P2P_NET_CHUNKSIZE"},
    {"NCCL_CHUNK_SIZE=524288", "2.30.7", Verdict::ok, Level::ok, ""},
    {"NCCL_P2P_NET_CHUNKSIZE=131072", "2.12.12", Verdict::not_in_version, Level::warning, "2.14.3"},
    // InfiniBand and RoCE.
    {"NCCL_IB_GID_INDEX=0,3,5,7", "2.21.5", Verdict::misread, Level::error,
     "this is 0; it accepts one number", "one number"},
    {"NCCL_IB_GID_INDEX=3", "2.20.5", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_GID_INDEX=-1", "2.20.5", Verdict::out_of_range, Level::warning, "not in 0 to 255"},
    {"NCCL_IB_GID_INDEX=-1", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_CUDA_SUPPORT=1", "2.3.7", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_CUDA_SUPPORT=1", "2.4.2", Verdict::not_in_version, Level::warning, "2.3.7",
     "NCCL_NET_GDR_LEVEL"},
    {"NCCL_IB_CUDA_SUPPORT=1", "2.30.7", Verdict::not_in_version, Level::warning,
     "ignored from 2.4.2 on", "NCCL_NET_GDR_LEVEL"},
    {"NCCL_NET_GDR_LEVEL=0", "2.21.5", Verdict::advice, Level::warning, "never used"},
    {"NCCL_NET_GDR_LEVEL=0", "2.4.8", Verdict::advice, Level::warning, "never used"},
    {"NCCL_NET_GDR_LEVEL=PHB", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_NET_GDR_LEVEL=phb", "2.21.5", Verdict::misread, Level::error,
     "ignored without a message", "PHB; "},
    {"NCCL_NET_GDR_LEVEL=PIX", "2.5.7", Verdict::misread, Level::error, "this is 0"},
    {"NCCL_NET_GDR_LEVEL=C2C", "2.25.1", Verdict::misread, Level::error, "not known in 2.25.1"},
    {"NCCL_NET_GDR_LEVEL=C2C", "2.26.2", Verdict::ok, Level::ok, ""},
    {"NCCL_NET_GDR_LEVEL=P2C", "2.26.6", Verdict::misread, Level::error, "not known in 2.26.6"},
    {"NCCL_NET_GDR_LEVEL=5", "2.30.7", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_TC=136", "2.21.5", Verdict::advice, Level::note, "DSCP 34, ECN 0"},
    {"NCCL_IB_TC=106", "2.21.5", Verdict::advice, Level::note, "DSCP 26, ECN 2"},
    {"NCCL_IB_TC=264", "2.21.5", Verdict::out_of_range, Level::warning, "wraps"},
    {"NCCL_IB_TC=-1", "2.25.1", Verdict::out_of_range, Level::warning, "wraps"},
    {"NCCL_IB_TC=-1", "2.26.2", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_SL=-1", "2.25.1", Verdict::out_of_range, Level::warning, "0 to 15"},
    {"NCCL_IB_SL=-1", "2.26.2", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_TIMEOUT=22", "2.30.7", Verdict::advice, Level::note, "17.2 s"},
    {"NCCL_IB_TIMEOUT=32", "2.30.7", Verdict::out_of_range, Level::warning, "0 to 31"},
    {"NCCL_IB_QPS_PER_CONNECTION=8", "2.9.9", Verdict::not_in_version, Level::warning, "2.10.3"},
    {"NCCL_IB_QPS_PER_CONNECTION=8", "2.12.12", Verdict::advice, Level::note,
     "split over the queue pairs;"},
    {"NCCL_IB_QPS_PER_CONNECTION=8", "2.18.1", Verdict::advice, Level::note, "SPLIT_DATA_ON_QPS=0"},
    {"NCCL_IB_QPS_PER_CONNECTION=8", "2.30.7", Verdict::advice, Level::note, "round robin"},
    {"NCCL_IB_QPS_PER_CONNECTION=129", "2.30.7", Verdict::out_of_range, Level::warning, "128"},
    {"NCCL_IB_HCA=mlx5", "2.21.5", Verdict::advice, Level::note, "prefixes"},
    {"NCCL_IB_HCA==mlx5_0", "2.4.8", Verdict::misread, Level::error, "does not know '='"},
    {"NCCL_IB_HCA==mlx5_0:1,mlx5_1:1", "2.5.6", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_HCA=^mlx5_0,^mlx5_1", "2.21.5", Verdict::misread, Level::error, "once, at its start"},
    {"NCCL_IB_HCA='mlx5_0, mlx5_1'", "2.21.5", Verdict::misread, Level::error, "blank"},
    {"NCCL_IB_HCA=^", "2.21.5", Verdict::misread, Level::error, "no name"},
    {"NCCL_IB_HCA=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "2.18.3", Verdict::out_of_range,
     Level::warning, "first 16"},
    {"NCCL_IB_HCA==a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "2.18.5", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_DISABLE=1", "2.21.5", Verdict::advice, Level::note, "NCCL_IBEXT_DISABLE"},
    {"NCCL_IB_DISABLE=true", "2.21.5", Verdict::misread, Level::error, "this is 0",
     "NCCL_IB_DISABLE=1"},
    {"NCCL_IB_DISABLE='\"1\"'", "2.21.5", Verdict::misread, Level::error, "this is 0",
     "NCCL_IB_DISABLE=1"},
    // Sockets.
    {"NCCL_SOCKET_IFNAME=^lo", "2.27.7", Verdict::advice, Level::warning, "docker0 becomes",
     "^lo,docker,"},
    {"NCCL_SOCKET_IFNAME=^lo", "2.28.3", Verdict::advice, Level::warning, "docker0 and virbr0",
     "^lo,docker,virbr"},
    {"NCCL_SOCKET_IFNAME=e", "2.21.5", Verdict::misread, Level::error, "one character"},
    {"NCCL_SOCKET_IFNAME==eth0", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_SOCKET_IFNAME=10.0.0.1", "2.21.5", Verdict::misread, Level::error, "is an address"},
    {"NCCL_SOCKET_IFNAME=eth0,fe80::1", "2.21.5", Verdict::misread, Level::error, "is an address"},
    {"NCCL_SOCKET_IFNAME=10.0.0.0/24", "2.21.5", Verdict::misread, Level::error, "is an address"},
    {"NCCL_SOCKET_IFNAME=eth0.100", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_SOCKET_IFNAME='eth0 '", "2.21.5", Verdict::misread, Level::error, "blank"},
    {"NCCL_SOCKET_IFNAME=eth0,^docker", "2.21.5", Verdict::misread, Level::error,
     "matches nothing"},
    // Neither matchIfList() nor parseStringList() knows a wildcard (src/misc/utils.cc); seen with
    // NCCL 2.28.9: "no socket interface found".
    {"NCCL_SOCKET_IFNAME='eth*'", "2.28.9", Verdict::misread, Level::error, "no wildcards",
     "eth: a name without '=' is a prefix"},
    {"NCCL_SOCKET_IFNAME='ens1,=eth*'", "2.28.9", Verdict::misread, Level::error, "once, at its"},
    {"NCCL_SOCKET_IFNAME='=ens1,eth*'", "2.28.9", Verdict::misread, Level::error, "\"eth*\"",
     "eth without '='"},
    {"NCCL_SOCKET_IFNAME='^docker*,lo'", "2.28.9", Verdict::misread, Level::error, "\"docker*\"",
     "docker: "},
    {"NCCL_SOCKET_IFNAME='eth?'", "2.28.9", Verdict::misread, Level::error, "no wildcards",
     "the letters"},
    {"NCCL_IB_HCA='mlx5_*:1'", "2.28.9", Verdict::misread, Level::error, "\"mlx5_*\"", "mlx5_: "},
    {"NCCL_OOB_NET_IFNAME='eth*'", "2.28.9", Verdict::misread, Level::error, "no wildcards"},
    {"NCCL_OOB_NET_IFNAME==mlx5_0:1", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_SOCKET_IFNAME=eth0:eth1", "2.28.9", Verdict::misread, Level::error, "the name is eth0",
     "a comma"},
    {"NCCL_SOCKET_IFNAME=eth0:0", "2.28.9", Verdict::misread, Level::warning, "the name is eth0",
     "the name without ':' and what follows"},
    {"NCCL_SOCKET_IFNAME==eth0.100:1", "2.28.9", Verdict::misread, Level::warning,
     "the name is eth0.100", "without ':'"},
    {"NCCL_SOCKET_IFNAME=eth0:0,eth1:eth2", "2.28.9", Verdict::misread, Level::error,
     "the name is eth1", "a comma"},
    // net_socket.cc: 0 threads is what most machines have anyway. Seen with NCCL 2.28.9: -1 breaks.
    {"NCCL_SOCKET_NTHREADS=0", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_NSOCKS_PERTHREAD=0", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_SOCKET_NTHREADS=-1", "2.28.9", Verdict::out_of_range, Level::warning,
     "no socket is opened"},
    {"NCCL_SOCKET_NTHREADS=20", "2.28.9", Verdict::out_of_range, Level::warning,
     "lowered to 16, with a WARN"},
    // HOST:PORT (ncclSocketGetAddrFromString() in src/misc/socket.cc).
    {"NCCL_COMM_ID=foo", "2.28.9", Verdict::misread, Level::error, "Invalid NCCL_COMM_ID",
     "HOST:PORT"},
    {"NCCL_COMM_ID=foo:bar", "2.28.9", Verdict::misread, Level::error, "\"bar\" is not a port"},
    {"NCCL_COMM_ID=10.0.0.1:70000", "2.28.9", Verdict::misread, Level::error, "is not a port"},
    {"NCCL_COMM_ID=fe80::1", "2.28.9", Verdict::misread, Level::error, "needs brackets"},
    {"NCCL_COMM_ID=[fe80::1]", "2.28.9", Verdict::misread, Level::error, "is missing"},
    {"NCCL_COMM_ID=[fe80::1", "2.28.9", Verdict::misread, Level::error, "is missing"},
    {"NCCL_COMM_ID=:23456", "2.28.9", Verdict::misread, Level::error, "is missing"},
    {"NCCL_COMM_ID=[fe80::1%eth0]:23456", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_COMM_ID=node1:23456", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_RAS_ADDR=localhost", "2.28.9", Verdict::misread, Level::warning, "the job goes on"},
    {"NCCL_RAS_ADDR=localhost:28028", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_SOCKET_FAMILY=af_inet", "2.21.5", Verdict::misread, Level::error,
     "ignored without a message", "AF_INET"},
    // Others.
    {"NCCL_ALGO=Tree", "2.24.3", Verdict::advice, Level::warning, "ncclInvalidUsage",
     "allreduce:tree"},
    {"NCCL_ALGO=tree", "2.30.7", Verdict::advice, Level::warning, "ncclInvalidUsage",
     "allreduce:tree"},
    {"NCCL_ALGO=Tree", "2.23.4", Verdict::advice, Level::warning, "only AllReduce"},
    {"NCCL_ALGO=Tree", "2.6.4", Verdict::advice, Level::warning, "every function"},
    {"NCCL_ALGO=Tree", "2.4.8", Verdict::not_in_version, Level::warning, "since 2.5.6"},
    {"NCCL_ALGO=allreduce:tree", "2.24.3", Verdict::ok, Level::ok, ""},
    {"NCCL_ALGO='allreduce:tree;broadcast:ring'", "2.24.3", Verdict::ok, Level::ok, ""},
    {"NCCL_ALGO='allreduce:tree;ring'", "2.24.3", Verdict::misread, Level::error,
     "need a function"},
    {"NCCL_ALGO=everything:tree", "2.24.3", Verdict::misread, Level::error, "not a function"},
    {"NCCL_ALGO=NVLS", "2.24.3", Verdict::advice, Level::warning,
     "leaves broadcast, reduce without", "allreduce:tree"},
    {"NCCL_ALGO=PAT", "2.24.3", Verdict::advice, Level::warning, "broadcast, reduce, allreduce"},
    {"NCCL_ALGO=CollNetDirect", "2.30.7", Verdict::advice, Level::warning, "broadcast, reduce w"},
    {"NCCL_ALGO=Tree,NVLS", "2.24.3", Verdict::advice, Level::warning, "broadcast, reduce w"},
    {"NCCL_ALGO=^ring", "2.24.3", Verdict::advice, Level::warning, "broadcast, reduce w"},
    {"NCCL_ALGO=tree,", "2.24.3", Verdict::advice, Level::warning, "ncclInvalidUsage"},
    {"NCCL_ALGO=Ring,Tree", "2.24.3", Verdict::ok, Level::ok, ""},
    {"NCCL_ALGO='nvls;broadcast:ring;reduce:ring'", "2.24.3", Verdict::ok, Level::ok, ""},
    {"NCCL_ALGO=broadcast:tree", "2.24.3", Verdict::advice, Level::warning, "leaves broadcast w"},
    {"NCCL_PROTO=LL", "2.24.3", Verdict::ok, Level::ok, ""},
    {"NCCL_PROTO=LL128", "2.24.3", Verdict::advice, Level::warning, "corrupted"},
    {"NCCL_PROTO=LL,ll128", "2.12.12", Verdict::advice, Level::warning, "corrupted"},
    {"NCCL_PROTO=allreduce:ll128", "2.24.3", Verdict::advice, Level::warning, "corrupted"},
    {"NCCL_PROTO=allreduce:^ll128", "2.24.3", Verdict::ok, Level::ok, ""},
    // strcmp() up to 2.12.12, and GROUP was the default up to 2.8.4 (src/init.cc).
    {"NCCL_LAUNCH_MODE=group", "2.12.12", Verdict::misread, Level::error, "default is used"},
    {"NCCL_LAUNCH_MODE=group", "2.13.4", Verdict::ok, Level::ok, ""},
    {"NCCL_NET=socket", "2.12.12", Verdict::misread, Level::error, "case-sensitively",
     "NCCL_NET=Socket"},
    {"NCCL_NET=ib", "2.12.12", Verdict::misread, Level::error, "not found", "NCCL_NET=IB"},
    {"NCCL_NET=ib", "2.13.4", Verdict::ok, Level::ok, ""},
    {"NCCL_NET=Socket", "2.12.12", Verdict::ok, Level::ok, ""},
    // Seen with NCCL 2.28.9: "Failed to initialize any NET plugin".
    {"NCCL_NET=Sockets", "2.28.9", Verdict::misread, Level::warning, "unless a plugin",
     "NCCL_NET=Socket"},
    {"NCCL_NET=Sockets", "2.12.12", Verdict::misread, Level::warning, "unless a plugin"},
    {"NCCL_NET=IBB", "2.28.9", Verdict::misread, Level::warning, "init fails", "NCCL_NET=IB"},
    {"NCCL_NET=gIB", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_NET='AWS Libfabric'", "2.28.9", Verdict::ok, Level::ok, ""},
    // A number up to 2.28.9 (NCCL_PARAM), where a name is 0; src/init.cc getEnvCtaPolicyOnce().
    {"NCCL_CTA_POLICY=1", "2.27.3", Verdict::ok, Level::ok, ""},
    {"NCCL_CTA_POLICY=2", "2.27.7", Verdict::misread, Level::error, "DEFAULT", "one of 0, 1"},
    {"NCCL_CTA_POLICY=2", "2.28.3", Verdict::ok, Level::ok, ""},
    {"NCCL_CTA_POLICY=EFFICIENCY", "2.28.9", Verdict::misread, Level::error,
     "this is 0 (DEFAULT), which overrides the program's own policy", "NCCL_CTA_POLICY=1"},
    {"NCCL_CTA_POLICY=ZERO", "2.27.7", Verdict::misread, Level::error, "0 (DEFAULT)",
     "one of 0, 1"},
    {"NCCL_CTA_POLICY=FAST", "2.28.9", Verdict::misread, Level::error, "0 (DEFAULT)",
     "one of 0, 1, 2"},
    {"NCCL_CTA_POLICY=DEFAULT", "2.28.9", Verdict::advice, Level::note, "0 (DEFAULT)"},
    {"NCCL_CTA_POLICY=0x1", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_CTA_POLICY='1|2'", "2.28.9", Verdict::misread, Level::error, "this is 1"},
    {"NCCL_CTA_POLICY=3", "2.28.9", Verdict::misread, Level::error, "3 is not known in 2.28.9",
     "one of 0, 1, 2"},
    {"NCCL_CTA_POLICY=DEFAULT", "2.29.2", Verdict::ok, Level::ok, ""},
    {"NCCL_CTA_POLICY=2", "2.29.2", Verdict::ok, Level::ok, ""},
    {"NCCL_CTA_POLICY=0x1", "2.29.2", Verdict::misread, Level::error, "this is 0",
     "NCCL_CTA_POLICY=1"},
    {"NCCL_CTA_POLICY='zero|1'", "2.29.2", Verdict::misread, Level::error, "not known in a list"},
    {"NCCL_CTA_POLICY=FAST", "2.29.2", Verdict::misread, Level::error, "own policy holds"},
    {"NCCL_CTA_POLICY='efficiency|zero'", "2.29.2", Verdict::ok, Level::ok, ""},
    {"NCCL_CTA_POLICY=3", "2.29.2", Verdict::misread, Level::error, "policy holds"},
    // Seen with NCCL 2.28.9: the call returns ncclInProgress.
    {"NCCL_COMM_BLOCKING=0", "2.28.9", Verdict::advice, Level::warning, "ncclInProgress"},
    {"NCCL_COMM_BLOCKING=0", "2.16.5", Verdict::ok, Level::ok, ""},
    {"NCCL_IB_TIMEOUT=8M", "2.21.5", Verdict::misread, Level::error, "this is 8", "a plain number"},
    {"NCCL_P2P_DISABLE=2", "2.21.5", Verdict::out_of_range, Level::warning, "P2P stays on"},
    {"NCLL_DEBUG=WARN", "2.21.5", Verdict::unknown_name, Level::error, "with a typo", "NCCL_DEBUG"},
    {"nccl_debug=WARN", "2.21.5", Verdict::unknown_name, Level::warning, "with a typo",
     "NCCL_DEBUG"},
    {"NCCL_ALGO=Foo", "2.24.3", Verdict::misread, Level::error, "ncclInvalidUsage"},
    {"NCCL_ALGO=Foo", "2.23.4", Verdict::misread, Level::error, "skipped"},
    {"NCCL_ALGO=CollNet", "2.13.4", Verdict::ok, Level::ok, ""},
    {"NCCL_ALGO=CollNet", "2.14.3", Verdict::misread, Level::error, "not known in 2.14.3"},
    {"NCCL_PROTO=^LL128", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_PROTO=^LL", "2.21.5", Verdict::advice, Level::warning, "also LL128"},
    {"NCCL_BUFFSIZE=8388608", "2.21.5", Verdict::advice, Level::note, "4194304 by default"},
    // calcCollChunking() in src/enqueue.cc aligns a step of Simple to 512 bytes since 2.22.3. Seen
    // with NCCL 2.28.9: SIGFPE with 100, and CUDA error 716 with NCCL_LL_BUFFSIZE=1.
    {"NCCL_BUFFSIZE=100", "2.21.5", Verdict::advice, Level::note, "4194304 by default"},
    {"NCCL_BUFFSIZE=7", "2.21.5", Verdict::out_of_range, Level::warning, "divides by 0"},
    {"NCCL_BUFFSIZE=4095", "2.22.3", Verdict::out_of_range, Level::warning, "divides by 0"},
    {"NCCL_BUFFSIZE=4096", "2.22.3", Verdict::advice, Level::note, "4194304 by default"},
    {"NCCL_BUFFSIZE=2147483648", "2.28.9", Verdict::out_of_range, Level::warning, "32 bits"},
    {"NCCL_LL_BUFFSIZE=1", "2.28.9", Verdict::out_of_range, Level::warning, "716"},
    {"NCCL_LL_BUFFSIZE=65600", "2.28.9", Verdict::out_of_range, Level::warning, "multiple of 128"},
    {"NCCL_LL_BUFFSIZE=65536", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_LL128_BUFFSIZE=8192", "2.28.9", Verdict::out_of_range, Level::warning, "no bytes"},
    {"NCCL_LL128_BUFFSIZE=65536", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_P2P_NET_CHUNKSIZE=-1", "2.28.9", Verdict::out_of_range, Level::warning, "divide by 0"},
    {"NCCL_P2P_NVL_CHUNKSIZE=7", "2.28.9", Verdict::out_of_range, Level::warning, "divide by 0"},
    {"NCCL_P2P_NET_CHUNKSIZE=4", "2.28.9", Verdict::ok, Level::ok, ""},
    {"NCCL_BUFFSIZE=8M", "2.21.5", Verdict::misread, Level::error, "this is 8",
     "NCCL_BUFFSIZE=8388608"},
    {"NCCL_BUFFSIZE=1e6", "2.21.5", Verdict::misread, Level::error, "this is 1"},
    {"NCCL_BUFFSIZE=010", "2.21.5", Verdict::misread, Level::error, "octal: this is 8"},
    {"NCCL_BUFFSIZE=0x800000", "2.21.5", Verdict::advice, Level::note, "bytes"},
    {"NCCL_BUFFSIZE=99999999999999999999", "2.21.5", Verdict::out_of_range, Level::error,
     "default is used"},
    {"NCCL_BUFFSIZE=0b11", "2.21.5", Verdict::unsettled, Level::warning, "C library"},
    {"NCCL_TOPO_FILE=/gone", "2.21.5", Verdict::not_on_this_node, Level::warning, "NCCL warns"},
    {"NCCL_TOPO_FILE=/gone", "2.27.3", Verdict::not_on_this_node, Level::warning,
     "only at NCCL_DEBUG=INFO"},
    {"NCCL_GRAPH_FILE=/gone", "2.28.9", Verdict::not_on_this_node, Level::warning, "init fails"},
    {"NCCL_TOPO_FILE=/there", "2.27.3", Verdict::advice, Level::note, "one type of machine"},
    {"NCCL_TOPO_FILE=/there", "2.5.7", Verdict::not_in_version, Level::warning, "2.6.4"},
    {"NCCL_DEBUG=INFO", "2.21.5", Verdict::advice, Level::note, "production", "WARN"},
    {"NCCL_DEBUG=warn", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_DEBUG=1", "2.21.5", Verdict::misread, Level::error, "no output at all"},
    {"NCCL_DEBUG=DEBUG", "2.21.5", Verdict::misread, Level::error, "no output at all"},
    {"NCCL_DEBUG='INFO '", "2.21.5", Verdict::misread, Level::error, "part of the value"},
    {"NCCL_DEBUG='WARN '", "2.30.7", Verdict::ok, Level::ok, ""},
    {"NCCL_DEBUG_SUBSYS=NET,FOO", "2.30.4", Verdict::misread, Level::error, "it is skipped"},
    {"NCCL_DEBUG_SUBSYS=NET,FOO", "2.30.7", Verdict::misread, Level::error,
     "whole list is dropped"},
    {"NCCL_DEBUG_FILE=/tmp/n.log", "2.21.5", Verdict::advice, Level::warning, "this one file",
     "%p"},
    {"NCCL_DEBUG_FILE=/tmp/n.%h.%p", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_DEBUG_FILE=/dev/stderr", "2.21.5", Verdict::ok, Level::ok, ""},
    {"NCCL_DEBUG_FILE=/tmp/n.%h.%r", "2.21.5", Verdict::advice, Level::error, "%r", "%p"},
    // RoCE v2 has UDP port 4791, and no variable changes that: whoever thinks otherwise finds no
    // name for it.
    {"NCCL_IB_PORT=4789", "2.30.7", Verdict::unknown_name, Level::note, "no other program is known",
     "4791"},
    {"MASTER_PORT=23456", "2.30.7", Verdict::advice, Level::note, "ephemeral"},
    // More of public scripts.
    {"NCCL_CHECK_DISABLE=1", "2.21.5", Verdict::unknown_name, Level::note,
     "no other program is known"},
    {"NCCL_CHECKS_DISABLE=1", "2.21.5", Verdict::not_in_version, Level::warning, "2.2.12", ""},
    {"NCCL_LL_THRESHOLD=0", "2.5.6", Verdict::not_in_version, Level::warning, "2.4.8",
     "NCCL_PROTO"},
    {"NCCL_TREE_THRESHOLD=0", "2.21.5", Verdict::not_in_version, Level::warning, "2.4.8",
     "NCCL_ALGO"},
    {"NCCL_TREE_THRESHOLD=0", "2.4.8", Verdict::ok, Level::ok, ""},
    {"NCCL_ASYNC_ERROR_HANDLING=1", "2.21.5", Verdict::advice, Level::note, "read by PyTorch",
     "TORCH_NCCL_ASYNC"},
    {"NCCL_BLOCKING_WAIT=1", "2.21.5", Verdict::advice, Level::note, "read by PyTorch",
     "TORCH_NCCL_BLOCKING"},
    {"NCCL_DESYNC_DEBUG=1", "2.21.5", Verdict::advice, Level::note, "read by PyTorch",
     "TORCH_NCCL_DESYNC"},
    {"NCCL_TIMEOUT=1800", "2.21.5", Verdict::unknown_name, Level::note, "no other program is known",
     "init_process_group"},
    {"NCCL_SOCKET_PORT=5000", "2.21.5", Verdict::unknown_name, Level::note,
     "no other program is known", "ip_local_port_range"},
    {"NCCL_IB_MTU=4096", "2.21.5", Verdict::unknown_name, Level::note, "no other program is known",
     "interface"},
    {"NCCL_ALLOC_P2P_NET_LL_BUFFERS=1", "2.16.2", Verdict::not_in_version, Level::warning,
     "2.16.5"},
    {"NCCL_NCCL_ALLOC_P2P_NET_LL_BUFFERS=1", "2.16.2", Verdict::ok, Level::ok, ""},
    {"NCCL_SHM_USE_CUDA_MEMCPY=1", "2.30.7", Verdict::not_in_version, Level::warning, "2.30.4"},
    {"NCCL_SHM_MEMCPY_MODE=1", "2.30.7", Verdict::not_in_version, Level::warning, "2.30.4"},
    {"NCCL_CREATE_THREAD_CONTEXT=1", "2.30.7", Verdict::not_in_version, Level::warning, "2.30.4"},
    {"NCCL_SET_THREAD_NAME=yes", "2.30.7", Verdict::misread, Level::error, "only 1, T, TRUE"},
    {"NCCL_SET_THREAD_NAME=T", "2.30.7", Verdict::ok, Level::ok, ""},
    {"NCCL_SET_THREAD_NAME=T", "2.30.4", Verdict::misread, Level::error, "this is 0"},
    {"NCCL_P2P_DISABLE=2", "2.21.5", Verdict::out_of_range, Level::warning, "neither 0 nor 1"},
    {"NCCL_SHM_DISABLE=false", "2.21.5", Verdict::advice, Level::note, "which is what was meant"},
    {"NCCL_SOCKET_NTHREDS=4", "2.21.5", Verdict::unknown_name, Level::error, "with a typo",
     "NCCL_SOCKET_NTHREADS"},
    {"TORCH_NCCL_BLOCKING_WAIT=maybe", "2.21.5", Verdict::misread, Level::error, "ends the job"},
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING=7", "2.21.5", Verdict::out_of_range, Level::warning,
     "0 to 3"},
    {"UCX_TLZ=rc", "2.21.5", Verdict::unsettled, Level::note, "not in the catalogue", "UCX_TLS"},
    {"TORCH_NCCL_BLOCKING_WAIT=", "2.21.5", Verdict::misread, Level::error, "ends the job"},
    {"TORCH_NCCL_USE_COMM_NONBLOCKING=true", "2.21.5", Verdict::misread, Level::error,
     "warns and takes its default", "one of 0, 1"},
    {"TORCH_DISTRIBUTED_DEBUG=verbose", "2.21.5", Verdict::misread, Level::error, "ends the job"},
    {"TORCH_DISTRIBUTED_DEBUG=detail", "2.21.5", Verdict::advice, Level::note, "read by PyTorch"},
    {"GLOO_DEVICE_TRANSPORT=tcp", "2.21.5", Verdict::misread, Level::error, "ends the job", "TCP"},
    {"GLOO_LOG_LEVEL=info", "2.21.5", Verdict::misread, Level::error, "counts as ERROR", "INFO"},
    {"GLOO_DISABLE_CONNECTION_RETRIES=true", "2.21.5", Verdict::misread, Level::error,
     "only True and 1"},
    // UCX reads decimal digits alone (ucs_config_sscanf_ulong), and "true" is none of its words.
    {"UCX_IB_TRAFFIC_CLASS=0x6a", "2.21.5", Verdict::misread, Level::error, "0x6a is 0",
     "a decimal number, or one of auto"},
    {"UCX_IB_TRAFFIC_CLASS=106", "2.21.5", Verdict::advice, Level::note, "read by UCX"},
    {"UCX_IB_TRAFFIC_CLASS=300", "2.21.5", Verdict::out_of_range, Level::warning, "0 to 255"},
    {"UCX_IB_GID_INDEX=auto", "2.21.5", Verdict::advice, Level::note, "read by UCX"},
    {"UCX_IB_GID_INDEX=", "2.21.5", Verdict::misread, Level::error, "not a decimal number"},
    {"UCX_IB_GPU_DIRECT_RDMA=true", "2.21.5", Verdict::misread, Level::error,
     "its configuration fails", "try"},
    {"UCX_MEMTYPE_CACHE=false", "2.21.5", Verdict::misread, Level::error, "takes the default"},
    {"UCX_LOG_LEVEL=INFO", "2.21.5", Verdict::advice, Level::note, "read by UCX"},
    // libfabric: strtol() of base 0 for numbers, eight words for yes and no (fi_param_get).
    {"FI_EFA_USE_DEVICE_RDMA=on", "2.21.5", Verdict::advice, Level::note, "read by libfabric"},
    {"FI_EFA_USE_DEVICE_RDMA=y", "2.21.5", Verdict::misread, Level::error, "takes the default"},
    {"FI_MR_CACHE_MAX_SIZE=1G", "2.21.5", Verdict::misread, Level::error,
     "libfabric reads a number with strtoll: this is 1", "1073741824"},
    {"FI_MR_CACHE_MONITOR=userfault", "2.21.5", Verdict::misread, Level::error, "without a message",
     "userfaultfd"},
    // The plugin does not start with what it cannot read (ofi_nccl_param_impl::initialize).
    {"OFI_NCCL_PROTOCOL=rdma", "2.21.5", Verdict::advice, Level::note, "read by aws-ofi-nccl"},
    {"OFI_NCCL_PROTOCOL=write", "2.21.5", Verdict::misread, Level::error, "does not start"},
    {"OFI_NCCL_EAGER_MAX_SIZE=8K", "2.21.5", Verdict::misread, Level::error, "does not start"},
    {"OFI_NCCL_CQ_SIZE=-1", "2.21.5", Verdict::out_of_range, Level::warning, "does not start"},
    {"OFI_NCCL_GDR_FLUSH_DISABLE=yes", "2.21.5", Verdict::misread, Level::error, "does not start",
     "one of true, false"},
    {"OFI_NCCL_GDR_FLUSH_DISABLE=True", "2.21.5", Verdict::advice, Level::note, "read by"},
};

TEST(NcclLint, MythsGetTheVerdictOfTheSource) {
  for (const Row& row : kMyths) {
    const auto findings = judged(row.set, row.release);
    const Finding* const finding = with(findings, row.verdict);
    const std::string context = row.set + " for " + row.release + "\n" + told(findings);
    if (!finding) {
      ADD_FAILURE() << context;
      continue;
    }
    EXPECT_EQ(finding->judgement.level, row.level) << context;
    bool found = false;
    for (const Finding& one : findings)
      found = found || (one.judgement.verdict == row.verdict &&
                        one.judgement.why.find(row.why) != std::string::npos &&
                        one.judgement.instead.find(row.instead) != std::string::npos);
    EXPECT_TRUE(found) << context << "wanted: " << row.why << " | " << row.instead;
    if (row.verdict == Verdict::ok) {
      EXPECT_EQ(findings.size(), 1U) << context;
    }
  }
}

/// Errors of programs beside NCCL, behind the note that names the program.
TEST(NcclLint, WhatOthersCannotReadIsAnError) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"GLOO_SOCKET_IFNAME=^lo", "neither ^ nor ="},
      {"GLOO_SOCKET_IFNAME==eth0", "neither ^ nor ="}};
  for (const auto& [set, why] : rows) {
    const auto findings = judged(set, "2.21.5");
    ASSERT_EQ(findings.size(), 2U) << told(findings);
    EXPECT_EQ(findings[0].judgement.level, Level::note) << told(findings);
    EXPECT_EQ(findings[1].judgement.level, Level::error) << told(findings);
    EXPECT_NE(findings[1].judgement.why.find(why), std::string::npos) << told(findings);
  }
  EXPECT_EQ(judged("GLOO_SOCKET_IFNAME=eth0,eth1", "2.21.5").size(), 1U);
}

/// Which release of them it is nobody knows here.
TEST(NcclLint, WhatNewerOnesOfOthersRefuseIsAWarning) {
  for (const char* const set :
       {"FI_EFA_MTU_SIZE=8192", "OFI_NCCL_RDMA_MIN_POSTED_BOUNCE_BUFFERS=64"}) {
    const auto findings = judged(set, "2.21.5");
    ASSERT_EQ(findings.size(), 2U) << told(findings);
    EXPECT_EQ(findings[1].judgement.level, Level::warning) << told(findings);
    EXPECT_NE(findings[1].judgement.why.find("older ones read it"), std::string::npos);
  }
  EXPECT_EQ(with(judged("FI_LOG_LEVEL=1", "2.21.5"), Verdict::misread)->judgement.level,
            Level::warning);
}

/// An unknown name is a note, unless one edit makes it a name that this release reads.
TEST(NcclLint, OnlyASlipOfOneEditIsAnError) {
  const auto level = [](const std::string& set) {
    const auto findings = judged(set, "2.24.3");
    const Finding* const finding = with(findings, Verdict::unknown_name);
    return finding ? finding->judgement.level : Level::ok;
  };
  for (const char* const slip :
       {"NCCL_DEBGU=INFO", "NCCL_IB_GIDINDEX=3", "NCCL_SOCKET_IFNAMES=eth0", "NCCL_IB_HCS=mlx5_0",
        "NCCL_BUFF_SIZE=1"})
    EXPECT_EQ(level(slip), Level::error) << slip;
  // FlagOpen/FlagScale, aws-samples/awsome-distributed-training, coreweave/nccl-tests.
  for (const char* const other :
       {"NCCL_PROTOCOL=LLC", "NCCL_NET_MAX_REQUESTS=8", "NCCL_IB_NET_LATENCY=50", "NCCL_FOO=1",
        // NCCL_CHECKS_DISABLE was last read by 2.2.12.
        "NCCL_CHECK_DISABLE=1"}) {
    EXPECT_EQ(level(other), Level::note) << other;
    const auto findings = judged(other, "2.24.3");
    if (std::string(other) != "NCCL_CHECK_DISABLE=1") {
      EXPECT_EQ(findings[0].judgement.instead, "") << "what nobody meant is not proposed";
    }
  }
}

TEST(NcclLint, OnlyASlipOfOneEditIsProposed) {
  const auto instead = [](const std::string& set) {
    const auto findings = judged(set, "2.24.3");
    return with(findings, Verdict::misread)->judgement.instead;
  };
  EXPECT_EQ(instead("NCCL_PROTO=-1"), "one of LL, LL128, Simple");
  EXPECT_EQ(instead("NCCL_PROTO=Simpel"), "Simple; one of LL, LL128, Simple");
  EXPECT_TRUE(instead("NCCL_DEBUG=INF").starts_with("INFO; one of")) << instead("NCCL_DEBUG=INF");
}

/// What images, build scripts and nccl-tests set (nvidia/cuda's Dockerfiles, NVIDIA/nccl-tests).
/// NCCL_CHECK_MODE is read since 2.29.7.
TEST(NcclLint, WhatReplacesAVariableIsRead) {
  const auto instead = [](const std::string& release) {
    const auto findings = judged("NCCL_CHECKS_DISABLE=1", release);
    const Finding* const one = with(findings, Verdict::not_in_version);
    return one ? one->judgement.instead : told(findings);
  };
  EXPECT_EQ(instead("2.28.9"), "");
  EXPECT_EQ(instead("2.30.7"), "NCCL_CHECK_MODE");
}

/// NCCL_IB_HCA=^ens,eth,docker leaves no HCA out.
TEST(NcclLint, InterfacesAreNoHcas) {
  const auto why = [](const std::string& text) {
    const auto findings = judged(text, "2.28.9");
    return told(findings);
  };
  for (const char* const text :
       {"NCCL_IB_HCA=^eth,ens", "NCCL_IB_HCA=bond0", "NCCL_IB_HCA=ib0", "NCCL_IB_HCA==eno1"})
    EXPECT_NE(why(text).find("looks like the name of an interface"), std::string::npos) << text;
  for (const char* const text : {"NCCL_IB_HCA=mlx5_bond_0", "NCCL_IB_HCA=rocep1s0",
                                 "NCCL_IB_HCA=ibp12s0", "NCCL_IB_HCA=^mlx5_1"})
    EXPECT_EQ(why(text).find("looks like"), std::string::npos) << text;
  EXPECT_EQ(why("NCCL_IB_HCA=^mlx5_1").find("sockets"), std::string::npos);
}

TEST(NcclLint, NamesOfImagesAndScriptsAreKnown) {
  for (const char* const set :
       {"NCCL_VERSION=2.25.1-1", "NCCL_HOME=/usr", "NCCL_LIB_DIR=/x", "NCCL_GIB_VERSION=v1.1.0",
        "NCCL_PLUGIN_PATH=/usr/local/gib/lib64", "NCCL_TESTS_SPLIT_MASK=0x7", "NCCL_TEST=1",
        "NCCL_INIT_SCRIPT=/x.sh", "NCCL_TESTS_COMMITISH=f727aa2"}) {
    const auto findings = judged(set, "2.24.3");
    ASSERT_EQ(findings.size(), 1U) << told(findings);
    EXPECT_EQ(findings[0].judgement.level, Level::note) << told(findings);
    EXPECT_NE(findings[0].judgement.why.find("NCCL does not read it"), std::string::npos);
  }
}

/// The same lines as in Google's own profiles (tcpxo_scripts/nccl-env-profile.sh) and manifests.
TEST(NcclLint, GooglesPluginsAreKnown) {
  const auto reader = [](const std::string& set) -> std::string {
    const auto findings = judged(set, "2.24.3");
    return findings.size() == 1 ? findings[0].judgement.why : told(findings);
  };
  EXPECT_EQ(reader("NCCL_FASTRAK_NUM_FLOWS=2"), "read by GPUDirect-TCPXO, not by NCCL");
  EXPECT_EQ(reader("NCCL_FASTRAK_IFNAME=enp6s0,enp7s0"), "read by GPUDirect-TCPXO, not by NCCL");
  EXPECT_EQ(reader("NCCL_FASTRAK_USE_SNAP=1"), "read by Google's plugins, not by NCCL");
  EXPECT_EQ(reader("NCCL_TUNER_CONFIG_PATH=/usr/local/gib/configs/tuner_config_a4.txtpb"),
            "read by Google's plugins, not by NCCL");
  EXPECT_EQ(reader("NCCL_GPUDIRECTTCPX_CTRL_DEV=eth0"), "read by GPUDirect-TCPX, not by NCCL");
  EXPECT_EQ(reader("NCCL_GPUDIRECTTCPX_TX_BINDINGS='eth1:8-21,112-125;eth2:8-21,112-125'"),
            "read by GPUDirect-TCPX, not by NCCL");
  EXPECT_EQ(
      with(judged("NCCL_FASTRAK_NUM_FLOWS=9", "2.24.3"), Verdict::out_of_range)->judgement.why,
      "9 is not in 1 to 8: the plugin takes its default");
}

/// Both of one node's ways off, and more sockets than NCCL opens (src/transport/net_socket.cc).
TEST(NcclLint, TwoThatAreWrongTogether) {
  const auto of = [](const std::string& text) {
    const auto findings =
        lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh"));
    const Finding* const finding = with(findings, Verdict::conflict);
    return finding ? finding->set.name + ": " + finding->judgement.why : "";
  };
  EXPECT_NE(
      of("export NCCL_P2P_DISABLE=1\nexport NCCL_SHM_DISABLE=1\n").find("only over the network"),
      std::string::npos);
  EXPECT_EQ(of("export NCCL_P2P_DISABLE=1\nexport NCCL_SHM_DISABLE=0\n"), "");
  EXPECT_NE(of("export NCCL_SOCKET_NTHREADS=16\nexport NCCL_NSOCKS_PERTHREAD=8\n").find("than 64"),
            std::string::npos);
  EXPECT_EQ(of("export NCCL_SOCKET_NTHREADS=8\nexport NCCL_NSOCKS_PERTHREAD=8\n"), "");
}

TEST(NcclLint, OtherNamesAreNoConcern) {
  EXPECT_TRUE(judged("nccl_dir=/x RCCL_DEBUG=1 PATH=/bin HOME=/x CUDA_VISIBLE_DEVICES=0", "2.21.5")
                  .empty());
  // Oracle's scripts, nvidia/cuda's images, AWS's Dockerfiles; what a script keeps for itself.
  EXPECT_TRUE(judged("var_NCCL_IB_HCA==mlx5_0 NV_LIBNCCL_PACKAGE=libnccl2=2.25.1 HCCL_BUFFSIZE=1 "
                     "AWS_OFI_NCCL_VERSION=1.14.2 TORCH_NCCL_SOMETHING=1 UCX_VFS_ENABLE=no",
                     "2.21.5")
                  .empty());
  EXPECT_TRUE(lint({&catalog(), version("2.21.5")},
                   tools::nccl::scripts::read_shell("NCCL_TEST=1\nNCCL_IB_HCAS=a\n", "job.sh"))
                  .empty());
}

TEST(NcclLint, ABlankThatEndsAListIsAnError) {
  const auto findings = judged("NCCL_IB_HCA=mlx5_0, mlx5_1", "2.21.5");
  const Finding* const finding = with(findings, Verdict::misread);
  ASSERT_TRUE(finding) << told(findings);
  EXPECT_NE(finding->judgement.why.find("only mlx5_0, is set"), std::string::npos);
}

TEST(NcclLint, PlaceIsNamed) {
  Job job{&catalog(), version("2.21.5")};
  const auto findings =
      lint(job, tools::nccl::scripts::read_shell(
                    "#!/bin/sh\n\nexport NCCL_IB_GID_INDEX=0,3,5,7 NCCL_DEBUG=WARN\n", "a.sh"));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].set.file, "a.sh");
  EXPECT_EQ(findings[0].set.line, 3);
  EXPECT_EQ(findings[1].judgement.verdict, Verdict::ok);
}

TEST(NcclLint, ConfFilesAreReadByteForByte) {
  const auto of = [](const std::string& text, const std::string& release) {
    return lint({&catalog(), version(release)},
                tools::nccl::scripts::read_conf(text, "/etc/nccl.conf"));
  };
  EXPECT_TRUE(with(of(" NCCL_DEBUG=WARN\n", "2.21.5"), Verdict::unknown_name));
  EXPECT_TRUE(with(of("NCCL_DEBUG = WARN\n", "2.21.5"), Verdict::unknown_name));
  EXPECT_TRUE(with(of("export NCCL_DEBUG=WARN\n", "2.21.5"), Verdict::unknown_name));
  EXPECT_TRUE(with(of("NCCL_DEBUG= WARN\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_DEBUG=\"WARN\"\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_IB_DISABLE=\"1\"\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN\r\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN\r\n", "2.30.3"), Verdict::ok));
  EXPECT_FALSE(with(of("NCCL_IB_TC=136\r\n", "2.21.5"), Verdict::misread));
  EXPECT_FALSE(with(of("NCCL_IB_TC=136 # class\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_SOCKET_IFNAME=eth0 # this\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_IB_HCA==mlx5_0#this\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_TOPO_FILE=/x # this\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_IB_HCA=$HCAS\n", "2.21.5"), Verdict::misread));
  EXPECT_EQ(with(of("NCCL_IB_DISABLE=true\r\n", "2.21.5"), Verdict::misread)->judgement.instead,
            "NCCL_IB_DISABLE=1");
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN # more\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(of("# NCCL_DEBUG=INFO\nno assignment\n", "2.21.5").empty());
  EXPECT_TRUE(
      with(of("NCCL_TOPO_FILE=" + std::string(2000, 'x') + "\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_CONF_FILE=/x\n", "2.23.4"), Verdict::defeated));
  EXPECT_TRUE(with(of("TORCH_NCCL_BLOCKING_WAIT=1\n", "2.23.4"), Verdict::defeated));
  const auto twice = of("NCCL_IB_TC=136\nNCCL_IB_TC=104\n", "2.21.5");
  ASSERT_TRUE(with(twice, Verdict::defeated)) << told(twice);
  EXPECT_EQ(with(twice, Verdict::defeated)->set.line, 2);
}

TEST(NcclLint, TheEnvironmentWinsOverTheUserWhoWinsOverTheNode) {
  std::vector<Assignment> all =
      tools::nccl::scripts::read_conf("NCCL_IB_TC=136\n", "/etc/nccl.conf");
  const auto add = [&](std::vector<Assignment> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(tools::nccl::scripts::read_conf("NCCL_IB_TC=104\n", "/root/.nccl.conf"));
  add(tools::nccl::scripts::read_shell("export NCCL_IB_TC=96\n", "job.sh"));
  const auto findings = lint({&catalog(), version("2.21.5")}, all);
  std::vector<std::string> defeated;
  for (const Finding& finding : findings)
    if (finding.judgement.verdict == Verdict::defeated)
      defeated.push_back(finding.set.file + " by " + finding.judgement.why.substr(0, 6));
  EXPECT_EQ(defeated,
            (std::vector<std::string>{"/etc/nccl.conf by /root/", "/root/.nccl.conf by job.sh"}))
      << told(findings);
  // What holds on this node, and was not given, is compared with as well.
  Job job{&catalog(), version("2.21.5")};
  job.elsewhere =
      tools::nccl::scripts::read_shell("export NCCL_IB_TC=1\n", "/etc/profile.d/site.sh");
  EXPECT_TRUE(with(lint(job, tools::nccl::scripts::read_conf("NCCL_IB_TC=136\n", "/etc/nccl.conf")),
                   Verdict::defeated));
  EXPECT_FALSE(with(lint(job, tools::nccl::scripts::read_conf("NCCL_IB_TC=1\n", "/etc/nccl.conf")),
                    Verdict::defeated));
}

TEST(NcclLint, ConflictsNameTheOther) {
  const auto of = [](const std::string& text) {
    return lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh"));
  };
  const auto findings = of("export NCCL_IB_DISABLE=1\nexport NCCL_IB_HCA==mlx5_0\n");
  const Finding* const finding = with(findings, Verdict::conflict);
  ASSERT_TRUE(finding) << told(findings);
  EXPECT_EQ(finding->set.name, "NCCL_IB_HCA");
  EXPECT_NE(finding->judgement.why.find("job.sh:1"), std::string::npos);
  EXPECT_TRUE(with(of("export NCCL_NET=Socket NCCL_IB_TC=136\n"), Verdict::conflict));
  EXPECT_TRUE(with(of("export NCCL_NET=Socket NCCL_IB_DISABLE=0\n"), Verdict::conflict));
  EXPECT_FALSE(with(of("export NCCL_NET=Socket NCCL_IB_DISABLE=1\n"), Verdict::conflict));
  // Seen with NCCL 2.28.9: 4 channels with NCCL_MAX_NCHANNELS=1 NCCL_MIN_NCHANNELS=4.
  const auto bounds = of("export NCCL_MIN_NCHANNELS=8 NCCL_MAX_NCHANNELS=4\n");
  ASSERT_TRUE(with(bounds, Verdict::conflict)) << told(bounds);
  EXPECT_EQ(with(bounds, Verdict::conflict)->judgement.why,
            "it is above NCCL_MAX_NCHANNELS=4 in line 1: the minimum wins");
  const auto ctas =
      lint({&catalog(), version("2.21.5")},
           tools::nccl::scripts::read_environment({"NCCL_MIN_CTAS=8", "NCCL_MAX_CTAS=4"}));
  ASSERT_TRUE(with(ctas, Verdict::conflict)) << told(ctas);
  EXPECT_EQ(with(ctas, Verdict::conflict)->judgement.why,
            "it is above NCCL_MAX_CTAS=4: NCCL lowers it to that");
  // A maximum that NCCL ignores, or that is its "unset", is above nothing; -1 counts as 1.
  const auto at = [](const std::string& release, const std::vector<std::string>& variables) {
    return with(lint({&catalog(), version(release)},
                     tools::nccl::scripts::read_environment(variables)),
                Verdict::conflict) != nullptr;
  };
  for (const char* const most : {"0", "-1"}) {
    EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_CTAS=4", cat("NCCL_MAX_CTAS=", most)})) << most;
    EXPECT_TRUE(at("2.24.3", {"NCCL_MIN_CTAS=4", cat("NCCL_MAX_CTAS=", most)})) << most;
    EXPECT_TRUE(at("2.28.9", {"NCCL_MIN_NCHANNELS=4", cat("NCCL_MAX_NCHANNELS=", most)})) << most;
    EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_NCHANNELS=1", cat("NCCL_MAX_NCHANNELS=", most)})) << most;
    EXPECT_FALSE(at("2.4.8", {"NCCL_MIN_NRINGS=4", cat("NCCL_MAX_NRINGS=", most)})) << most;
  }
  EXPECT_TRUE(at("2.28.9", {"NCCL_MIN_CTAS=4", "NCCL_MAX_CTAS=2"}));
  EXPECT_TRUE(at("2.4.8", {"NCCL_MIN_NRINGS=4", "NCCL_MAX_NRINGS=2"}));
  EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_NCHANNELS=4", "NCCL_MAX_NCHANNELS=-2"}));
  EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_NRINGS=4", "NCCL_MAX_NRINGS=-2"}));
  EXPECT_TRUE(with(of("export NCCL_P2P_DISABLE=1 NCCL_P2P_LEVEL=NVL\n"), Verdict::conflict));
  EXPECT_FALSE(
      with(of("export NCCL_IB_DISABLE=0\nexport NCCL_IB_HCA==mlx5_0\n"), Verdict::conflict));
  EXPECT_FALSE(
      with(of("export NCCL_IB_DISABLE=true\nexport NCCL_IB_HCA==mlx5_0\n"), Verdict::conflict))
      << "true is 0";
  // What loses is in nobody's way, and of what only may run there is a note.
  auto conf =
      tools::nccl::scripts::read_shell("export NCCL_IB_DISABLE=0 NCCL_IB_HCA==mlx5_0\n", "job.sh");
  for (const Assignment& one :
       tools::nccl::scripts::read_conf("NCCL_IB_DISABLE=1\n", "/etc/nccl.conf"))
    conf.push_back(one);
  EXPECT_FALSE(with(lint({&catalog(), version("2.21.5")}, conf), Verdict::conflict));
  const auto level = [&](const std::string& text) {
    const auto all = of(text + "export NCCL_IB_HCA==mlx5_0\n");
    const Finding* const one = with(all, Verdict::conflict);
    return one ? one->judgement.level : Level::ok;
  };
  EXPECT_EQ(level("export NCCL_IB_DISABLE=1\n"), Level::warning);
  EXPECT_EQ(level("if x; then export NCCL_IB_DISABLE=0\nelse export NCCL_IB_DISABLE=1; fi\n"),
            Level::note);
  EXPECT_EQ(level("export NCCL_IB_DISABLE=1\nunset NCCL_IB_DISABLE\n"), Level::note);
  // Of two profiles one is applied.
  const auto profiles = [](const std::string& file, const std::string& line) {
    return tools::nccl::scripts::read_assignments(Kind::profile, "[env]\n" + line + "\n", file)
        .value();
  };
  auto two = profiles("a.toml", "NCCL_IB_DISABLE = 1");
  two.push_back(profiles("b.toml", "NCCL_IB_TIMEOUT = 22")[0]);
  EXPECT_FALSE(with(lint({&catalog(), version("2.21.5")}, two), Verdict::conflict));
  // Two scripts are two jobs.
  auto both = tools::nccl::scripts::read_shell("export NCCL_IB_DISABLE=1\n", "a.sh");
  for (const Assignment& one :
       tools::nccl::scripts::read_shell("export NCCL_IB_HCA==mlx5_0\n", "b.sh"))
    both.push_back(one);
  EXPECT_FALSE(with(lint({&catalog(), version("2.21.5")}, both), Verdict::conflict));
}

/// As in health checks that try one transport after the other (aws-samples/awsome-distributed-
/// training: checks/5-nccl-allreduce.sh).
TEST(NcclLint, CommandsDoNotMeet) {
  const auto conflicts = [](const std::string& text) {
    std::string names;
    for (const Finding& one :
         lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh")))
      if (one.judgement.verdict == Verdict::conflict) names += one.set.name + " ";
    return names;
  };
  EXPECT_EQ(conflicts("NCCL_P2P_LEVEL=NVL x\nNCCL_P2P_DISABLE=1 y\n"), "");
  EXPECT_EQ(conflicts("NCCL_P2P_LEVEL=NVL NCCL_P2P_DISABLE=1 x\n"), "NCCL_P2P_LEVEL ");
  EXPECT_EQ(conflicts("export NCCL_P2P_DISABLE=1\nNCCL_P2P_LEVEL=NVL x\n"), "NCCL_P2P_LEVEL ");
  EXPECT_EQ(conflicts("export NCCL_P2P_LEVEL=NVL\nNCCL_P2P_DISABLE=1 x\n"), "NCCL_P2P_LEVEL ");
  EXPECT_EQ(conflicts("export NCCL_P2P_DISABLE=1\nNCCL_P2P_DISABLE=0 NCCL_P2P_LEVEL=NVL x\n"), "");
  EXPECT_EQ(conflicts("mpirun -x NCCL_IB_DISABLE=1 x\nmpirun -x NCCL_IB_HCA==mlx5_0 \\\n"
                      " -x NCCL_IB_TC=136 y\n"),
            "");
}

/// One run of a script has one of the branches.
TEST(NcclLint, BranchesDoNotMeet) {
  const auto verdicts = [](const std::string& text) {
    std::string found;
    for (const Finding& one :
         lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh")))
      if (one.judgement.verdict == Verdict::conflict || one.judgement.verdict == Verdict::defeated)
        found += cat(one.set.name, " ");
    return found;
  };
  const std::string off = "export NCCL_IB_DISABLE=1\n";
  const std::string tc = "export NCCL_IB_TC=136\n";
  EXPECT_EQ(verdicts("if a; then\n" + off + "elif b; then\n" + tc + "else\n" + tc + "fi\n"), "");
  EXPECT_EQ(verdicts("if a; then\n" + off + "fi\nif b; then\n" + tc + "fi\n"), "NCCL_IB_TC ");
  EXPECT_EQ(verdicts("if a; then\n" + off + "if b; then\n" + tc + "fi\nfi\n"), "NCCL_IB_TC ");
  EXPECT_EQ(verdicts(off + "if a; then\n" + tc + "fi\n"), "NCCL_IB_TC ");
  const auto level = [](int value) { return cat("export NCCL_IB_TC=", value, "\n"); };
  EXPECT_EQ(verdicts("if a; then\n" + level(1) + "else\n" + level(2) + "fi\n"), "");
  EXPECT_EQ(verdicts("if a; then\n" + level(1) + "fi\n" + level(2)), "NCCL_IB_TC ");
  const std::string bounds[] = {"export NCCL_MIN_NCHANNELS=8\n", "export NCCL_MAX_NCHANNELS=4\n"};
  EXPECT_EQ(verdicts("if a; then\n" + bounds[0] + "else\n" + bounds[1] + "fi\n"), "");
  EXPECT_EQ(verdicts(bounds[0] + "if a; then\n" + bounds[1] + "fi\n"), "NCCL_MIN_NCHANNELS ");
  EXPECT_EQ(
      verdicts("if a; then\n" + bounds[0] + bounds[1] + "else\nexport NCCL_MAX_NCHANNELS=2\nfi\n"),
      "NCCL_MIN_NCHANNELS ");
  EXPECT_EQ(verdicts("if a; then\n" + level(1) + "else\n" + level(2) + "fi\n" + level(3)),
            "NCCL_IB_TC NCCL_IB_TC ");
  // In a loop or a function both may run.
  const std::string either = "if a; then\n" + off + "else\n" + tc + "fi\n";
  EXPECT_EQ(verdicts("while b; do\n" + either + "done\n"), "NCCL_IB_TC ");
  EXPECT_EQ(verdicts("f() {\n" + either + "}\nf\nf\n"), "NCCL_IB_TC ");
  // Two files of a node are two; two parts of one are not.
  const auto conf = [](const std::string& text) {
    return "cat >> /etc/nccl.conf << E\n" + text + "E\n";
  };
  EXPECT_EQ(verdicts(conf("NCCL_MAX_NCHANNELS=2\n") + conf("NCCL_MIN_NCHANNELS=8\n")),
            "NCCL_MIN_NCHANNELS ");
  EXPECT_EQ(verdicts("if a; then\n" + conf("NCCL_IB_TC=1\n") + "else\n" + conf("NCCL_IB_TC=2\n") +
                     "fi\n"),
            "");
  // Two containers.
  EXPECT_EQ(verdicts("docker run -e NCCL_IB_TC=1 x\ndocker run -e NCCL_IB_TC=2 y\n"), "");
}

/// What sets a name to itself keeps what was set before.
TEST(NcclLint, ANameThatIsPassedOn) {
  const auto defeated = [](const std::string& text) {
    return with(lint({&catalog(), version("2.21.5")},
                     tools::nccl::scripts::read_shell(text, "job.sh")),
                Verdict::defeated) != nullptr;
  };
  const std::string set = "export NCCL_IB_TC=136\n";
  for (const char* const again : {"$NCCL_IB_TC", "\"${NCCL_IB_TC}\"", "${NCCL_IB_TC:-106}"}) {
    EXPECT_FALSE(defeated(cat(set, "docker run -e NCCL_IB_TC=", again, " x\n"))) << again;
    EXPECT_FALSE(defeated(cat("NCCL_IB_TC=136\nexport NCCL_IB_TC=", again, "\n"))) << again;
  }
  EXPECT_TRUE(defeated(set + "docker run -e NCCL_IB_TC=106 x\n"));
  EXPECT_TRUE(defeated(set + "docker run -e NCCL_IB_TC=$NCCL_IB_TC -e NCCL_IB_TC=106 x\n"));
  EXPECT_TRUE(defeated(set + "export NCCL_IB_TC=$OTHER\n"));
  EXPECT_TRUE(defeated(set + "export NCCL_IB_TC=${NCCL_IB_TC:-106},2\n"));
}

/// OPTIONS="..." that mpirun gets later. What may be a message or a pattern sets nothing.
TEST(NcclLint, SettingsInAText) {
  const auto names = [](const std::string& text) {
    std::string found;
    for (const Assignment& one : tools::nccl::scripts::read_shell(text, "job.sh"))
      if (one.name.starts_with("NCCL_")) found += cat(one.name, ":", one.line, " ");
    return found;
  };
  EXPECT_EQ(names("OPTIONS=\"--mca btl ^openib -x NCCL_IB_TC=136 \\\n -x NCCL_DEBUG=WARN\"\nmpirun "
                  "$OPTIONS x\n"),
            "NCCL_IB_TC:1 NCCL_DEBUG:1 ");
  EXPECT_EQ(
      names("O=\"-x NCCL_IB_TC=136\"\nO+=\" -x NCCL_ALGO=Ring\"\nO=\"$O -x NCCL_DEBUG=WARN\"\n"
            "export P=\"${MPI_OPTS} -x NCCL_PROTO=LL\"\n"),
      "NCCL_IB_TC:1 NCCL_ALGO:2 NCCL_DEBUG:3 NCCL_PROTO:4 ");
  EXPECT_EQ(names("O=\"-x NCCL_IB_TC=$((1 << 2)) -x NCCL_DEBUG=WARN\"\n"),
            "NCCL_IB_TC:1 NCCL_DEBUG:1 ");
  for (const char* const text :
       {"export HELP=\"$0 -x NCCL_DEBUG=TRAC shows more\"\n",
        "local U=\"$0 -v -x NCCL_ALGO=NAME\"\n", "export USAGE=\"$PROG -x NCCL_DEBUG=LEVEL\"\n",
        "RUN='NCCL_DEBUG=WARN python t.py'\n", "E='NCCL_IB_TC=106 NCCL_ALGO=Ring'\nenv $E x\n",
        "M='set NCCL_DEBUG=INFO to see more'\n", "HELP='NCCL_DEBUG=TRAC shows more'\n",
        "P='-e NCCL_IB_HCA=.*mlx5_[0-9]*'\n", "U='-x NCCL_DEBUG=LEVEL  the level of messages'\n"})
    EXPECT_EQ(names(text), "") << text;
}

/// A variable of the script that has one literal value may still have it.
TEST(NcclLint, ConstantsOfAScript) {
  const auto verdict = [](const std::string& text) {
    const auto found =
        lint({&catalog(), version("2.28.9")}, tools::nccl::scripts::read_shell(text, "job.sh"));
    EXPECT_TRUE(std::ranges::all_of(found, [](const Finding& one) {
      return one.judgement.level <= Level::note;
    })) << told(found);
    const Finding* const misread = with(found, Verdict::misread);
    return misread ? misread->judgement.why.substr(0, misread->judgement.why.find(':'))
                   : std::string(with(found, Verdict::unsettled) ? "unsettled" : "settled");
  };
  const std::string use = "mpirun -x NCCL_ALGO=${ALGO} x\n";
  EXPECT_EQ(verdict("ALGO=-1\n" + use), "if it is still -1 (ALGO, line 1)");
  EXPECT_EQ(verdict("ALGO=Ring\n" + use), "unsettled");
  EXPECT_EQ(verdict("ALGO='-1'  # all\nexport NCCL_ALGO=$ALGO\necho \"$ALGO ${ALGO}\"\n"),
            "if it is still -1 (ALGO, line 1)");
  EXPECT_EQ(verdict("ALGO=-1\necho $MY_ALGO ALGOS\n" + use), "if it is still -1 (ALGO, line 1)");
  for (const char* const text :
       {"ALGO=${1:-Ring}\n", "if [ $# = 1 ]; then\n ALGO=-1\nfi\n", "ALGO=-1\nALGO=Ring\n",
        "ALGO=-1\nfor ALGO in Ring Tree; do :; done\n", "ALGO=-1\nread ALGO\n",
        "ALGO=-1\nexport ALGO\n", "f() { ALGO=-1; }\n", "ALGO=-1 ./x\n",
        "ALGO=-1\n: ${ALGO:=Ring}\n", "ALGO+=-1\n", "ALGO=(-1 -2)\n", "ALGO=\n"})
    EXPECT_EQ(verdict(text + use), "unsettled") << text;
  EXPECT_EQ(verdict(use + "ALGO=-1\n"), "unsettled");
  EXPECT_EQ(verdict("ALGO=-1\nmpirun -x NCCL_ALGO=$ALGO,Ring x\n"), "unsettled");
}

/// The environment may have another value than the default that the script writes out.
TEST(NcclLint, DefaultsOfAScript) {
  const auto told_of = [](const std::string& text) {
    return told(
        lint({&catalog(), version("2.28.9")}, tools::nccl::scripts::read_shell(text, "job.sh")));
  };
  const auto has = [&](const std::string& text, const std::string& part) {
    return told_of(text).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has("export NCCL_IB_HCA=\"${NCCL_IB_HCA:-=mlx5_1,=mlx5_2}\"\n",
                  "if it is still =mlx5_1,=mlx5_2 (the default of NCCL_IB_HCA)"));
  EXPECT_TRUE(has("export NCCL_ALGO=${ALGO-Rong}\n", "if it is still Rong (the default of ALGO)"));
  EXPECT_TRUE(has("export NCCL_SOCKET_IFNAME=${IF:-eth0}\n",
                  "known only when it runs; eth0 (the default of IF) if nothing else sets it"));
  EXPECT_TRUE(has("export IF=eth0\nexport NCCL_SOCKET_IFNAME=$IF\n", "eth0 (IF, line 1)"));
  for (const char* const text :
       {"ALGO=Ring\nexport NCCL_ALGO=${ALGO:-Rong}\n",
        ": ${ALGO:=Ring}\nexport NCCL_ALGO=${ALGO:-Rong}\n",
        "for ALGO in Ring Tree; do\nexport NCCL_ALGO=${ALGO:-Rong}\ndone\n",
        "ALGO=Tree; export NCCL_ALGO=${ALGO:-Rong}\n",
        "ARG ALGO=Ring\nexport NCCL_ALGO=${ALGO:-Rong}\n", "export NCCL_ALGO=${ALGO:-$OTHER}\n",
        "export NCCL_ALGO=${ALGO:-}\n", "export NCCL_ALGO=${ALGO:-Rong},Ring\n"})
    EXPECT_FALSE(has(text, "the default of")) << text << told_of(text);
}

/// A command in a variable, which the script runs later.
TEST(NcclLint, ACommandInAVariable) {
  const auto names = [](const std::string& text) {
    std::string all;
    for (const Finding& one :
         lint({&catalog(), version("2.28.9")}, tools::nccl::scripts::read_shell(text, "job.sh")))
      all += cat(one.set.name, ":", one.set.line, " ");
    return all;
  };
  const std::string cmd = "cmd=\"${MPI} -np 8 \\\n -x PATH \\\n -x NCCL_DEBUG=DEBUG \\\n ./a 4\"\n";
  EXPECT_EQ(names(cmd + "eval ${cmd}\n"), "NCCL_DEBUG:1 ");
  EXPECT_EQ(names(cmd + "$cmd\n"), "NCCL_DEBUG:1 ");
  EXPECT_EQ(names(cmd + "$cmd\neval $cmd\n"), "NCCL_DEBUG:1 ");
  for (const char* const use :
       {"", "echo $cmd\n", "eval $other\n", "eval $cmd $more\n", "cmd=\neval $cmd\n",
        "read cmd\neval $cmd\n", "for cmd in a b; do $cmd; done\n",
        "cmd=\"x -x NCCL_DEBUG=INFO a\"\n$cmd\n", "cmd+=\" NCCL_ALGO=Ring\"\n$cmd\n"})
    EXPECT_EQ(names(cmd + use), "") << use;
  // A shell assigns nothing there, and an eval of export is for what stands below.
  for (const char* const text :
       {"C=\"NCCL_IB_DISABLE=true ./a\"\n$C\n", "C=\"export NCCL_IB_DISABLE=0\"\neval $C\n",
        "if x; then\nC=\"mpirun -x NCCL_DEBUG=INFO ./a 4\"\nfi\neval $C\n"})
    EXPECT_EQ(names(text), "") << text;
}

TEST(NcclLint, WhatYieldsToAVariableThatIsSet) {
  const auto found = [](const std::string& text) {
    std::string all;
    for (const Assignment& one :
         tools::nccl::scripts::read_shell(text + "export NCCL_DEBUG\n", "job.sh"))
      all += cat(one.name, "=", one.value, one.if_unset ? "?" : "", one.conditional ? "c" : "",
                 one.exported ? "" : " not exported");
    return all;
  };
  EXPECT_EQ(found("[ -n \"${NCCL_DEBUG+x}\" ] || NCCL_DEBUG=INFO\n"), "NCCL_DEBUG=INFO?");
  EXPECT_EQ(found("[ -z \"${NCCL_DEBUG+x}\" ] && NCCL_DEBUG=INFO\n"), "NCCL_DEBUG=INFO?");
  for (const char* const test :
       {"[ -n \"${NCCL_DEBUG+x}\" ] &&", "[ -z \"${NCCL_DEBUG+x}\" ] ||",
        "[ -n \"${NCCL_ALGO+x}\" ] ||", "[ -n \"${NCCL_DEBUG-}\" ] ||",
        "! [ -n \"${NCCL_DEBUG+x}\" ] ||", "a && [ -n \"${NCCL_DEBUG+x}\" ] ||"})
    EXPECT_EQ(found(cat(test, " NCCL_DEBUG=INFO\n")), "NCCL_DEBUG=INFOc") << test;
}

TEST(NcclLint, LinesOfPython) {
  const auto found = [](const std::string& text) {
    std::vector<tools::nccl::scripts::Unread> unread;
    std::string all;
    const char* const file = text.starts_with("python") ? "job.sh" : "serve.py";
    for (const Assignment& one : tools::nccl::scripts::read_shell(text, file, &unread))
      if (one.name.starts_with("NCCL_"))
        all += cat(one.line, ":", one.name, "=", one.computed ? "!" : one.value,
                   one.if_unset ? "?" : "", one.conditional ? "c" : "", " ");
    return cat(all, unread.size());
  };
  EXPECT_EQ(found("import os\nos.environ[\"NCCL_IB_DISABLE\"] = \"True\"  # off\n"),
            "2:NCCL_IB_DISABLE=True 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG']='INFO'\n"), "1:NCCL_DEBUG=INFO 0");
  EXPECT_EQ(found("    environ.setdefault(\"NCCL_DEBUG\", 'WARN')\n"), "1:NCCL_DEBUG=WARN?c 0");
  EXPECT_EQ(found("os.putenv('NCCL_MIN_CTAS', str(4));\n"), "1:NCCL_MIN_CTAS=4 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = level\n"), "1:NCCL_DEBUG=! 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = 'a' + b\n"), "1:NCCL_DEBUG=! 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = f'{level}'\n"), "1:NCCL_DEBUG=! 0");
  EXPECT_EQ(found("python - <<'EOF'\nimport os\nos.environ['NCCL_DEBUG'] = 'INFO'\nEOF\n"),
            "3:NCCL_DEBUG=INFO 0");
  for (const char* const text :
       {"os.environ['NCCL_DEBUG'] == 'INFO'\n", "x = os.environ['NCCL_DEBUG']\n",
        "os.environ[name] = 'NCCL_DEBUG'\n", "os.environ['NCCL_DEBUG', 1] = 'x'\n",
        "del os.environ['NCCL_DEBUG']\n"})
    EXPECT_EQ(found(text).find("NCCL_"), std::string::npos) << text << found(text);
  // Two statements, texts, and what a shell expands.
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = 'INFO'; os.environ['NCCL_ALGO'] = 'Ring'\n"),
            "1:NCCL_DEBUG=INFO 1:NCCL_ALGO=Ring 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = 'INFO'; f(os.environ['NCCL_ALGO'])\n"),
            "1:NCCL_DEBUG=INFO 1");
  EXPECT_EQ(found("\"\"\"Usage:\nos.environ['NCCL_DEBUG'] = 'x'\n\"\"\"\n"), "0");
  EXPECT_EQ(found("os.putenv('NCCL_MIN_CTAS', str(4-2))\n"), "1:NCCL_MIN_CTAS=! 0");
  EXPECT_EQ(found("python3 - <<EOF\nos.environ['NCCL_DEBUG'] = '$LEVEL'\nEOF\n"),
            "2:NCCL_DEBUG=! 0");
  const auto of_script = tools::nccl::scripts::read_shell(
      "cat <<'EOF' > x.py\nos.environ['NCCL_DEBUG'] = 'x'\nEOF\n"
      ": <<'EOF'\nos.environ['NCCL_DEBUG'] = 'x'\nEOF\n",
      "job.sh");
  EXPECT_TRUE(of_script.empty());
  const auto judged = lint(
      {&catalog(), version("2.28.9")},
      tools::nccl::scripts::read_shell("os.environ['NCCL_IB_DISABLE'] = 'True'\n", "serve.py"));
  ASSERT_TRUE(with(judged, Verdict::misread)) << told(judged);
  EXPECT_EQ(with(judged, Verdict::misread)->judgement.level, Level::error);
}

TEST(NcclLint, NamesThatNothingHas) {
  const auto level = [](const std::string& text) {
    Level most = Level::ok;
    for (const Finding& one :
         lint({&catalog(), version("2.28.9")}, tools::nccl::scripts::read_shell(text, "job.sh")))
      most = std::max(most, one.judgement.level);
    return most;
  };
  for (const char* const text : {"export NCCL_NET=TCP\n", "export NCCL_NET=rdma\n",
                                 "export NCCL_NET=RoCEv2\n", "export NCCL_IB_HCA=mx5_0,mlx5_2\n",
                                 "export NCCL_IB_HCA=mlx_0\n", "export NCCL_IB_HCA=ib0\n"})
    EXPECT_EQ(level(text), Level::warning) << text;
  for (const char* const text :
       {"export NCCL_NET=Socket\n", "export NCCL_NET=AWS\n", "export NCCL_IB_HCA=mlx5_0,mlx5\n",
        "export NCCL_IB_HCA=mlx4_0\n", "export NCCL_IB_HCA=ib7s400p\n", "export NCCL_IB_HCA=mlx\n",
        "export NCCL_DEBUG=NONE\n", "export NCCL_DEBUG=off\n"})
    EXPECT_LE(level(text), Level::note) << text;
  EXPECT_EQ(level("export NCCL_DEBUG=ERROR\n"), Level::error);
}

TEST(NcclLint, WhatIsNotExportedOrComputed) {
  const auto of = [](const std::string& text) {
    return lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh"));
  };
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN\n"), Verdict::defeated));
  // bigscience's and NVIDIA's launchers hand the port on as an argument, uccl's its protocol.
  const auto level = [&](const std::string& text) {
    return with(of(text), Verdict::defeated)->judgement.level;
  };
  EXPECT_EQ(level("NCCL_DEBUG=WARN\n"), Level::warning);
  EXPECT_EQ(level("MASTER_PORT=6000\n"), Level::note);  // launchers make it from their options
  // A pattern of sed in a text of Python is no assignment (GoogleCloudPlatform/PerfKitBenchmarker).
  const auto python =
      lint({&catalog(), version("2.21.5")},
           tools::nccl::scripts::read_shell("vm.run(\n    'sudo sed -i \"s|NCCL_IB_TC=0|'\n"
                                            "    'NCCL_IB_TC=106|g\" '\n    '/lib/env.sh')\n",
                                            "tcpxo.py"));
  EXPECT_FALSE(python.empty());
  EXPECT_TRUE(std::ranges::none_of(python, [](const Finding& one) {
    return one.judgement.level >= Level::warning;
  })) << told(python);
  EXPECT_EQ(level("MASTER_PORT=6000\ntorchrun --master_port $MASTER_PORT x\n"), Level::note);
  EXPECT_EQ(level("NCCL_DEBUG=WARN\necho $NCCL_DEBUGS\n"), Level::warning);
  EXPECT_EQ(level("NCCL_DEBUG=WARN\nmpirun -x NCCL_DEBUG=${NCCL_DEBUG:-INFO} x\n"), Level::note);
  EXPECT_TRUE(with(of("NCCL_PROTO=-1\nmpirun -x NCCL_PROTO=${NCCL_PROTO} x\n"), Verdict::misread));
  EXPECT_FALSE(with(of("NCCL_DEBUG=WARN\nexport NCCL_DEBUG\n"), Verdict::defeated));
  EXPECT_FALSE(with(of("set -a\nNCCL_DEBUG=WARN\n"), Verdict::defeated));
  EXPECT_FALSE(with(of("NCCL_DEBUG=WARN python train.py\n"), Verdict::defeated));
  EXPECT_TRUE(with(of("export NCCL_IB_HCA=$HCAS\n"), Verdict::unsettled));
  EXPECT_TRUE(with(of("export NCCL_IB_HCA='$HCAS'\n"), Verdict::advice)) << "a literal dollar";
  const auto written = of("echo \"NCCL_IB_HCA=$HCAS\" >> /etc/nccl.conf\n");
  ASSERT_TRUE(with(written, Verdict::unsettled)) << told(written);
  EXPECT_EQ(with(written, Verdict::unsettled)->judgement.why.find("literally"), std::string::npos);
  EXPECT_TRUE(with(of("echo 'NCCL_IB_HCA=$HCAS' >> /etc/nccl.conf\n"), Verdict::misread));
}

TEST(NcclLint, EachReaderOfEnvFilesHasItsOwnWord) {
  const auto findings =
      lint({&catalog(), version("2.21.5")},
           tools::nccl::scripts::read_env_file("export NCCL_DEBUG=WARN\n", "job.env"));
  ASSERT_TRUE(with(findings, Verdict::unknown_name)) << told(findings);
  EXPECT_NE(with(findings, Verdict::unknown_name)->judgement.why.find("docker and podman reject"),
            std::string::npos);
  EXPECT_TRUE(with(
      lint({&catalog(), version("2.21.5")},
           tools::nccl::scripts::read_env_file("export NCCL_DEBUG=WARN # c\n", "/etc/environment")),
      Verdict::ok));
}

TEST(NcclLint, QuotesOfAConfFileArePartOfTheValue) {
  for (const char* const quoted : {"\"mlx5_0\"", "'mlx5_0'"}) {
    const auto findings =
        lint({&catalog(), version("2.21.5")},
             tools::nccl::scripts::read_conf(cat("NCCL_IB_HCA=", quoted, "\n"), "/etc/nccl.conf"));
    ASSERT_TRUE(with(findings, Verdict::misread)) << told(findings);
    EXPECT_EQ(with(findings, Verdict::misread)->judgement.why, "the quotes are part of the value");
    EXPECT_EQ(with(findings, Verdict::misread)->judgement.instead, "mlx5_0");
  }
}

/// Each of these is asked for its rivals among all others.
TEST(NcclLint, ManyLinesCostNoSquares) {
  const auto text_of = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
      text += cat("export NCCL_IB_TC=136\nexport NCCL_IB_DISABLE=", i % 2,
                  " NCCL_MIN_NCHANNELS=9 NCCL_MAX_NCHANNELS=8\nexport NCCL_NO_SUCH_NAME=1\n");
    return text;
  };
  const double grown = test::growth(500, 8, text_of, [](const std::string& text, int lines) {
    EXPECT_GE(
        lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh"))
            .size(),
        static_cast<std::size_t>(5 * lines));
  });
  EXPECT_LT(grown, 32) << "eight times as many lines";
  const auto commands_of = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
      text += cat("NCCL_IB_TC=136 x\nNCCL_IB_DISABLE=", i, " y\nexport NCCL_IB_DISABLE=", i, "\n");
    return text;
  };
  const double by_command =
      test::growth(500, 8, commands_of, [](const std::string& text, int lines) {
        EXPECT_GE(
            lint({&catalog(), version("2.21.5")}, tools::nccl::scripts::read_shell(text, "job.sh"))
                .size(),
            static_cast<std::size_t>(3 * lines));
      });
  EXPECT_LT(by_command, 32) << "eight times as many commands";
  // The branches of bash, and of csh, which ends them with another word.
  for (const char* const end : {"fi", "endif"}) {
    const auto branches_of = [&](int lines) {
      std::string text;
      for (int i = 0; i < lines; ++i)
        text +=
            cat("if x; then\nexport NCCL_IB_TC=136\nelse\nexport NCCL_MIN_NCHANNELS=9 "
                "NCCL_MAX_NCHANNELS=8\n",
                end, "\nNCCL_IB_DISABLE=1 y\n");
      return text;
    };
    const double by_branch =
        test::growth(300, 8, branches_of, [](const std::string& text, int lines) {
          EXPECT_GE(lint({&catalog(), version("2.21.5")},
                         tools::nccl::scripts::read_shell(text, "job.sh"))
                        .size(),
                    static_cast<std::size_t>(3 * lines));
        });
    EXPECT_LT(by_branch, 32) << end;
  }
}

TEST(NcclLint, OnInfiniBandAndOnRoce) {
  facts::Facts ib;
  ib.rdma = {hca("mlx5_0", "InfiniBand")};
  facts::Facts roce;
  roce.rdma = {hca("mlx5_0", "Ethernet")};
  const auto wrong_link = [](const std::string& text, const std::string& release,
                             const facts::Facts& node) {
    return with(judged(text, release, &node), Verdict::not_on_this_link) != nullptr;
  };
  for (const char* const text :
       {"NCCL_IB_TC=136", "NCCL_IB_ROCE_VERSION_NUM=2", "NCCL_IB_ADDR_FAMILY=AF_INET"}) {
    EXPECT_TRUE(wrong_link(text, "2.22.3", ib)) << text;
    EXPECT_FALSE(wrong_link(text, "2.22.3", roce)) << text;
  }
  EXPECT_TRUE(wrong_link("NCCL_IB_GID_INDEX=0", "2.22.3", ib));
  EXPECT_FALSE(wrong_link("NCCL_IB_GID_INDEX=0", "2.21.5", ib));
  EXPECT_TRUE(wrong_link("NCCL_IB_ROUTABLE_FLID_GID_INDEX=1", "2.22.3", roce));
  EXPECT_FALSE(wrong_link("NCCL_IB_SL=1", "2.22.3", roce));
}

TEST(NcclLint, WhatTheNodeHasNot) {
  facts::Facts node;
  node.rdma = {hca("mlx5_0", "Ethernet"), hca("mlx5_1", "Ethernet"), hca("mlx5_10", "Ethernet")};
  node.net = {interface("ens1"), interface("docker0"), interface("lo")};
  const auto objection = [&](const std::string& text) -> std::string {
    const auto findings = judged(text, "2.21.5", &node);
    const Finding* const finding = with(findings, Verdict::not_on_this_node);
    return finding ? finding->judgement.why + " | " + finding->judgement.instead : "";
  };
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=eth0").find("no socket interface found"),
            std::string::npos);
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=eth0").find("ens1"), std::string::npos);
  // What a plugin reads does not keep NCCL from starting.
  EXPECT_NE(objection("NCCL_FASTRAK_IFNAME=eth0"), "");
  EXPECT_EQ(objection("NCCL_FASTRAK_IFNAME=eth0").find("init fails"), std::string::npos);
  EXPECT_EQ(objection("NCCL_SOCKET_IFNAME=ens"), "");
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME==ens"), "");
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=ens1,ens9").find("ens9"), std::string::npos);
  EXPECT_EQ(objection("NCCL_SOCKET_IFNAME=^docker,lo"), "");
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=^ens,docker,lo"), "");
  EXPECT_EQ(objection("NCCL_IB_HCA=mlx5_0"), "");
  EXPECT_NE(objection("NCCL_IB_HCA=mlx5_1").find("mlx5_10"), std::string::npos);
  EXPECT_EQ(objection("NCCL_IB_HCA==mlx5_1"), "");
  EXPECT_EQ(objection("NCCL_IB_HCA==mlx5_1:1"), "");
  EXPECT_NE(objection("NCCL_IB_HCA==mlx5_1:2").find("sockets"), std::string::npos);
  EXPECT_NE(objection("NCCL_IB_HCA=mlx4_0").find("mlx5_0:1"), std::string::npos);
  EXPECT_EQ(objection("NCCL_IB_GID_INDEX=3"), "");
  EXPECT_NE(objection("NCCL_IB_GID_INDEX=0").find("v1"), std::string::npos);
  EXPECT_NE(objection("NCCL_IB_GID_INDEX=5").find("no GID 5"), std::string::npos);
  EXPECT_NE(objection("NCCL_IB_HCA=^mlx5_1").find("| ^=mlx5_1"), std::string::npos);
  // Of ports that NCCL_IB_HCA leaves out nothing is asked, and what is not recorded is not absent.
  node.rdma[1].ports[0].gids.clear();
  EXPECT_EQ(objection("NCCL_IB_HCA==mlx5_1 NCCL_IB_GID_INDEX=5"), "");
  EXPECT_NE(objection("NCCL_IB_HCA==mlx5_0 NCCL_IB_GID_INDEX=5").find("mlx5_0:1 has no GID 5"),
            std::string::npos);
  EXPECT_TRUE(
      with(judged("NCCL_IB_HCA==mlx5_1 NCCL_IB_GID_INDEX=5", "2.21.5", &node), Verdict::unsettled));
  EXPECT_TRUE(
      with(judged("NCCL_IB_HCA=$X NCCL_IB_GID_INDEX=5", "2.21.5", &node), Verdict::unsettled));
  EXPECT_EQ(objection("NCCL_IB_HCA=$X NCCL_IB_GID_INDEX=5"), "");
  node.rdma[0].ports[0].state = "DOWN";
  EXPECT_NE(objection("NCCL_IB_HCA==mlx5_0").find("ACTIVE"), std::string::npos);
  // A script may be for another node; nccl.conf is not.
  const auto level = [&](std::vector<Assignment> set) {
    const auto findings = lint({&catalog(), version("2.21.5"), &node}, set);
    return with(findings, Verdict::not_on_this_node)->judgement.level;
  };
  EXPECT_EQ(level(tools::nccl::scripts::read_shell("export NCCL_SOCKET_IFNAME=eth0\n", "job.sh")),
            Level::warning);
  EXPECT_EQ(level(tools::nccl::scripts::read_conf("NCCL_SOCKET_IFNAME=eth0\n", "/etc/nccl.conf")),
            Level::error);
  const std::string image = "echo NCCL_SOCKET_IFNAME=eth0 >> /etc/nccl.conf\n";
  EXPECT_EQ(level(tools::nccl::scripts::read_shell(image, "image.sh")), Level::warning);
  // Where no job can run, a script is for others; a node that was recorded was meant.
  node.rdma.clear();
  EXPECT_EQ(level(tools::nccl::scripts::read_shell("export NCCL_SOCKET_IFNAME=eth0\n", "job.sh")),
            Level::warning);
  const auto here = [&] {
    const auto findings = judged("NCCL_SOCKET_IFNAME=eth0", "2.21.5", &node);
    return with(findings, Verdict::not_on_this_node)->judgement.level;
  };
  EXPECT_EQ(here(), Level::note);
  EXPECT_EQ(level(tools::nccl::scripts::read_conf("NCCL_SOCKET_IFNAME=eth0\n", "/etc/nccl.conf")),
            Level::error);
  node.gpus.resize(1);
  EXPECT_EQ(here(), Level::warning);
  // Of no node nothing is said.
  EXPECT_FALSE(with(judged("NCCL_SOCKET_IFNAME=eth0", "2.21.5"), Verdict::not_on_this_node));
}

/// The same rules as NCCL's matchIfList() and strtoll.
TEST(NcclValues, NumbersAndNames) {
  EXPECT_EQ(read_number("0,3,5,7").value, 0);
  EXPECT_EQ(read_number("0x10").value, 16);
  EXPECT_EQ(read_number(" +7 ").value, 7);
  EXPECT_EQ(read_number("-2").value, -2);
  EXPECT_EQ(read_number("").used, 0U);
  EXPECT_TRUE(read_number("-99999999999999999999").overflow);
  EXPECT_EQ(read_number(std::string("1\0002", 3)).value, 1) << "a C text ends at NUL";
  const NameList list = read_names("^=a,b:2,,:x");
  EXPECT_TRUE(list.exclude && list.exact);
  ASSERT_EQ(list.entries.size(), 2U);
  EXPECT_EQ(list.entries[1].port, 2);
  EXPECT_FALSE(list.takes("b", 2));
  EXPECT_TRUE(list.takes("b", 1));
  EXPECT_TRUE(read_names("").takes("any", 1));
}

}  // namespace
}  // namespace nettune::nccl
