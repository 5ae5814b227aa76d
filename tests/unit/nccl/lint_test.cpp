// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "nccl/name_list.hpp"
#include "unit/nccl/fixture.hpp"

namespace nettune::nccl {
namespace {

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

}  // namespace
}  // namespace nettune::nccl
