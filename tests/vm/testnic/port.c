// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Ports: what outlives the driver's part, the wire between two, and the link that comes and goes */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/dsfield.h>

#include "testnic.h"

static const u32 first_habits[][HABITS] = {
#define HABIT(name, plain, mlx5, bnxt, ice) [PLAIN][HABIT_##name] = plain,
#include "habits.h"
#undef HABIT
#define HABIT(name, plain, mlx5, bnxt, ice) [MLX5][HABIT_##name] = mlx5,
#include "habits.h"
#undef HABIT
#define HABIT(name, plain, mlx5, bnxt, ice) [BNXT][HABIT_##name] = bnxt,
#include "habits.h"
#undef HABIT
#define HABIT(name, plain, mlx5, bnxt, ice) [ICE][HABIT_##name] = ice,
#include "habits.h"
#undef HABIT
};

static struct port* ports;
static int count;

struct port* port_at(int index) {
  return index < count ? ports + index : NULL;
}
int port_count(void) { return count; }

static struct net_device* netdev_of(const struct port* port) {
  return rtnl_dereference(port->netdev);
}

static bool is_up(const struct port* port) {
  const struct net_device* dev = netdev_of(port);

  return dev && netif_running(dev) && port->cable && !port->bouncing;
}

/* There is a link when both ends are up. */
void port_update_carrier(struct port* port) {
  bool up = is_up(port) && is_up(port->peer);
  struct port* both[] = {port, port->peer};
  int i;

  for (i = 0; i < 2; ++i) {
    struct net_device* dev = netdev_of(both[i]);

    if (!dev) continue;
    if (up)
      netif_carrier_on(dev);
    else
      netif_carrier_off(dev);
  }
}

static void end_bounce(struct work_struct* work) {
  struct port* port = container_of(to_delayed_work(work), struct port, bounce);

  rtnl_lock();
  port->bouncing = false;
  port_update_carrier(port);
  rtnl_unlock();
}

/* See the habit bounce_ms. */
void port_bounce(struct port* port) {
  u32 ms = READ_ONCE(port->habit[HABIT_bounce_ms]);

  if (!ms) return;
  ++port->bounces;
  port->bouncing = true;
  port_update_carrier(port);
  mod_delayed_work(system_wq, &port->bounce, msecs_to_jiffies(ms));
}

/* See the habit reopens. */
void port_reopen(struct nic* nic) {
  if (!habit(nic, HABIT_reopens) || !netif_carrier_ok(nic->dev)) return;
  ++nic->port->reopens;
  netif_carrier_off(nic->dev);
  netif_carrier_on(nic->dev);
}

void port_reset_firmware(struct port* port) {
  struct firmware_state* firmware = &port->firmware;

  memset(firmware, 0, sizeof(*firmware));
  firmware->speed = port->speed;
  firmware->dcbx = dcb_first_mode(port);
  firmware->autoneg = true;
  firmware->rx_pause = firmware->tx_pause = true;
  firmware->fec = ETHTOOL_FEC_AUTO;
  dcb_default(port);
}

/* The priority that a frame belongs to for this port: of its DSCP where that is trusted, else of
 * its tag. */
u8 port_priority(const struct port* port, const struct sk_buff* skb) {
  const struct ethhdr* ethernet = (const struct ethhdr*)skb->data;
  __be16 protocol = ethernet->h_proto;
  int offset = ETH_HLEN;
  u8 tagged = 0;

  if (skb_vlan_tag_present(skb)) tagged = skb_vlan_tag_get_prio(skb);
  if (eth_type_vlan(protocol)) {
    struct vlan_hdr buffer;
    const struct vlan_hdr* tag = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);

    if (!tag) return 0;
    tagged = ntohs(tag->h_vlan_TCI) >> VLAN_PRIO_SHIFT;
    protocol = tag->h_vlan_encapsulated_proto;
    offset += VLAN_HLEN;
  }
  if (READ_ONCE(port->firmware.trust) == TRUST_DSCP) {
    if (protocol == htons(ETH_P_IP)) {
      struct iphdr buffer;
      const struct iphdr* ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);

      if (ip) return READ_ONCE(port->firmware.dscp2prio[ipv4_get_dsfield(ip) >> 2]);
    } else if (protocol == htons(ETH_P_IPV6)) {
      struct ipv6hdr buffer;
      const struct ipv6hdr* ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);

      if (ip) return READ_ONCE(port->firmware.dscp2prio[ipv6_get_dsfield(ip) >> 2]);
    }
  }
  return tagged;
}

static void fill_config(struct port* port) {
  u8* config = port->config;

  put_unaligned_le16(port->model->vendor, config + PCI_VENDOR_ID);
  put_unaligned_le16(port->model->device, config + PCI_DEVICE_ID);
  put_unaligned_le16(PCI_STATUS_CAP_LIST, config + PCI_STATUS);
  put_unaligned_le16(PCI_CLASS_NETWORK_ETHERNET, config + PCI_CLASS_DEVICE);
  put_unaligned_le16(port->model->vendor, config + PCI_SUBSYSTEM_VENDOR_ID);
  config[PCI_CAPABILITY_LIST] = 0x40;
  /* An endpoint of PCI Express: 512 bytes of payload and of a read request, 32 GT/s, 16 lanes. */
  config[0x40] = PCI_CAP_ID_EXP;
  put_unaligned_le16(2 | PCI_EXP_TYPE_ENDPOINT << 4, config + 0x40 + PCI_EXP_FLAGS);
  put_unaligned_le32(PCI_EXP_DEVCAP_RBER | 2, config + 0x40 + PCI_EXP_DEVCAP);
  put_unaligned_le16(PCI_EXP_DEVCTL_READRQ_512B, config + 0x40 + PCI_EXP_DEVCTL);
  put_unaligned_le32(PCI_EXP_LNKCAP_SLS_32_0GB | 16 << 4, config + 0x40 + PCI_EXP_LNKCAP);
  put_unaligned_le16(PCI_EXP_LNKSTA_CLS_32_0GB | 16 << PCI_EXP_LNKSTA_NLW_SHIFT,
                     config + 0x40 + PCI_EXP_LNKSTA);
  put_unaligned_le32(0x3e, config + 0x40 + PCI_EXP_LNKCAP2);
}

/* Of each pair, the model is the one of the list at its place, else the last. */
int ports_create(int pairs, char** names, int name_count, u32 speed) {
  int i;

  ports = kcalloc(pairs * 2, sizeof(*ports), GFP_KERNEL);
  if (!ports) return -ENOMEM;
  for (i = 0; i < pairs * 2; ++i) {
    struct port* port = ports + i;
    const char* name = name_count ? names[min(i / 2, name_count - 1)] : "mlx5";
    enum rule rule;

    for (rule = PLAIN; rule <= ICE && strcmp(models[rule].name, name); ++rule) {
    }
    if (rule > ICE) {
      pr_err("testnic: there is no model %s\n", name);
      return -EINVAL;
    }
    port->index = i;
    snprintf(port->name, sizeof(port->name), "tn%d", i);
    port->model = models + rule;
    port->peer = ports + (i ^ 1);
    port->mac[0] = 0x02;
    port->mac[1] = 0x7e;
    port->mac[2] = 0x57;
    port->mac[5] = i;
    memcpy(port->habit, first_habits[rule], sizeof(port->habit));
    port->missing = kinds_named(port->model->missing);
    port->cable = 1;
    INIT_DELAYED_WORK(&port->bounce, end_bounce);
    port->speed = speed;
    port_reset_firmware(port);
    nvram_take(port);
    fill_config(port);
  }
  count = pairs * 2;
  for (i = 0; i < count; ++i) control_add(ports + i);
  return 0;
}

void ports_destroy(void) {
  int i;

  for (i = 0; i < count; ++i) cancel_delayed_work_sync(&ports[i].bounce);
  kfree(ports);
}
