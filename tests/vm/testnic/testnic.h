/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A network card that is not there: ports on a PCI bus of their own, wired in pairs, with the dcbnl
 * and ethtool operations of a RoCE card. What is set, counted and made to fail by whom: README.md.
 */
#ifndef TESTNIC_H
#define TESTNIC_H

#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <net/dcbnl.h>

#define PRIORITIES 8
#define DSCPS 64
#define CHANNELS 16

/* Where drivers of Debian 12 (6.1) and 13 (6.12) differ, this one follows the kernel it runs in. */
#define LATER_KERNEL (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

enum kind {
#define KIND(name, text) SET_##name,
#include "kinds.h"
#undef KIND
  KINDS
};

enum habit {
#define HABIT(name, ...) HABIT_##name,
#include "habits.h"
#undef HABIT
  HABITS
};

enum rule { PLAIN, MLX5, BNXT, ICE };
enum trust { TRUST_PCP, TRUST_DSCP };

/* What a port is made as. */
struct model {
  const char* name;
  const char* driver;
  const char* firmware;
  u16 vendor, device;
  u32 max_mtu;
  u32 rx_ring, tx_ring, min_ring, max_ring;
  u8 versions; /* of DCBX */
  const char* missing;
  const char* flags[2];
};

/* What a card holds in its firmware: it outlives the driver. */
struct firmware_state {
  struct ieee_ets ets;
  struct ieee_maxrate rate;
  struct dcbnl_buffer buffer;
  u8 pfc_en;
  u8 trust;
  u8 dscp2prio[DSCPS];
  u8 dcbx;
  bool rx_pause, tx_pause, autoneg_pause;
  u32 fec, speed, flags;
  bool autoneg;
};

struct port {
  int index;
  char name[IFNAMSIZ];
  const struct model* model;
  struct port* peer;
  struct net_device __rcu* netdev;
  u8 config[256];
  u8 mac[ETH_ALEN];
  struct firmware_state firmware;
  u32 habit[HABITS];
  u64 sets[KINDS];
  u32 missing; /* a bit for each kind */
  u32 cable;
  u32 speed; /* the most it can, Mb/s */
  bool bouncing;
  u32 bounces, reopens;
  struct delayed_work bounce;
  struct dcbnl_rtnl_ops dcb;
  struct ethtool_ops ethtool;
};

struct counters {
  atomic64_t packets[PRIORITIES];
  atomic64_t bytes[PRIORITIES];
};

/* What a driver holds: gone with it. */
struct nic {
  struct net_device* dev;
  struct port* port;
  struct counters rx, tx;
  atomic64_t dropped;
  u32 rx_ring, tx_ring, channels;
  struct ethtool_coalesce coalesce;
  u16 cable_length;              /* mlx5 */
  bool manual_buffer;            /* mlx5 */
  struct ieee_pfc pfc;           /* bnxt: what was set */
  bool ets_known, pfc_known;     /* bnxt */
  int dscp_apps;                 /* mlx5 */
  DECLARE_BITMAP(mapped, DSCPS); /* ice */
};

static inline u32 habit(const struct nic* nic, enum habit which) {
  return READ_ONCE(nic->port->habit[which]);
}

/* One SET under way. */
struct set {
  struct port* port;
  enum kind kind;
  bool clamp, half;
  int error;
  int entry;
};

/* control.c */
bool set_begins(struct set* set, struct net_device* dev, enum kind kind, const char* format, ...)
    __printf(4, 5);
int set_ends(struct set* set, int error);
u32 kinds_named(const char* text);
void control_add(struct port* port);
int control_start(void);
void control_stop(void);

/* port.c */
int ports_create(int pairs, char** models, int count, u32 speed);
void ports_destroy(void);
struct port* port_at(int index);
int port_count(void);
void port_update_carrier(struct port* port);
void port_bounce(struct port* port);
void port_reopen(struct nic* nic);
void port_reset_firmware(struct port* port);
u8 port_priority(const struct port* port, const struct sk_buff* skb);

/* nvram.c */
void nvram_keep(const struct port* port);
void nvram_take(struct port* port);

/* card.c */
extern const struct model models[];
int cards_start(void);
void cards_stop(void);

/* netdev.c */
int netdev_create(struct port* port, struct device* parent);
void netdev_destroy(struct port* port);

/* dcb.c, dcb_app.c, ethtool.c */
void dcb_operations(struct port* port);
void dcb_default(struct port* port);
u8 dcb_first_mode(const struct port* port);
void dcb_probe(struct nic* nic);
void dcb_probe_app(struct nic* nic);
int dcb_may_set(struct nic* nic);
void dcb_reopen(struct nic* nic);
void dcb_default_ets(struct ieee_ets* ets, enum rule rule);
int app_set(struct net_device* dev, struct dcb_app* app);
int app_delete(struct net_device* dev, struct dcb_app* app);
void ethtool_operations(struct port* port);
void ethtool_probe(struct nic* nic);

#endif
