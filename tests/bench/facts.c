// SPDX-License-Identifier: Apache-2.0
//
// Writes what `nettune facts --json` prints on many nodes that are alike, about 30 kB each: 8 GPUs,
// 10 RoCE ports, 70 services. Some differ, as tests/bench/compare knows:
//
//     facts COUNT DIRECTORY
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { kGpus = 8, kPorts = 10, kServices = 70, kNameSize = 4096 };

/// Every number of a planted deviation is of one node in 10,000, or in fewer.
static int is_old_firmware(int i) { return i == 3 || (i >= 117 && i <= 127); }

static void node(FILE* out, int i) {
  fprintf(
      out,
      "{\n  \"schema\": 1,\n  \"kind\": \"facts\",\n  \"nettune\": \"0.1.0\",\n  \"node\": {\n"
      "    \"hostname\": \"gpu%05d\",\n    \"os_id\": \"debian\",\n    \"os_version\": \"12\",\n"
      "    \"kernel\": \"6.1.0-%d-amd64\",\n    \"architecture\": \"x86_64\",\n"
      "    \"machine_id\": \"%032x\",\n    \"boot_id\": \"%08x-1234-4abc-8def-%012x\",\n"
      "    \"cpus\": %d\n  },\n",
      i, i == 200 ? 38 : 37, i == 301 ? 300 : i, i, i, i == 500 ? 96 : 192);
}

static void port_of_net(FILE* out, int i, int k) {
  fprintf(out,
          "%s    {\n      \"name\": \"ens%df0np0\",\n      \"ifindex\": %d,\n"
          "      \"identity\": \"pci 0000:%02x:00.0 port 0\",\n      \"physical\": true,\n"
          "      \"driver\": \"mlx5_core\",\n      \"pci_address\": \"0000:%02x:00.0\",\n"
          "      \"pci_id\": \"15b3:1021\",\n      \"numa_node\": %d,\n"
          "      \"speed_mbps\": 400000,\n      \"max_speed_mbps\": 400000,\n      \"mtu\": %d,\n"
          "      \"min_mtu\": 68,\n      \"max_mtu\": 9978,\n      \"txqueuelen\": 1000,\n"
          "      \"mac\": \"b8:ce:f6:%02x:%02x:%02x\",\n"
          "      \"permanent_mac\": \"b8:ce:f6:%02x:%02x:%02x\",\n"
          "      \"operstate\": \"up\",\n      \"carrier\": true,\n"
          "      \"link_layer\": \"Ethernet\",\n      \"addresses\": [\n"
          "        \"10.%d.%d.%d/16\",\n        \"fe80::bace:f6ff:fe%02x:%02x%02x/64\"\n      ],\n"
          "      \"rdma_devices\": [\n        \"mlx5_%d\"\n      ],\n"
          "      \"default_route\": false,\n      \"protected_by\": []\n    }",
          k > 0 ? ",\n" : "", k, k + 2, 16 + k, 16 + k, k / 5, i == 6001 && k == 4 ? 1500 : 9000,
          i >> 8, i & 255, k, i >> 8, i & 255, k, k, (i == 901 && k == 2 ? 900 : i) >> 8,
          (i == 901 && k == 2 ? 900 : i) & 255, i >> 8, i & 255, k, k);
}

static void device(FILE* out, int i, int k) {
  const int is_slow = i == 7000 && k == 7;
  fprintf(
      out,
      "%s    {\n      \"name\": \"mlx5_%d\",\n"
      "      \"identity\": \"rdma pci 0000:%02x:00.0\",\n      \"driver\": \"mlx5_core\",\n"
      "      \"pci_address\": \"0000:%02x:00.0\",\n      \"pci_id\": \"15b3:1021\",\n"
      "      \"virtual_function\": false,\n      \"node_guid\": \"b8ce:f603:00%02x:%02x%02x\",\n"
      "      \"firmware\": \"%s\",\n      \"numa_node\": %d,\n      \"ports\": [\n        {\n"
      "          \"number\": 1,\n          \"link_layer\": \"Ethernet\",\n"
      "          \"state\": \"ACTIVE\",\n          \"physical_state\": \"LinkUp\",\n"
      "          \"rate\": \"%d Gb/sec (4X NDR)\",\n          \"rate_gbps\": %d.0,\n"
      "          \"netdev\": \"ens%df0np0\",\n          \"gids\": [\n",
      k > 0 ? ",\n" : "", k, 16 + k, 16 + k, i >> 8, i & 255, k,
      is_old_firmware(i) ? "28.36.1010" : "28.39.1002", k / 5, is_slow ? 200 : 400,
      is_slow ? 200 : 400, k);
  const int shift = i == 8000 && k == 0 ? 2 : 0;
  for (int g = 0; g < 4; ++g) {
    fprintf(out, "%s            {\n              \"index\": %d,\n", g > 0 ? ",\n" : "", g + shift);
    if (g < 2)
      fprintf(out, "              \"gid\": \"fe80:0000:0000:0000:bace:f6ff:fe%02x:%02x%02x\",\n",
              i >> 8, i & 255, k);
    else
      fprintf(out, "              \"gid\": \"0000:0000:0000:0000:0000:ffff:0a%02x:%02x%02x\",\n", k,
              i >> 8, i & 255);
    fprintf(
        out,
        "              \"type\": \"%s\",\n              \"netdev\": \"ens%df0np0\"\n            }",
        g % 2 ? "RoCE v2" : "IB/RoCE v1", k);
  }
  fprintf(out, "\n          ]\n        }\n      ]\n    }");
}

static void rest(FILE* out, int i) {
  fprintf(out, "\n  ],\n  \"gpus\": [\n");
  for (int g = 0, written = 0; g < kGpus; ++g) {
    if (i == 9999 && g == 3) continue;  // a GPU that fell off the bus
    fprintf(
        out,
        "%s    {\n      \"pci_address\": \"0000:%02x:00.0\",\n      \"pci_id\": \"10de:2330\",\n"
        "      \"driver\": \"nvidia\",\n      \"numa_node\": %d\n    }",
        written++ > 0 ? ",\n" : "", 80 + g, g / 4);
  }
  fprintf(out,
          "\n  ],\n  \"at_work\": [\n    {\n      \"what\": \"slurmd\",\n      \"pid\": %d\n    "
          "}\n  ],\n"
          "  \"firewall\": {\n    \"owner\": \"nftables\",\n    \"found_by\": \"%d rules\"\n  },\n"
          "  \"services\": [\n",
          1000 + i, i);
  for (int s = 0; s < kServices; ++s) fprintf(out, "    \"service-%d\",\n", s);
  fprintf(out, "    \"%s\"\n  ]\n}\n", i == 4321 ? "docker" : "ssh");
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s COUNT DIRECTORY\n", argv[0]);
    return 2;
  }
  const int count = atoi(argv[1]);
  mkdir(argv[2], 0755);
  for (int i = 0; i < count; ++i) {
    char name[kNameSize];
    snprintf(name, sizeof name, "%s/gpu%05d.json", argv[2], i);
    FILE* const out = fopen(name, "w");
    if (!out) {
      perror(name);
      return 1;
    }
    node(out, i);
    fprintf(out, "  \"net\": [\n");
    for (int k = 0; k < kPorts; ++k) port_of_net(out, i, k);
    fprintf(out, "\n  ],\n  \"rdma\": [\n");
    for (int k = 0; k < kPorts; ++k) device(out, i, k);
    rest(out, i);
    if (fclose(out) != 0) {
      perror(name);
      return 1;
    }
  }
  return 0;
}
