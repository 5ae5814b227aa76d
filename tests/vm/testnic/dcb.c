// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* dcbnl: DCBX, ETS, PFC, rates and buffers. What which rule follows: habits.h. */
#include <linux/rtnetlink.h>

#include "testnic.h"

#define MLX5_DEFAULT_CABLE 7
#define MLX5_MAX_CABLE 1000
#define MLX5_MIN_MAX_MTU 9216

static struct firmware_state* firmware_of(struct net_device* dev) {
  return &((struct nic*)netdev_priv(dev))->port->firmware;
}

static bool has_host(const struct nic* nic) { return nic->port->firmware.dcbx & DCB_CAP_DCBX_HOST; }

/* 0, or what ETS, PFC and APP answer where the mode or a bond forbids them. */
int dcb_may_set(struct nic* nic) {
  u8 mode = nic->port->firmware.dcbx;

  if (habit(nic, HABIT_bond_refused) && netif_is_lag_port(nic->dev)) return -EINVAL;
  switch (habit(nic, HABIT_dcbx_rule)) {
    case BNXT:
      return (mode & DCB_CAP_DCBX_VER_IEEE) && (mode & DCB_CAP_DCBX_HOST) ? 0 : -EINVAL;
    case ICE:
      return (mode & DCB_CAP_DCBX_LLD_MANAGED) || !(mode & DCB_CAP_DCBX_VER_IEEE) ? -EINVAL : 0;
    default:
      return 0;
  }
}

/* See the habit dcb_reopens. Calls back into open() and stop(), as the driver does. */
void dcb_reopen(struct nic* nic) {
  if (!habit(nic, HABIT_dcb_reopens) || !netif_running(nic->dev)) return;
  ++nic->port->reopens;
  dev_close(nic->dev);
  dev_open(nic->dev, NULL);
}

static u8 get_dcbx(struct net_device* dev) { return firmware_of(dev)->dcbx; }

static u8 mlx5_set_dcbx(struct firmware_state* firmware, u8 mode) {
  if (mode & DCB_CAP_DCBX_LLD_MANAGED) return 1;
  if (!mode) {
    firmware->dcbx &= ~DCB_CAP_DCBX_HOST;
    return 0;
  }
  if (!(mode & DCB_CAP_DCBX_HOST)) return 1;
  firmware->dcbx = mode;
  return 0;
}

static u8 bnxt_set_dcbx(struct firmware_state* firmware, u8 mode) {
  if (firmware->dcbx & DCB_CAP_DCBX_LLD_MANAGED) return 1;
  if ((mode & DCB_CAP_DCBX_HOST) &&
      ((mode & DCB_CAP_DCBX_VER_CEE) || !(mode & DCB_CAP_DCBX_VER_IEEE)))
    return 1;
  firmware->dcbx = mode;
  return 0;
}

static u8 ice_set_dcbx(struct firmware_state* firmware, u8 mode) {
  bool both = (mode & DCB_CAP_DCBX_VER_IEEE) && (mode & DCB_CAP_DCBX_VER_CEE);

  if (firmware->dcbx & DCB_CAP_DCBX_LLD_MANAGED) return 1;
  if ((mode & DCB_CAP_DCBX_LLD_MANAGED) || both || !(mode & DCB_CAP_DCBX_HOST)) return 1;
  if (mode == firmware->dcbx || firmware->trust == TRUST_DSCP) return 1;
  firmware->dcbx = mode;
  return 0;
}

/* Answers 0 or 1, not an errno. */
static u8 set_dcbx(struct net_device* dev, u8 mode) {
  struct nic* nic = netdev_priv(dev);
  struct firmware_state* firmware = firmware_of(dev);
  struct set set;
  u8 refused = 0;

  if (!set_begins(&set, dev, SET_DCBX, "0x%02x", mode)) return !!set.error;
  if (set.half) return set_ends(&set, 1);
  if (set.clamp) mode ^= DCB_CAP_DCBX_VER_CEE;
  switch (habit(nic, HABIT_dcbx_rule)) {
    case MLX5:
      refused = mlx5_set_dcbx(firmware, mode);
      break;
    case BNXT:
      refused = bnxt_set_dcbx(firmware, mode);
      break;
    case ICE:
      refused = habit(nic, HABIT_bond_refused) && netif_is_lag_port(dev)
                    ? 1
                    : ice_set_dcbx(firmware, mode);
      break;
    default:
      firmware->dcbx = mode;
  }
  return set_ends(&set, refused);
}

static int get_ets(struct net_device* dev, struct ieee_ets* ets) {
  struct nic* nic = netdev_priv(dev);
  const struct ieee_ets* held = &firmware_of(dev)->ets;
  u32 rule = habit(nic, HABIT_ets_rule);
  int i;

  if (rule == BNXT && !nic->ets_known && has_host(nic)) {
    ets->ets_cap = PRIORITIES;
    return 0;
  }
  *ets = *held;
  ets->ets_cap = PRIORITIES;
  if (rule == MLX5 || rule == BNXT) {
    ets->willing = 0;
    memset(ets->tc_reco_bw, 0, sizeof(ets->tc_reco_bw));
    memset(ets->tc_reco_tsa, 0, sizeof(ets->tc_reco_tsa));
    memset(ets->reco_prio_tc, 0, sizeof(ets->reco_prio_tc));
  }
  if (rule == MLX5) {
    ets->cbs = 0;
    memset(ets->tc_rx_bw, 0, sizeof(ets->tc_rx_bw));
    for (i = 0; i < PRIORITIES; ++i)
      if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS) ets->tc_tx_bw[i] = 0;
  }
  if (rule == ICE) {
    /* ice_dcb_lib.c ice_pf_dcb_cfg() copies the configuration over the recommendation. */
    memcpy(ets->tc_rx_bw, held->tc_tx_bw, sizeof(ets->tc_rx_bw));
    memcpy(ets->tc_reco_bw, held->tc_tx_bw, sizeof(ets->tc_reco_bw));
    memcpy(ets->tc_reco_tsa, held->tc_tsa, sizeof(ets->tc_reco_tsa));
    memcpy(ets->reco_prio_tc, held->prio_tc, sizeof(ets->reco_prio_tc));
  }
  return 0;
}

static int mlx5_check_ets(const struct ieee_ets* ets) {
  int sum = 0, i;
  bool any = false;

  for (i = 0; i < PRIORITIES; ++i) {
    if (ets->prio_tc[i] >= PRIORITIES) return -EINVAL;
    if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
      any = true;
      sum += ets->tc_tx_bw[i];
    }
  }
  for (i = 0; i < PRIORITIES; ++i)
    if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER) return -EOPNOTSUPP;
  return any && sum != 100 ? -EINVAL : 0;
}

/* The last class that is used is not looked at, as in the driver. */
static int bnxt_check_ets(const struct ieee_ets* ets) {
  int sum = 0, top = 0, i;
  bool zero = false;

  for (i = 0; i < PRIORITIES; ++i) {
    if (ets->prio_tc[i] > PRIORITIES) return -EINVAL;
    top = max_t(int, top, ets->prio_tc[i]);
  }
  for (i = 0; i < min(top, PRIORITIES); ++i) {
    if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_STRICT) continue;
    if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS) return -EOPNOTSUPP;
    sum += ets->tc_tx_bw[i];
    zero = zero || !ets->tc_tx_bw[i];
  }
  return sum > 100 || (zero && sum == 100) ? -EINVAL : 0;
}

/* May set the bandwidth of class 0. */
static int ice_check_ets(struct ieee_ets* ets) {
  u8 used = 0, sum = 0;
  int classes, i;

  for (i = 0; i < PRIORITIES; ++i) used |= BIT(ets->prio_tc[i] % PRIORITIES);
  classes = (used & (used + 1)) == 0 ? hweight8(used) : 1;
  for (i = 0; i < classes; ++i) sum += ets->tc_tx_bw[i];
  if (classes == 1 || !sum)
    ets->tc_tx_bw[0] = 100;
  else if (sum != 100)
    return -EINVAL;
  return 0;
}

static void clamp_ets(struct ieee_ets* ets) { ets->prio_tc[PRIORITIES - 1] ^= 1; }

static int apply_ets(struct nic* nic, struct ieee_ets* wanted, const struct set* set) {
  struct firmware_state* firmware = &nic->port->firmware;
  struct ieee_ets ets = *wanted;
  u32 rule = habit(nic, HABIT_ets_rule);
  int error = dcb_may_set(nic);

  if (error) return error;
  if (rule == MLX5) error = mlx5_check_ets(&ets);
  if (rule == BNXT) error = bnxt_check_ets(&ets);
  if (rule == ICE) {
    if (firmware->trust == TRUST_DSCP)
      memcpy(ets.prio_tc, firmware->ets.prio_tc, sizeof(ets.prio_tc));
    error = ice_check_ets(&ets);
  }
  if (error) return error;
  if (set->clamp) clamp_ets(&ets);
  if (set->half) {
    /* The classes are written, the groups and bandwidths fail: mlx5e_dcbnl_ieee_setets_core(). */
    memcpy(firmware->ets.prio_tc, ets.prio_tc, sizeof(ets.prio_tc));
    return set->error;
  }
  nic->ets_known = true;
  if (!memcmp(&firmware->ets, &ets, sizeof(ets))) return 0;
  firmware->ets = ets;
  dcb_reopen(nic);
  return 0;
}

static int set_ets(struct net_device* dev, struct ieee_ets* ets) {
  struct set set;

  if (!set_begins(&set, dev, SET_ETS, "prio %*ph tsa %*ph bw %*ph", PRIORITIES, ets->prio_tc,
                  PRIORITIES, ets->tc_tsa, PRIORITIES, ets->tc_tx_bw))
    return set.error;
  return set_ends(&set, apply_ets(netdev_priv(dev), ets, &set));
}

static int get_pfc(struct net_device* dev, struct ieee_pfc* pfc) {
  struct nic* nic = netdev_priv(dev);
  u32 rule = habit(nic, HABIT_pfc_rule);

  pfc->pfc_cap = min_t(u32, habit(nic, HABIT_pfc_max_classes), PRIORITIES);
  if (rule == BNXT && !nic->pfc_known && has_host(nic)) return 0;
  pfc->pfc_en = firmware_of(dev)->pfc_en;
  if (rule == MLX5)
    pfc->delay = nic->cable_length;
  else if (rule != ICE && nic->pfc_known)
    pfc->delay = nic->pfc.delay;
  if (rule == PLAIN || rule == BNXT) pfc->mbc = nic->pfc.mbc;
  return 0;
}

/* The bytes that a lossless buffer must hold beyond one frame: calculate_xoff(). */
static u32 xoff(const struct nic* nic) {
  u32 rate = max_t(u32, nic->port->firmware.speed, SPEED_40000);

  return (301 + 216 * nic->cable_length / 100) * rate / 1000 + 272 * nic->dev->mtu / 100;
}

/* update_buffer_lossy() and update_xoff_threshold(). */
static int check_buffers(const struct nic* nic, u8 pfc_en, const struct dcbnl_buffer* buffer) {
  u32 needed =
      xoff(nic) + max_t(u32, nic->dev->max_mtu, MLX5_MIN_MAX_MTU) + habit(nic, HABIT_buffer_cell);
  int i;

  for (i = 0; i < PRIORITIES; ++i)
    if ((pfc_en & BIT(i)) && buffer->buffer_size[buffer->prio2buffer[i]] < needed) return -ENOMEM;
  return 0;
}

static int bnxt_check_pfc(const struct nic* nic, u8 pfc_en) {
  const struct ieee_ets* ets = &nic->port->firmware.ets;
  u8 classes = 0;
  int i;

  if (!nic->ets_known) return -EINVAL;
  for (i = 0; i < PRIORITIES; ++i)
    if (pfc_en & BIT(i)) classes |= BIT(ets->prio_tc[i] % PRIORITIES);
  return hweight8(classes) > habit(nic, HABIT_pfc_max_classes) ? -EINVAL : 0;
}

static int apply_pfc(struct nic* nic, const struct ieee_pfc* pfc, const struct set* set) {
  struct firmware_state* firmware = &nic->port->firmware;
  u32 rule = habit(nic, HABIT_pfc_rule);
  u8 wanted = set->clamp ? pfc->pfc_en ^ BIT(7) : pfc->pfc_en;
  u16 old_length = nic->cable_length;
  bool changed = firmware->pfc_en != wanted;
  int error = dcb_may_set(nic);

  if (!error && rule == BNXT) error = bnxt_check_pfc(nic, wanted);
  if (error) return error;
  firmware->pfc_en = wanted;
  if (changed) port_bounce(nic->port);
  if (set->half) return set->error;
  nic->pfc = *pfc;
  nic->pfc_known = true;
  if (rule == MLX5 && pfc->delay && pfc->delay < MLX5_MAX_CABLE) nic->cable_length = pfc->delay;
  if (habit(nic, HABIT_pfc_checks_buffer) && nic->manual_buffer &&
      (changed || nic->cable_length != old_length)) {
    error = check_buffers(nic, wanted, &firmware->buffer);
    if (error) nic->cable_length = old_length;
  }
  if (changed) dcb_reopen(nic);
  return error;
}

static int set_pfc(struct net_device* dev, struct ieee_pfc* pfc) {
  struct set set;

  if (!set_begins(&set, dev, SET_PFC, "0x%02x delay %u", pfc->pfc_en, pfc->delay)) return set.error;
  return set_ends(&set, apply_pfc(netdev_priv(dev), pfc, &set));
}

static int get_rate(struct net_device* dev, struct ieee_maxrate* rate) {
  *rate = firmware_of(dev)->rate;
  return 0;
}

static int apply_rate(struct nic* nic, const struct ieee_maxrate* wanted, const struct set* set) {
  const u64 step = 100000, large_step = 1000000;
  struct ieee_maxrate rate = *wanted;
  int i;

  for (i = 0; i < PRIORITIES && habit(nic, HABIT_rate_rule) == MLX5; ++i) {
    u64* one = &rate.tc_maxrate[i];

    if (!*one) continue;
    if (*one > 255 * large_step) return -EINVAL;
    if (*one <= 255 * step)
      *one = max_t(u64, *one / step, 1) * step;
    else
      *one = *one / large_step * large_step;
  }
  if (set->clamp) rate.tc_maxrate[PRIORITIES - 1] += step;
  /* The first half of the classes: nothing in the register's one write, but a lie that another card
   * may tell. */
  memcpy(&nic->port->firmware.rate, &rate, set->half ? sizeof(rate) / 2 : sizeof(rate));
  return set->error;
}

static int set_rate(struct net_device* dev, struct ieee_maxrate* rate) {
  const u64* one = rate->tc_maxrate;
  struct set set;

  if (!set_begins(&set, dev, SET_MAXRATE, "%llu %llu %llu %llu %llu %llu %llu %llu", one[0], one[1],
                  one[2], one[3], one[4], one[5], one[6], one[7]))
    return set.error;
  return set_ends(&set, apply_rate(netdev_priv(dev), rate, &set));
}

static int get_buffer(struct net_device* dev, struct dcbnl_buffer* buffer) {
  *buffer = firmware_of(dev)->buffer;
  return 0;
}

static int apply_buffer(struct nic* nic, const struct dcbnl_buffer* wanted, const struct set* set) {
  struct firmware_state* firmware = &nic->port->firmware;
  struct dcbnl_buffer buffer = *wanted;
  u32 cell = max_t(u32, habit(nic, HABIT_buffer_cell), 1);
  u64 sum = 0;
  int i, error;

  buffer.total_size = firmware->buffer.total_size;
  if (!memcmp(&buffer, &firmware->buffer, sizeof(buffer))) return 0;
  nic->manual_buffer = true;
  for (i = 0; i < DCBX_MAX_BUFFERS; ++i) sum += buffer.buffer_size[i];
  if (sum > buffer.total_size) return -EINVAL;
  error = habit(nic, HABIT_pfc_checks_buffer) ? check_buffers(nic, firmware->pfc_en, &buffer) : 0;
  if (error) return error;
  for (i = 0; i < DCBX_MAX_BUFFERS; ++i) buffer.buffer_size[i] -= buffer.buffer_size[i] % cell;
  if (set->clamp) buffer.prio2buffer[PRIORITIES - 1] ^= 1;
  /* Sizes and map are two registers: mlx5e_port_manual_buffer_config(). */
  if (set->half)
    memcpy(buffer.prio2buffer, firmware->buffer.prio2buffer, sizeof(buffer.prio2buffer));
  firmware->buffer = buffer;
  return set->error;
}

static int set_buffer(struct net_device* dev, struct dcbnl_buffer* buffer) {
  const u32* size = buffer->buffer_size;
  struct set set;

  if (!set_begins(&set, dev, SET_BUFFER, "prio %*ph size %u %u %u %u %u %u %u %u", PRIORITIES,
                  buffer->prio2buffer, size[0], size[1], size[2], size[3], size[4], size[5],
                  size[6], size[7]))
    return set.error;
  return set_ends(&set, apply_buffer(netdev_priv(dev), buffer, &set));
}

/* A missing operation is skipped without a word: net/dcb/dcbnl.c dcbnl_ieee_set(); for APP it
 * writes its own table. */
void dcb_operations(struct port* port) {
  u32 missing = port->missing;

  port->dcb = (struct dcbnl_rtnl_ops){
      .ieee_getets = get_ets,
      .ieee_setets = missing & BIT(SET_ETS) ? NULL : set_ets,
      .ieee_getpfc = get_pfc,
      .ieee_setpfc = missing & BIT(SET_PFC) ? NULL : set_pfc,
      .ieee_getmaxrate = missing & BIT(SET_MAXRATE) ? NULL : get_rate,
      .ieee_setmaxrate = missing & BIT(SET_MAXRATE) ? NULL : set_rate,
      .dcbnl_getbuffer = missing & BIT(SET_BUFFER) ? NULL : get_buffer,
      .dcbnl_setbuffer = missing & BIT(SET_BUFFER) ? NULL : set_buffer,
      .ieee_setapp = missing & BIT(SET_APP_SET) ? NULL : app_set,
      .ieee_delapp = missing & BIT(SET_APP_DEL) ? NULL : app_delete,
      .getdcbx = get_dcbx,
      .setdcbx = missing & BIT(SET_DCBX) ? NULL : set_dcbx,
  };
}

void dcb_default_ets(struct ieee_ets* ets, enum rule rule) {
  int i;

  memset(ets, 0, sizeof(*ets));
  for (i = 0; i < PRIORITIES && rule != ICE; ++i) ets->prio_tc[i] = i;
  switch (rule) {
    case MLX5:
      ets->prio_tc[0] = 1;
      ets->prio_tc[1] = 0;
      memset(ets->tc_tsa, IEEE_8021QAZ_TSA_VENDOR, sizeof(ets->tc_tsa));
      break;
    case ICE:
      ets->willing = 1;
      ets->tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
      ets->tc_tx_bw[0] = 100;
      break;
    default:
      break;
  }
}

/* See the habit fw_agent. */
u8 dcb_first_mode(const struct port* port) {
  u32 rule = port->habit[HABIT_dcbx_rule];

  if (!port->habit[HABIT_fw_agent]) return port->model->versions | DCB_CAP_DCBX_HOST;
  return port->model->versions | (rule == BNXT || rule == ICE ? DCB_CAP_DCBX_LLD_MANAGED : 0);
}

/* What a card has that nobody has set: dscp >> 3 in the map, all of the buffer in one. */
void dcb_default(struct port* port) {
  struct firmware_state* firmware = &port->firmware;
  u32 cell = max_t(u32, port->habit[HABIT_buffer_cell], 1);
  int i;

  for (i = 0; i < DSCPS; ++i) firmware->dscp2prio[i] = i >> 3;
  dcb_default_ets(&firmware->ets, port->habit[HABIT_ets_rule]);
  firmware->buffer.total_size = 262016;
  firmware->buffer.buffer_size[0] = 130944 / cell * cell;
}

void dcb_probe(struct nic* nic) {
  struct port* port = nic->port;

  nic->cable_length = MLX5_DEFAULT_CABLE;
  if (habit(nic, HABIT_dcbx_rule) == BNXT) port->firmware.dcbx = dcb_first_mode(port);
  if (habit(nic, HABIT_ets_rule) == MLX5) dcb_default_ets(&port->firmware.ets, MLX5);
  /* ice_dcb_lib.c ice_init_pf_dcb(): without the firmware's agent, ice_dcb_sw_dflt_cfg(). */
  if (habit(nic, HABIT_dcbx_rule) == ICE && !(port->firmware.dcbx & DCB_CAP_DCBX_LLD_MANAGED)) {
    dcb_default_ets(&port->firmware.ets, ICE);
    port->firmware.pfc_en = 0;
  }
}
