// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* dcbnl: the APP table and what it does to DSCPs. What which rule follows: habits.h, app_rule. */
#include "testnic.h"

static bool is_dscp(const struct dcb_app* app) {
  return app->selector == IEEE_8021QAZ_APP_SEL_DSCP && app->protocol < DSCPS;
}

static void set_trust(struct nic* nic, enum trust trust) {
  WRITE_ONCE(nic->port->firmware.trust, trust);
}

static void map_dscp(struct nic* nic, u16 dscp, u8 priority) {
  WRITE_ONCE(nic->port->firmware.dscp2prio[dscp], priority);
}

static int plain_set(struct nic* nic, struct dcb_app* app, const struct set* set) {
  int error = dcb_ieee_setapp(nic->dev, app);

  if (error) return error;
  if (set->half) return set->error;
  if (is_dscp(app)) {
    map_dscp(nic, app->protocol, app->priority);
    set_trust(nic, TRUST_DSCP);
    ++nic->dscp_apps;
  }
  return 0;
}

static int plain_delete(struct nic* nic, struct dcb_app* app, const struct set* set) {
  int error = dcb_ieee_delapp(nic->dev, app);

  if (error) return error;
  if (set->half) return set->error;
  if (is_dscp(app)) {
    map_dscp(nic, app->protocol, app->protocol >> 3);
    if (!--nic->dscp_apps) set_trust(nic, TRUST_PCP);
  }
  return 0;
}

static int mlx5_set(struct nic* nic, struct dcb_app* app, const struct set* set) {
  struct dcb_app old = *app;
  bool is_new;
  int error;

  if (!is_dscp(app)) return -EINVAL;
  old.priority = nic->port->firmware.dscp2prio[app->protocol];
  if (!nic->dscp_apps) set_trust(nic, TRUST_DSCP);
  if (set->half) {
    /* The map could not be written: trust goes to PCP, whatever entries there are. */
    set_trust(nic, TRUST_PCP);
    return set->error;
  }
  map_dscp(nic, app->protocol, app->priority);
  is_new = dcb_ieee_delapp(nic->dev, &old);
  error = dcb_ieee_setapp(nic->dev, app);
  if (!error && is_new) ++nic->dscp_apps;
  return error;
}

static int mlx5_delete(struct nic* nic, struct dcb_app* app, const struct set* set) {
  int error;

  if (!is_dscp(app)) return -EINVAL;
  if (!nic->dscp_apps || app->priority != nic->port->firmware.dscp2prio[app->protocol])
    return -ENOENT;
  error = dcb_ieee_delapp(nic->dev, app);
  if (error) return error;
  if (set->half) {
    set_trust(nic, TRUST_PCP);
    return set->error;
  }
  map_dscp(nic, app->protocol, 0);
  if (!--nic->dscp_apps) set_trust(nic, TRUST_PCP);
  return 0;
}

static int bnxt_set(struct nic* nic, struct dcb_app* app, const struct set* set) {
  int error = dcb_may_set(nic);

  if (!error && app->selector == IEEE_8021QAZ_APP_SEL_DSCP && !is_dscp(app)) error = -EINVAL;
  if (!error) error = dcb_ieee_setapp(nic->dev, app);
  if (error) return error;
  if (set->half) return set->error;
  if (is_dscp(app)) {
    map_dscp(nic, app->protocol, app->priority);
    set_trust(nic, TRUST_DSCP);
  }
  return 0;
}

/* bnxt_hwrm_queue_dscp2pri_cfg() with mask 0: the firmware has no priority for this DSCP any more.
 */
static int bnxt_delete(struct nic* nic, struct dcb_app* app, const struct set* set) {
  int error = dcb_may_set(nic);

  if (!error && app->selector == IEEE_8021QAZ_APP_SEL_DSCP && !is_dscp(app)) error = -EINVAL;
  if (!error) error = dcb_ieee_delapp(nic->dev, app);
  if (error) return error;
  if (set->half) return set->error;
  if (is_dscp(app)) map_dscp(nic, app->protocol, 0);
  return 0;
}

static int ice_set(struct nic* nic, struct dcb_app* app, const struct set* set) {
  struct firmware_state* firmware = &nic->port->firmware;
  int error, i;

  if (!is_dscp(app) || app->priority >= PRIORITIES) return -EINVAL;
  error = dcb_may_set(nic);
  if (error) return error;
  error = dcb_ieee_setapp(nic->dev, app);
  if (error) return error;
  if (test_and_set_bit(app->protocol, nic->mapped)) {
    dcb_ieee_delapp(nic->dev, app);
    return -EINVAL;
  }
  /* ICE_DCB_NO_HW_CHG, which the kernel passes on as it is. */
  if (set->half) return 1;
  if (firmware->trust != TRUST_DSCP) {
    set_trust(nic, TRUST_DSCP);
    for (i = 0; i < DSCPS; ++i) map_dscp(nic, i, i >> 3);
    dcb_default_ets(&firmware->ets, ICE);
    firmware->ets.willing = 0;
    for (i = 1; i < PRIORITIES; ++i) {
      firmware->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
      firmware->ets.prio_tc[i] = i;
    }
  }
  map_dscp(nic, app->protocol, app->priority);
  dcb_reopen(nic);
  return 0;
}

static int ice_delete(struct nic* nic, struct dcb_app* app, const struct set* set) {
  struct firmware_state* firmware = &nic->port->firmware;
  int error = firmware->dcbx & DCB_CAP_DCBX_LLD_MANAGED ? -EINVAL : dcb_may_set(nic);

  if (!error) error = dcb_ieee_delapp(nic->dev, app);
  if (error) return error;
  if (!is_dscp(app)) return 2; /* ICE_DCB_HW_CHG */
  if (set->half) return set->error;
  clear_bit(app->protocol, nic->mapped);
  map_dscp(nic, app->protocol, app->protocol % PRIORITIES);
  if (bitmap_empty(nic->mapped, DSCPS) && firmware->trust == TRUST_DSCP) {
    set_trust(nic, TRUST_PCP);
    dcb_default_ets(&firmware->ets, ICE);
    firmware->pfc_en = 0;
  }
  dcb_reopen(nic);
  return 0;
}

typedef int (*app_function)(struct nic* nic, struct dcb_app* app, const struct set* set);
static const app_function setters[] = {
    [PLAIN] = plain_set, [MLX5] = mlx5_set, [BNXT] = bnxt_set, [ICE] = ice_set};
static const app_function deleters[] = {
    [PLAIN] = plain_delete, [MLX5] = mlx5_delete, [BNXT] = bnxt_delete, [ICE] = ice_delete};

static int change(struct net_device* dev, struct dcb_app* app, enum kind kind,
                  const app_function* functions) {
  struct nic* nic = netdev_priv(dev);
  struct dcb_app taken = *app;
  struct set set;

  if (!set_begins(&set, dev, kind, "%u:%u prio %u", app->selector, app->protocol, app->priority))
    return set.error;
  if (set.clamp) taken.priority ^= 1;
  return set_ends(&set, functions[min_t(u32, habit(nic, HABIT_app_rule), ICE)](nic, &taken, &set));
}

int app_set(struct net_device* dev, struct dcb_app* app) {
  return change(dev, app, SET_APP_SET, setters);
}
int app_delete(struct net_device* dev, struct dcb_app* app) {
  return change(dev, app, SET_APP_DEL, deleters);
}

/* mlx5e_dcbnl_init_app(): under DSCP trust, a probe shows all 64. */
void dcb_probe_app(struct nic* nic) {
  struct firmware_state* firmware = &nic->port->firmware;
  struct dcb_app app = {.selector = IEEE_8021QAZ_APP_SEL_DSCP};

  if (habit(nic, HABIT_app_rule) != MLX5) {
    /* The others start with an empty table. */
    if (habit(nic, HABIT_app_rule) != BNXT) set_trust(nic, TRUST_PCP);
    return;
  }
  if (firmware->trust != TRUST_DSCP) return;
  for (app.protocol = 0; app.protocol < DSCPS; ++app.protocol) {
    app.priority = firmware->dscp2prio[app.protocol];
    dcb_ieee_setapp(nic->dev, &app);
  }
  nic->dscp_apps = DSCPS;
}
