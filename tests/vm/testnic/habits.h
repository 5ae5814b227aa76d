/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What real drivers do, each from a function of theirs: HABIT(name, plain, mlx5, bnxt, ice), the
 * numbers being what a port of that kind starts with. A rule has the number of the driver whose
 * function it follows: 0 none, 1 mlx5, 2 bnxt, 3 ice. Read in Linux 6.1.192 and 6.12.117; where
 * they differ, it says so. Paths below drivers/net/ethernet: mlx5 is mellanox/mlx5/core, bnxt is
 * broadcom/bnxt, ice is intel/ice.
 */

/*
 * Who may set. 1: mlx5/en_dcbnl.c mlx5e_dcbnl_setdcbx() refuses LLD_MANAGED and what has no HOST,
 * takes 0 as "back to the firmware", and no other SET asks for the mode. 2: bnxt/bnxt_dcb.c
 * bnxt_dcbnl_setdcbx() wants IEEE without CEE and no firmware agent; ETS, PFC and APP answer EINVAL
 * without HOST and IEEE. 3: ice/ice_dcb_nl.c ice_dcbnl_setdcbx() says 1 (refused) to the mode that
 * is there already, and to any under DSCP trust; the others answer EINVAL under LLD_MANAGED or
 * without IEEE.
 */
HABIT(dcbx_rule, 0, 1, 2, 3)

/*
 * The firmware has an LLDP agent of its own. mlx5: en_dcbnl.c mlx5e_dcbnl_query_dcbx_mode(), and
 * mlx5e_dcbnl_initialize() leaves HOST out, but takes every SET. bnxt: bnxt_dcb.c bnxt_dcb_init()
 * has LLD_MANAGED instead, at every probe. ice: the same until "ethtool --set-priv-flags DEVICE
 * fw-lldp-agent off", which lasts (ice_ethtool.c ice_set_priv_flags()); as delivered it runs. It
 * counts where the firmware is reset, for bnxt also at a probe.
 */
HABIT(fw_agent, 0, 0, 0, 1)

/*
 * ETS. 1: en_dcbnl.c mlx5e_dbcnl_validate_ets(): the bandwidths of the ETS classes must sum to 100,
 * EOPNOTSUPP for the credit-based shaper; mlx5e_dcbnl_ieee_getets() returns the class of each
 * priority, the algorithms and the bandwidth of ETS classes, 0 for all else; mlx5e_ets_init() sets
 * VENDOR, 0 -> 1 and 1 -> 0 at every probe. 2: bnxt_dcb.c bnxt_ets_validate(): at most 100, no
 * class at 0 where the sum is 100; bnxt_dcbnl_ieee_getets() reads zeros until the first SET and
 * forgets willing and the recommendation. 3: ice_dcb_nl.c ice_dcbnl_setets() leaves the map alone
 * under DSCP trust; ice_dcb_lib.c ice_dcb_bwchk() wants 100 over the contiguous classes, and gives
 * all to class 0 where there is one.
 */
HABIT(ets_rule, 0, 1, 2, 3)

/*
 * PFC. 1: en_dcbnl.c mlx5e_dcbnl_ieee_setpfc(): delay is metres of cable, 0 and from 1000 on
 * ignored without a word. 2: bnxt_dcb.c bnxt_hwrm_queue_pfc_cfg(): EINVAL before the first ETS SET.
 * bnxt_dcbnl_ieee_getpfc() reads 0 until the first SET. 3: ice_dcb_nl.c ice_dcbnl_setpfc() takes no
 * delay; ice_get_pfc_delay() reads a register.
 */
HABIT(pfc_rule, 0, 1, 2, 3)

/*
 * A changed PFC mask takes the link down and up: mlx5/port.c mlx5_toggle_port_link(), called by
 * mlx5e_dcbnl_ieee_setpfc(); also by mlx5e_ethtool_set_link_ksettings() and mlx5e_set_fecparam() in
 * en_ethtool.c. The number says for how many milliseconds; a card takes seconds. 0: it does not.
 */
HABIT(bounce_ms, 0, 200, 0, 0)

/* How many classes may be lossless: bnxt_dcb.c bnxt_hwrm_queue_pfc_cfg() answers EINVAL above
 * max_lltc. */
HABIT(pfc_max_classes, 8, 8, 2, 8)

/*
 * After a buffer SET, PFC checks the buffers behind the mask that it has written already:
 * en_dcbnl.c mlx5e_dcbnl_ieee_setpfc() calls en/port_buffer.c mlx5e_port_manual_buffer_config(),
 * which ends in update_xoff_threshold(): ENOMEM, and the new mask stays. 6.1 asks
 * dcbx.manual_buffer, 6.12 asks the firmware.
 */
HABIT(pfc_checks_buffer, 0, 1, 0, 0)

/*
 * A DCB change closes and opens the interface: ice_dcb_nl.c ice_dcbnl_devreset(), with all that
 * dev_close() does (routes and IPv6 addresses go).
 */
HABIT(dcb_reopens, 0, 0, 0, 1)

/* No DCB change for a port of a bond: ice_dcb_nl.c of 6.12, each SET asks pf->lag->bonded. */
HABIT(bond_refused, 0, 0, 0, LATER_KERNEL)

/*
 * The APP table. 1: en_dcbnl.c mlx5e_dcbnl_ieee_setapp(), mlx5e_dcbnl_ieee_delapp(): DSCP only; the
 * first entry switches trust to DSCP, the deletion of the last one back to PCP; a second priority
 * for a DSCP replaces the first; a deleted DSCP gets priority 0 in firmware; mlx5e_dcbnl_init_app()
 * shows all 64 after a probe under DSCP trust. 2: bnxt_dcb.c bnxt_dcbnl_ieee_setapp(): the kernel's
 * table first, then the firmware, and no way back where that fails. 3: ice_dcb_nl.c
 * ice_dcbnl_setapp(): DSCP only; EINVAL for a second priority; the first entry resets ETS; a
 * failure of the firmware answers +1 and leaves the entry; ice_dcbnl_delapp(): answers +2 for what
 * is not DSCP, maps to dscp % 8, and the last one runs ice_dcb_sw_dflt_cfg(), which also clears
 * PFC.
 */
HABIT(app_rule, 0, 1, 2, 3)

/*
 * Limits of rates: en_dcbnl.c mlx5e_dcbnl_ieee_setmaxrate(): down to 100 Mb/s steps up to 25.5
 * Gb/s, to 1 Gb/s steps up to 255 Gb/s, EINVAL above.
 */
HABIT(rate_rule, 0, 1, 0, 0)

/* Sizes are cells of so many bytes, rounded down: en/port_buffer.c port_set_buffer(),
 * MLX5E_BUFFER_CELL_SHIFT. */
HABIT(buffer_cell, 1, 128, 1, 1)

/*
 * Rings. 1: en_ethtool.c mlx5e_ethtool_set_ringparam(): up to the next power of two. 2:
 * bnxt_ethtool.c bnxt_set_ringparam(): as they are, to 2047. 3: ice_ethtool.c ice_set_ringparam():
 * up to a multiple of 32, 64 to 8160.
 */
HABIT(rings_rule, 0, 1, 2, 3)

/* EBUSY while the RDMA driver is bound: ice_ethtool.c ice_set_channels(). Set it to 1 for that. */
HABIT(channels_busy, 0, 0, 0, 0)

/*
 * Global pause. 1: en_ethtool.c mlx5e_ethtool_set_pauseparam(): EINVAL with autoneg. 2:
 * bnxt_ethtool.c bnxt_set_pauseparam(): EINVAL with autoneg where the link has none. 3:
 * ice_ethtool.c ice_set_pauseparam(): EOPNOTSUPP where autoneg is not the link's, and while PFC is
 * on; ice_get_pauseparam() then reads off.
 */
HABIT(pause_rule, 0, 1, 2, 3)

/*
 * Coalescing. 1: en_ethtool.c mlx5e_ethtool_set_coalesce(): ERANGE above 4095 us or 65535 frames;
 * where adaptive changes, en/params.c mlx5e_reset_rx_moderation() overwrites the times of the same
 * SET (6.12 calls twice for that: net/ethtool/coalesce.c ethnl_set_coalesce()), and in 6.12 times
 * are ignored while adaptive is on. 2: bnxt_ethtool.c bnxt_set_coalesce(): adaptive switched off
 * ignores everything else of the SET; there is no adaptive tx. 3: ice_ethtool.c
 * ice_set_rc_coalesce(): EINVAL above 8160 us, and for times that change while adaptive is on; no
 * frames.
 */
HABIT(coalesce_rule, 0, 1, 2, 3)

/*
 * Rings, channels, MTU and (mlx5 of 6.1) adaptive coalescing drop the carrier for a moment:
 * mlx5/en_main.c mlx5e_switch_priv_channels(), bnxt/bnxt.c bnxt_close_nic(), ice/ice_main.c
 * ice_down().
 */
HABIT(reopens, 0, 1, 1, 1)

/*
 * What a reload of the driver leaves. 1: the firmware's part stays (PFC mask, DSCP map and trust,
 * rates, buffers, pause, FEC, DCBX mode): en_dcbnl.c mlx5e_dcbnl_initialize() reads it. 0: all of
 * it is reset.
 */
HABIT(reload_keeps, 0, 1, 1, 1)
