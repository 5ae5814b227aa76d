// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The ethtool operations. What which rule follows: habits.h. */
#include <linux/log2.h>

#include "testnic.h"

static void get_drvinfo(struct net_device* dev, struct ethtool_drvinfo* info) {
  const struct port* port = ((struct nic*)netdev_priv(dev))->port;

  strscpy(info->driver, port->model->driver, sizeof(info->driver));
  strscpy(info->fw_version, port->model->firmware, sizeof(info->fw_version));
  strscpy(info->bus_info, dev_name(dev->dev.parent), sizeof(info->bus_info));
}

static const struct {
  u32 speed;
  enum ethtool_link_mode_bit_indices mode;
} speeds[] = {
    {10000, ETHTOOL_LINK_MODE_10000baseCR_Full_BIT},
    {25000, ETHTOOL_LINK_MODE_25000baseCR_Full_BIT},
    {50000, ETHTOOL_LINK_MODE_50000baseCR_Full_BIT},
    {100000, ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT},
    {200000, ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT},
    {400000, ETHTOOL_LINK_MODE_400000baseCR8_Full_BIT},
};

static int get_link(struct net_device* dev, struct ethtool_link_ksettings* settings) {
  const struct port* port = ((struct nic*)netdev_priv(dev))->port;
  const struct firmware_state* firmware = &port->firmware;
  int i;

  ethtool_link_ksettings_zero_link_mode(settings, supported);
  ethtool_link_ksettings_zero_link_mode(settings, advertising);
  for (i = 0; i < ARRAY_SIZE(speeds); ++i) {
    if (speeds[i].speed > port->speed) continue;
    __set_bit(speeds[i].mode, settings->link_modes.supported);
    if (firmware->autoneg) __set_bit(speeds[i].mode, settings->link_modes.advertising);
  }
  ethtool_link_ksettings_add_link_mode(settings, supported, FIBRE);
  ethtool_link_ksettings_add_link_mode(settings, supported, Autoneg);
  ethtool_link_ksettings_add_link_mode(settings, supported, Pause);
  settings->base.port = PORT_DA;
  settings->base.autoneg = firmware->autoneg;
  settings->base.speed = netif_carrier_ok(dev) ? firmware->speed : SPEED_UNKNOWN;
  settings->base.duplex = netif_carrier_ok(dev) ? DUPLEX_FULL : DUPLEX_UNKNOWN;
  return 0;
}

/* What was advertised or, without negotiation, asked for: 0 where the port can do none of it. */
static u32 speed_of(const struct port* port, const struct ethtool_link_ksettings* settings) {
  u32 most = 0;
  int i;

  for (i = 0; i < ARRAY_SIZE(speeds); ++i) {
    bool wanted = settings->base.autoneg
                      ? test_bit(speeds[i].mode, settings->link_modes.advertising)
                      : settings->base.speed == speeds[i].speed;

    if (wanted && speeds[i].speed <= port->speed) most = speeds[i].speed;
  }
  return most;
}

/* mlx5e_ethtool_set_link_ksettings(): EINVAL for what the port cannot do, and what changes toggles
 * the link. */
static int set_link(struct net_device* dev, const struct ethtool_link_ksettings* settings) {
  struct port* port = ((struct nic*)netdev_priv(dev))->port;
  struct firmware_state* firmware = &port->firmware;
  u32 speed = speed_of(port, settings);
  struct set set;

  if (!set_begins(&set, dev, SET_LINK, "autoneg %u speed %u", settings->base.autoneg, speed))
    return set.error;
  if (!speed) return set_ends(&set, -EINVAL);
  if (set.clamp) speed = speeds[0].speed;
  firmware->autoneg = settings->base.autoneg;
  if (set.half) return set_ends(&set, set.error);
  if (firmware->speed != speed) port_bounce(port);
  firmware->speed = speed;
  return set_ends(&set, 0);
}

static void get_pause(struct net_device* dev, struct ethtool_pauseparam* pause) {
  struct nic* nic = netdev_priv(dev);
  const struct firmware_state* firmware = &nic->port->firmware;

  switch (habit(nic, HABIT_pause_rule)) {
    case MLX5:
      pause->autoneg = 0;
      break;
    case ICE:
      pause->autoneg = firmware->autoneg;
      if (firmware->pfc_en) return;
      break;
    default:
      pause->autoneg = firmware->autoneg_pause;
  }
  pause->rx_pause = firmware->rx_pause;
  pause->tx_pause = firmware->tx_pause;
}

static int apply_pause(struct nic* nic, const struct ethtool_pauseparam* pause,
                       const struct set* set) {
  struct firmware_state* firmware = &nic->port->firmware;

  switch (habit(nic, HABIT_pause_rule)) {
    case MLX5:
      if (pause->autoneg) return -EINVAL;
      break;
    case BNXT:
      if (pause->autoneg && !firmware->autoneg) return -EINVAL;
      break;
    case ICE:
      if (!!pause->autoneg != firmware->autoneg || firmware->pfc_en) return -EOPNOTSUPP;
      break;
  }
  firmware->autoneg_pause = pause->autoneg;
  firmware->rx_pause = pause->rx_pause;
  if (set->half) return set->error;
  firmware->tx_pause = set->clamp ? !pause->tx_pause : pause->tx_pause;
  return 0;
}

static int set_pause(struct net_device* dev, struct ethtool_pauseparam* pause) {
  struct set set;

  if (!set_begins(&set, dev, SET_PAUSE, "autoneg %u rx %u tx %u", pause->autoneg, pause->rx_pause,
                  pause->tx_pause))
    return set.error;
  return set_ends(&set, apply_pause(netdev_priv(dev), pause, &set));
}

static void get_rings(struct net_device* dev, struct ethtool_ringparam* rings,
                      struct kernel_ethtool_ringparam* more, struct netlink_ext_ack* extack) {
  struct nic* nic = netdev_priv(dev);

  rings->rx_max_pending = rings->tx_max_pending = nic->port->model->max_ring;
  rings->rx_pending = nic->rx_ring;
  rings->tx_pending = nic->tx_ring;
}

static u32 ring_size(const struct nic* nic, u32 wanted) {
  switch (habit(nic, HABIT_rings_rule)) {
    case MLX5:
      return roundup_pow_of_two(wanted);
    case ICE:
      return ALIGN(wanted, 32);
    default:
      return wanted;
  }
}

static int apply_rings(struct nic* nic, const struct ethtool_ringparam* rings,
                       const struct set* set) {
  const struct model* model = nic->port->model;
  u32 rx, tx;

  if (rings->tx_pending < model->min_ring || !rings->rx_pending) return -EINVAL;
  if (habit(nic, HABIT_rings_rule) == ICE && rings->rx_pending < model->min_ring) return -EINVAL;
  rx = ring_size(nic, rings->rx_pending);
  tx = ring_size(nic, rings->tx_pending);
  if (set->clamp) tx = tx > model->min_ring ? model->min_ring : model->max_ring;
  if (rx == nic->rx_ring && tx == nic->tx_ring) return 0;
  nic->rx_ring = rx;
  if (set->half) return set->error;
  nic->tx_ring = tx;
  port_reopen(nic);
  return 0;
}

static int set_rings(struct net_device* dev, struct ethtool_ringparam* rings,
                     struct kernel_ethtool_ringparam* more, struct netlink_ext_ack* extack) {
  struct set set;

  if (!set_begins(&set, dev, SET_RINGS, "rx %u tx %u", rings->rx_pending, rings->tx_pending))
    return set.error;
  return set_ends(&set, apply_rings(netdev_priv(dev), rings, &set));
}

static void get_channels(struct net_device* dev, struct ethtool_channels* channels) {
  channels->max_combined = CHANNELS;
  channels->combined_count = ((struct nic*)netdev_priv(dev))->channels;
}

static int apply_channels(struct nic* nic, u32 wanted, const struct set* set) {
  int error;

  if (habit(nic, HABIT_channels_busy)) return -EBUSY;
  if (!wanted) return -EINVAL;
  if (set->clamp) wanted = wanted > 1 ? wanted - 1 : 2;
  if (wanted == nic->channels) return 0;
  error = netif_set_real_num_tx_queues(nic->dev, wanted);
  if (!error && set->half) error = set->error;
  if (!error) error = netif_set_real_num_rx_queues(nic->dev, wanted);
  if (error) return error;
  nic->channels = wanted;
  port_reopen(nic);
  return 0;
}

static int set_channels(struct net_device* dev, struct ethtool_channels* channels) {
  struct set set;

  if (!set_begins(&set, dev, SET_CHANNELS, "combined %u", channels->combined_count))
    return set.error;
  return set_ends(&set, apply_channels(netdev_priv(dev), channels->combined_count, &set));
}

static const struct ethtool_coalesce first_coalesce = {.rx_coalesce_usecs = 8,
                                                       .rx_max_coalesced_frames = 128,
                                                       .tx_coalesce_usecs = 8,
                                                       .tx_max_coalesced_frames = 128,
                                                       .use_adaptive_rx_coalesce = 1,
                                                       .use_adaptive_tx_coalesce = 1};

static int get_coalesce(struct net_device* dev, struct ethtool_coalesce* coalesce,
                        struct kernel_ethtool_coalesce* more, struct netlink_ext_ack* extack) {
  *coalesce = ((struct nic*)netdev_priv(dev))->coalesce;
  coalesce->cmd = ETHTOOL_GCOALESCE;
  return 0;
}

static bool times_differ(const struct ethtool_coalesce* one, const struct ethtool_coalesce* other,
                         bool adaptive_only) {
  return ((!adaptive_only || one->use_adaptive_rx_coalesce) &&
          one->rx_coalesce_usecs != other->rx_coalesce_usecs) ||
         ((!adaptive_only || one->use_adaptive_tx_coalesce) &&
          one->tx_coalesce_usecs != other->tx_coalesce_usecs);
}

static void keep_rx_times(struct ethtool_coalesce* to, const struct ethtool_coalesce* from) {
  to->rx_coalesce_usecs = from->rx_coalesce_usecs;
  to->rx_max_coalesced_frames = from->rx_max_coalesced_frames;
}

static void keep_tx_times(struct ethtool_coalesce* to, const struct ethtool_coalesce* from) {
  to->tx_coalesce_usecs = from->tx_coalesce_usecs;
  to->tx_max_coalesced_frames = from->tx_max_coalesced_frames;
}

static int mlx5_coalesce(struct nic* nic, struct ethtool_coalesce* to) {
  const struct ethtool_coalesce* from = &nic->coalesce;
  bool changed = false;

  if (max(to->rx_coalesce_usecs, to->tx_coalesce_usecs) > 4095) return -ERANGE;
  if (max(to->rx_max_coalesced_frames, to->tx_max_coalesced_frames) > 65535) return -ERANGE;
  if (LATER_KERNEL && from->use_adaptive_rx_coalesce) keep_rx_times(to, from);
  if (LATER_KERNEL && from->use_adaptive_tx_coalesce) keep_tx_times(to, from);
  if (!to->use_adaptive_rx_coalesce != !from->use_adaptive_rx_coalesce) {
    keep_rx_times(to, &first_coalesce);
    changed = true;
  }
  if (!to->use_adaptive_tx_coalesce != !from->use_adaptive_tx_coalesce) {
    keep_tx_times(to, &first_coalesce);
    changed = true;
  }
  if (changed && !LATER_KERNEL) port_reopen(nic);
  return 0;
}

static int apply_coalesce(struct nic* nic, const struct ethtool_coalesce* wanted,
                          const struct set* set) {
  struct ethtool_coalesce to = *wanted;
  int error = 0;

  switch (habit(nic, HABIT_coalesce_rule)) {
    case MLX5:
      error = mlx5_coalesce(nic, &to);
      break;
    case BNXT:
      to.use_adaptive_tx_coalesce = 0;
      if (!to.use_adaptive_rx_coalesce && nic->coalesce.use_adaptive_rx_coalesce) {
        to = nic->coalesce;
        to.use_adaptive_rx_coalesce = 0;
      }
      break;
    case ICE:
      if (max(to.rx_coalesce_usecs, to.tx_coalesce_usecs) > 8160) error = -EINVAL;
      if (times_differ(&to, &nic->coalesce, true)) error = -EINVAL;
      break;
  }
  if (error) return error;
  if (set->clamp) ++to.rx_coalesce_usecs;
  /* The queues before the one that fails have theirs, and the first queue's are what is read. */
  nic->coalesce = to;
  return set->error;
}

static int set_coalesce(struct net_device* dev, struct ethtool_coalesce* coalesce,
                        struct kernel_ethtool_coalesce* more, struct netlink_ext_ack* extack) {
  struct set set;

  if (!set_begins(&set, dev, SET_COALESCE, "adaptive %u %u usecs %u %u frames %u %u",
                  coalesce->use_adaptive_rx_coalesce, coalesce->use_adaptive_tx_coalesce,
                  coalesce->rx_coalesce_usecs, coalesce->tx_coalesce_usecs,
                  coalesce->rx_max_coalesced_frames, coalesce->tx_max_coalesced_frames))
    return set.error;
  return set_ends(&set, apply_coalesce(netdev_priv(dev), coalesce, &set));
}

static int get_fec(struct net_device* dev, struct ethtool_fecparam* fec) {
  const struct firmware_state* firmware = &((struct nic*)netdev_priv(dev))->port->firmware;

  fec->fec = firmware->fec;
  fec->active_fec = firmware->fec == ETHTOOL_FEC_AUTO ? ETHTOOL_FEC_RS : firmware->fec;
  return 0;
}

/* mlx5e_set_fecparam(): one of them, and the link is toggled even where it was that one already. */
static int set_fec(struct net_device* dev, struct ethtool_fecparam* fec) {
  struct port* port = ((struct nic*)netdev_priv(dev))->port;
  u32 wanted = fec->fec;
  struct set set;

  if (!set_begins(&set, dev, SET_FEC, "0x%x", wanted)) return set.error;
  if (hweight32(wanted) != 1) return set_ends(&set, -EOPNOTSUPP);
  if (set.clamp) wanted = wanted == ETHTOOL_FEC_RS ? ETHTOOL_FEC_AUTO : ETHTOOL_FEC_RS;
  port->firmware.fec = wanted;
  if (set.half) return set_ends(&set, set.error);
  port_bounce(port);
  return set_ends(&set, 0);
}

static const char* const counter_names[] = {"rx_prio%d_packets", "rx_prio%d_bytes",
                                            "tx_prio%d_packets", "tx_prio%d_bytes"};
#define COUNTERS ARRAY_SIZE(counter_names)

static int flag_count(const struct model* model) { return !!model->flags[0] + !!model->flags[1]; }

static int get_count(struct net_device* dev, int what) {
  switch (what) {
    case ETH_SS_STATS:
      return PRIORITIES * COUNTERS;
    case ETH_SS_PRIV_FLAGS:
      return flag_count(((struct nic*)netdev_priv(dev))->port->model);
    default:
      return -EOPNOTSUPP;
  }
}

static void get_strings(struct net_device* dev, u32 what, u8* to) {
  const struct model* model = ((struct nic*)netdev_priv(dev))->port->model;
  int i;

  if (what == ETH_SS_STATS)
    for (i = 0; i < PRIORITIES * COUNTERS; ++i)
      snprintf((char*)to + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN, counter_names[i % COUNTERS],
               (int)(i / COUNTERS));
  else if (what == ETH_SS_PRIV_FLAGS)
    for (i = 0; i < flag_count(model); ++i)
      strscpy((char*)to + i * ETH_GSTRING_LEN, model->flags[i], ETH_GSTRING_LEN);
}

static void get_stats(struct net_device* dev, struct ethtool_stats* stats, u64* to) {
  struct nic* nic = netdev_priv(dev);
  int i;

  for (i = 0; i < PRIORITIES; ++i) {
    *to++ = atomic64_read(&nic->rx.packets[i]);
    *to++ = atomic64_read(&nic->rx.bytes[i]);
    *to++ = atomic64_read(&nic->tx.packets[i]);
    *to++ = atomic64_read(&nic->tx.bytes[i]);
  }
}

/* The second flag of ice says whether the firmware does DCBX, and is there as long as the mode is.
 */
#define ICE_AGENT BIT(1)

static u32 get_flags(struct net_device* dev) {
  const struct port* port = ((struct nic*)netdev_priv(dev))->port;
  bool agent = port->model == models + ICE && (port->firmware.dcbx & DCB_CAP_DCBX_LLD_MANAGED);

  return port->firmware.flags | (agent ? ICE_AGENT : 0);
}

/* ice/ice_ethtool.c ice_set_priv_flags(). */
static int switch_agent(struct port* port, bool on) {
  struct firmware_state* firmware = &port->firmware;

  if (on && firmware->trust == TRUST_DSCP) return -EOPNOTSUPP;
  firmware->dcbx &= ~(DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_HOST);
  firmware->dcbx |= on ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST;
  nvram_keep(port);
  return 0;
}

static int set_flags(struct net_device* dev, u32 flags) {
  struct port* port = ((struct nic*)netdev_priv(dev))->port;
  u32 changed = flags ^ get_flags(dev);
  struct set set;
  int error = 0;

  if (!set_begins(&set, dev, SET_FLAGS, "0x%x", flags)) return set.error;
  if (set.clamp) changed ^= BIT(0), flags ^= BIT(0);
  if (port->model == models + ICE) {
    if (changed & ICE_AGENT) error = switch_agent(port, flags & ICE_AGENT);
    flags &= ~ICE_AGENT;
  }
  if (!error) port->firmware.flags = flags;
  return set_ends(&set, error ? error : set.error);
}

void ethtool_operations(struct port* port) {
  u32 missing = port->missing;

  port->ethtool = (struct ethtool_ops){
      .supported_coalesce_params =
          ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_USE_ADAPTIVE |
          (port->habit[HABIT_coalesce_rule] == ICE ? 0 : ETHTOOL_COALESCE_MAX_FRAMES),
      .get_drvinfo = get_drvinfo,
      .get_link = ethtool_op_get_link,
      .get_link_ksettings = get_link,
      .set_link_ksettings = missing & BIT(SET_LINK) ? NULL : set_link,
      .get_pauseparam = missing & BIT(SET_PAUSE) ? NULL : get_pause,
      .set_pauseparam = missing & BIT(SET_PAUSE) ? NULL : set_pause,
      .get_ringparam = missing & BIT(SET_RINGS) ? NULL : get_rings,
      .set_ringparam = missing & BIT(SET_RINGS) ? NULL : set_rings,
      .get_channels = missing & BIT(SET_CHANNELS) ? NULL : get_channels,
      .set_channels = missing & BIT(SET_CHANNELS) ? NULL : set_channels,
      .get_coalesce = missing & BIT(SET_COALESCE) ? NULL : get_coalesce,
      .set_coalesce = missing & BIT(SET_COALESCE) ? NULL : set_coalesce,
      .get_fecparam = missing & BIT(SET_FEC) ? NULL : get_fec,
      .set_fecparam = missing & BIT(SET_FEC) ? NULL : set_fec,
      .get_priv_flags = missing & BIT(SET_FLAGS) ? NULL : get_flags,
      .set_priv_flags = missing & BIT(SET_FLAGS) ? NULL : set_flags,
      .get_sset_count = get_count,
      .get_strings = get_strings,
      .get_ethtool_stats = get_stats,
  };
}

void ethtool_probe(struct nic* nic) {
  const struct model* model = nic->port->model;

  nic->rx_ring = model->rx_ring;
  nic->tx_ring = model->tx_ring;
  nic->channels = 8;
  nic->coalesce = first_coalesce;
  if (habit(nic, HABIT_coalesce_rule) == BNXT) nic->coalesce.use_adaptive_tx_coalesce = 0;
}
