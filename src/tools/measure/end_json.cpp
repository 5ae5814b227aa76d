// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/end_json.hpp"

#include "tools/measure/json_fields.hpp"

namespace nettune::tools::measure {
using fields::Json;

namespace {

Json rdma_json(const RdmaEnd& rdma) {
  return {{"device", rdma.device},
          {"port", rdma.port},
          {"link_layer", rdma.infiniband ? "InfiniBand" : "Ethernet"},
          {"state", rdma.state},
          {"rate", rdma.rate},
          {"gid", rdma.gid},
          {"gid_index", rdma.gid_index},
          {"traffic_class", rdma.traffic_class},
          {"service_level", rdma.service_level}};
}

RdmaEnd rdma_from(const Json& json) {
  RdmaEnd rdma;
  rdma.device = fields::text(json, "device");
  rdma.port = fields::known_int(json, "port").value_or(1);
  rdma.infiniband = fields::text(json, "link_layer") == "InfiniBand";
  rdma.state = fields::text(json, "state");
  rdma.rate = fields::text(json, "rate");
  rdma.gid = fields::text(json, "gid");
  rdma.gid_index = fields::known_int(json, "gid_index").value_or(0);
  rdma.traffic_class = fields::known_int(json, "traffic_class").value_or(0);
  rdma.service_level = fields::known_int(json, "service_level").value_or(0);
  return rdma;
}

Json gpu_json(const GpuEnd& gpu) {
  return {{"pci_address", gpu.pci_address},
          {"pci_gtps", fields::or_null(gpu.pci_gtps)},
          {"pci_lanes", fields::or_null(gpu.pci_lanes)}};
}

}  // namespace

Json to_json(const End& end) {
  return {{"host", end.host},
          {"interface", end.interface},
          {"address", end.address},
          {"kind", end.kind},
          {"speed_mbps", fields::or_null(end.speed_mbps)},
          {"mtu", fields::or_null(end.mtu)},
          {"pci_address", end.pci_address},
          {"pci_gtps", fields::or_null(end.pci_gtps)},
          {"pci_lanes", fields::or_null(end.pci_lanes)},
          {"numa_node", fields::or_null(end.numa_node)},
          {"carrier", fields::or_null(end.carrier)},
          {"tcp_rmem_max", end.receive_bytes > 0 ? Json(end.receive_bytes) : Json(nullptr)},
          {"tcp_wmem_max", end.send_bytes > 0 ? Json(end.send_bytes) : Json(nullptr)},
          {"rdma", end.rdma ? rdma_json(*end.rdma) : Json(nullptr)},
          {"gpu", end.gpu ? gpu_json(*end.gpu) : Json(nullptr)}};
}

End end_from(const Json& json) {
  End end;
  if (!json.is_object()) return end;
  end.host = fields::text(json, "host");
  end.interface = fields::text(json, "interface");
  end.address = fields::text(json, "address");
  end.kind = fields::text(json, "kind");
  end.speed_mbps = fields::known_int(json, "speed_mbps");
  end.mtu = fields::known_int(json, "mtu");
  end.pci_address = fields::text(json, "pci_address");
  end.pci_gtps = fields::known_number(json, "pci_gtps");
  end.pci_lanes = fields::known_int(json, "pci_lanes");
  end.numa_node = fields::known_int(json, "numa_node");
  end.carrier = fields::known_flag(json, "carrier");
  end.receive_bytes =
      static_cast<std::int64_t>(fields::known_number(json, "tcp_rmem_max").value_or(0));
  end.send_bytes =
      static_cast<std::int64_t>(fields::known_number(json, "tcp_wmem_max").value_or(0));
  if (const auto rdma = json.find("rdma"); rdma != json.end() && rdma->is_object())
    end.rdma = rdma_from(*rdma);
  if (const auto gpu = json.find("gpu"); gpu != json.end() && gpu->is_object())
    end.gpu = GpuEnd{fields::text(*gpu, "pci_address"), fields::known_number(*gpu, "pci_gtps"),
                     fields::known_int(*gpu, "pci_lanes")};
  return end;
}

}  // namespace nettune::tools::measure
